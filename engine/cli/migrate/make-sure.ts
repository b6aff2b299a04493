import type { Table } from '../../../tables/model/table.ts';
import { callerAccount } from '../../aws/caller-account.ts';
import { plural } from '../../core/show/numbers.ts';
import { type IndexPlans, preflight } from '../../run/migrate/preflight.ts';
import { confirmProduction } from '../confirm-production.ts';
import type { Context } from '../context.ts';
import type { MigrationCommand } from './open-migrations.ts';

export interface Guards {
  readonly yes: boolean;
  readonly noPitrOk: boolean;
}

/** What a command is about to work on. */
export interface Touched {
  readonly tables: readonly Table[];
  /** Those whose consumers have to be paused. */
  readonly paused?: readonly Table[];
  /** What becomes of their indexes. */
  readonly indexes?: IndexPlans;
  readonly migrations: number;
}

/** Preflight and, in production, the typed confirmation: all before the first write. */
export async function makeSure(
  context: Context,
  { environment, stack }: MigrationCommand,
  { tables, paused, indexes, migrations }: Touched,
  { yes, noPitrOk }: Guards,
): Promise<void> {
  const { region } = stack.config;
  const lacks = await stack.lacks(context.signal);
  const checks = { callerAccount: () => callerAccount(region, stack.endpoint, stack.patience), lacks, paused, indexes, noPitrOk };
  await preflight(environment, tables, checks, context.signal);
  await confirmProduction(context, stack.config, yes, plural(migrations, 'migration'));
}
