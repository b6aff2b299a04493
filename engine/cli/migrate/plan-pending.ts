import { toJsonItem } from '../../core/item/dynamo-json.ts';
import type { ReadStore } from '../../core/migrate/data-store.ts';
import { decideRuns, type PlannedRun, type RunRequest } from '../../core/migrate/decide-runs.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import { type MigrationPlan, type PlanEnvironment, planRuns } from '../../run/migrate/plan.ts';
import type { MigrationCommand } from './open-migrations.ts';

type Planned = Pick<MigrationCommand, 'environment' | 'sources'>;

/** What the pending migrations would do and cost. */
export async function planPending(
  command: Planned,
  request: RunRequest,
  sample: number | undefined,
  signal: AbortSignal,
): Promise<{ readonly runs: readonly PlannedRun[]; readonly plans: readonly MigrationPlan[] }> {
  const { runs } = decideRuns(command.sources, await new LedgerReader(command.environment).states(), request);
  return { runs, plans: await planRuns(readOnly(command), runs, sample, signal) };
}

/** The planner's environment: the calls that write are not hidden in it, they are not there. */
function readOnly({ environment }: Planned): PlanEnvironment {
  const { config, gates, budget, nowMs, sleep, random, emit, tuning, includeExpired, listeners, anotherDay, data } = environment;
  const { getItem, query, batchGet, describeTable, scan, backups } = data;
  const reading: ReadStore = { getItem, query, batchGet, describeTable, scan, backups };
  return { config, gates, budget, nowMs, sleep, random, emit, tuning, includeExpired, listeners, anotherDay, data: reading };
}

/** As JSON has it: items in DynamoDB's own form. */
export function planValue({ steps, ...rest }: MigrationPlan) {
  return {
    ...rest,
    steps: steps.map(({ differences, ...step }) => ({
      ...step,
      cost: step.cost ?? null,
      differences: differences.map(({ key, change }) => ({
        key,
        before: change.kind === 'insert' ? null : toJsonItem(change.before),
        after: toJsonItem(change.kind === 'insert' ? change.item : change.set),
        remove: change.kind === 'insert' ? [] : change.remove,
      })),
    })),
  };
}
