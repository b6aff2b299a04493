import { TablewrightError } from '../../../tables/model/error.ts';
import { addCounts, addUnits, noCounts, noUnits } from '../../core/migrate/counts.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import type { Execution, Executions } from '../../core/remote/executions.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { itemsIn } from '../migrate/backfill/watch-pass.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { ProgressEvents } from './progress-events.ts';
import { type RemotePass, type RemoteProgress, remoteProgress } from './read-progress.ts';

/** Often enough for a line that moves; an execution of days is asked some thousand times an hour, which costs less than a cent. */
export const watchEveryMs = 1_000;
/** Each of many units is read for a look, at one read unit: no more than a thousand of them a second. */
const watchMsPerUnit = 1;

/** How long to rest after a look at so many units. */
export const restAfterLookMs = (units: number, everyMs: number): number => Math.max(everyMs, watchMsPerUnit * units);

/** Looks that may fail one after the other: the execution goes on while this machine is off the net for half a minute. */
const maxFailures = 10;

/** `left`: somebody does not want to watch any longer; it goes on. */
export type WatchEnd =
  | { readonly kind: 'left' }
  | { readonly kind: 'ended'; readonly execution: Execution; readonly progress: RemoteProgress };

export interface Watch {
  readonly environment: MigrateEnvironment;
  readonly executions: Executions;
  readonly arn: string;
  readonly sources: readonly MigrationSource[];
  /** Had the migration begun before this execution? */
  readonly resumed: (migration: string) => boolean;
  readonly everyMs?: number | undefined;
}

/** Shows an execution from the ledger, as a run on this machine is shown, until it ends or the signal comes. */
export async function watchExecution(watch: Watch, signal: AbortSignal): Promise<WatchEnd> {
  const { environment, everyMs = watchEveryMs } = watch;
  const expected = new Map<string, number>();
  const description = (id: string): string => migrationIn(watch, id)?.description ?? '';
  const events = new ProgressEvents({ description, resumed: watch.resumed, expected: (table) => expected.get(table) ?? 0 });
  let failures = 0;
  let restMs = everyMs;
  while (!signal.aborted) {
    const look = await untilStopped(tryLook(watch, signal), signal);
    if (look === undefined) break;
    if ('failure' in look) {
      failures += 1;
      if (failures >= maxFailures) throw look.failure;
    } else {
      failures = 0;
      const { execution, progress } = look;
      const table = progress.pass?.table ?? '';
      restMs = restAfterLookMs(progress.pass?.segments ?? 0, everyMs);
      if (table !== '' && !expected.has(table)) expected.set(table, await itemsIn(environment, table).catch(() => 0));
      const over = events.over(progress);
      const passed = over === undefined ? undefined : await atItsEnd(watch, over);
      for (const event of events.see(progress, environment.nowMs(), passed)) environment.emit(event);
      if (execution.status !== 'running') return { kind: 'ended', execution, progress };
    }
    await untilStopped(environment.sleep(restMs, signal), signal);
  }
  return { kind: 'left' };
}

const migrationIn = ({ sources }: Watch, id: string) => sources.find(({ migration }) => migration.id === id)?.migration;

/** What a pass ended with lies in its checkpoints, as long as they are kept; between two looks much is done. */
async function atItsEnd(watch: Watch, pass: RemotePass): Promise<RemotePass> {
  const at = migrationIn(watch, pass.migration)?.steps.findIndex(({ name }) => name === pass.step);
  const all = await new LedgerReader(watch.environment).allSegments(pass.migration);
  const own = all.filter(
    ({ step, generation, pass: kind, segment }) =>
      step === at && generation === pass.generation && kind === pass.pass && segment < pass.segments,
  );
  if (own.length < pass.segments) return pass;
  const counts = own.reduce((sum, record) => addCounts(sum, record.counts), noCounts);
  const units = own.reduce((sum, record) => addUnits(sum, record.units), noUnits);
  return { ...pass, counts, units, segmentsDone: own.filter(({ done }) => done).length };
}

type Look = { readonly execution: Execution; readonly progress: RemoteProgress } | { readonly failure: TablewrightError };

/** First how it stands, then the ledger: what is read of one that has ended is its end. */
async function tryLook({ executions, arn, environment }: Watch, signal: AbortSignal): Promise<Look> {
  try {
    const execution = await executions.describe(arn, signal);
    if (execution === undefined) throw unknownExecution(arn);
    return { execution, progress: await remoteProgress(environment, arn) };
  } catch (failure) {
    if (failure instanceof TablewrightError && failure.repeatable !== undefined) return { failure };
    throw failure;
  }
}

function unknownExecution(arn: string): TablewrightError {
  return new TablewrightError('RUNNER_MISSING', `Step Functions does not know the execution ${arn}`, {
    next: "Run 'tablewright status' to see how the migrations stand.",
  });
}
