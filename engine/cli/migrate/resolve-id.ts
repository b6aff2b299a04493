import { TablewrightError } from '../../../tables/model/error.ts';
import type { MigrationCommand } from './open-migrations.ts';

/** A migration by its id or number. */
export function resolveId({ sources }: Pick<MigrationCommand, 'sources'>, given: string): string {
  const found = sources.filter(({ migration }) => migration.id === given || migration.id.slice(0, 4) === given.padStart(4, '0'));
  const [only] = found;
  if (only !== undefined) return only.migration.id;
  throw new TablewrightError('UNKNOWN_NAME', `there is no migration ${given}`, {
    next:
      sources.length === 0
        ? "There is none in migrations/: 'tablewright migration new NAME' makes one."
        : `Use one of ${sources.map(({ migration }) => migration.id).join(', ')}.`,
  });
}
