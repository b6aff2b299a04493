import { TablewrightError } from '../../../tables/model/error.ts';
import { confirmProduction } from '../../cli/confirm-production.ts';
import { planPending, planValue } from '../../cli/migrate/plan-pending.ts';
import { budgetFor, etaText, howText, totalLines } from '../../cli/migrate/plan-words.ts';
import { renderListeners } from '../../cli/migrate/render-listeners.ts';
import { partitionNotes } from '../../cli/migrate/render-partitions.ts';
import { resolveKnown } from '../../cli/migrate/resolve-id.ts';
import { holderText } from '../../core/remote/holder-text.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import { pauseRuns, resumeRuns } from '../../run/migrate/pause-runs.ts';
import type { StepPlan } from '../../run/migrate/plan.ts';
import { readStatus } from '../../run/migrate/read-status.ts';
import type { ConsoleEnvironment } from '../console-environment.ts';
import type { MigrationAnswer, MigrationsAnswer, PlanAnswer, PlanNotes } from '../wire-types.ts';
import { mayWrite } from './stack.ts';

export async function migrationsAnswer({ environment, sources }: ConsoleEnvironment): Promise<MigrationsAnswer> {
  const descriptions = Object.fromEntries(sources.map(({ migration }) => [migration.id, migration.description]));
  const status = await readStatus(environment, sources);
  const lock = status.lock && { ...status.lock, holder: holderText(status.lock.holder) };
  return { ...status, lock, descriptions };
}

/** Items that a plan looks at unless all were asked for. */
export const planSample = 2_000;

/** `gone`: whoever asked does not wait for it any longer, and what is read is paid for. */
export async function planAnswer(
  environment: ConsoleEnvironment,
  sample: number | undefined,
  gone: AbortSignal,
): Promise<PlanAnswer> {
  const signal = AbortSignal.any([environment.context.signal, gone]);
  const { plans } = await planPending(environment, { accept: true }, sample, signal);
  const budget = budgetFor(environment);
  return {
    plans: plans.map((plan) => ({ ...planValue(plan), how: howText(plan) })),
    notes: plans.map(({ steps }) => steps.map((step) => notesOf(step, budget))),
    total: plans.length === 0 ? [] : totalLines(plans, environment),
  };
}

/** What `plan` says of a step beside its figures. */
function notesOf(step: StepPlan, budget: number): PlanNotes {
  const { partitions, hints } = step;
  return {
    eta: etaText(step, budget),
    remarks: [
      ...(partitions === undefined ? [] : partitionNotes(partitions, budget)),
      ...(step.table === undefined ? [] : renderListeners(step)),
      ...hints,
    ],
  };
}

/** Dead letters that are shown; all are in the file that the run wrote. */
const maxShownDead = 200;

export async function migrationAnswer(environment: ConsoleEnvironment, given: string): Promise<MigrationAnswer> {
  const id = await resolveKnown(environment, given);
  const reader = new LedgerReader(environment.environment);
  const [history, dead] = await Promise.all([reader.history(id), reader.dead(id)]);
  const migration = environment.sources.find((source) => source.migration.id === id)?.migration;
  return {
    id,
    description: migration?.description ?? null,
    steps: (migration?.steps ?? []).map((step) => ({
      name: step.name,
      kind: step.kind,
      table: 'table' in step ? step.table.name : null,
    })),
    history,
    dead: dead.slice(0, maxShownDead).map(({ shownKey, table, reason, at }) => ({ shownKey, table, reason, at })),
  };
}

/** Asks whoever runs migrations to hold still, or lets them go on. */
export async function steerRuns(console: ConsoleEnvironment, what: 'pause' | 'resume', confirm: string) {
  const { stack, context, environment } = console;
  if (!mayWrite(console)) {
    throw new TablewrightError('REFUSED_IN_PRODUCTION', `${what}: this console only reads, because ${stack.name} is production`, {
      next: `Run 'tablewright ${what} --stack ${stack.name}', or start the console with --allow-writes.`,
    });
  }
  await confirmProduction({ ask: async () => confirm, signal: context.signal }, stack.config, false, what);
  if (what === 'pause') await pauseRuns(environment);
  else await resumeRuns(environment);
  return { done: what };
}
