import { TablewrightError } from '../../../tables/model/error.ts';
import { knownId } from '../../core/migrate/decide-rollback.ts';
import { nameAdvice } from '../../core/show/name-advice.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import type { MigrationCommand } from './open-migrations.ts';

/** A migration that was run, by its id or number, whether its file is there or not; or one of the files. */
export async function resolveKnown(
  { sources, environment }: Pick<MigrationCommand, 'sources' | 'environment'>,
  given: string,
): Promise<string> {
  return knownId(sources, await new LedgerReader(environment).states(), given);
}

/** A migration by its id or number. */
export function resolveId({ sources }: Pick<MigrationCommand, 'sources'>, given: string): string {
  const found = sources.filter(({ migration }) => migration.id === given || migration.id.slice(0, 4) === given.padStart(4, '0'));
  const [only] = found;
  if (only !== undefined) return only.migration.id;
  throw new TablewrightError('UNKNOWN_NAME', `there is no migration ${given}`, {
    next:
      sources.length === 0
        ? "There is none in migrations/: 'tablewright migration new NAME --table TABLE' makes one."
        : nameAdvice(
            given,
            sources.map(({ migration }) => migration.id),
          ),
  });
}
