import { TablewrightError } from '../../../tables/model/error.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import type { CutoverStep } from '../../core/migrate/define-migration.ts';
import { applyCutover } from '../cutover/apply-cutover.ts';
import { readState } from '../cutover/change-state.ts';
import type { CutoverEnvironment } from '../cutover/environment.ts';
import { revertCutover } from '../cutover/move-state.ts';
import type { RunContext, StepContext } from './run-context.ts';

/** Cuts the patterns over, one by one. All of them are tried; those that are refused are named together. */
export async function applyCutoverStep(run: RunContext, step: CutoverStep): Promise<boolean> {
  const environment = cutoverOf(run);
  const { steadyMs } = run.environment;
  const problems: string[] = [];
  for (const pattern of deployed(run, step)) {
    if (run.stop.aborted) return false;
    const outcome = await applyCutover(environment, pattern, { signal: run.stop, steadyMs });
    if (outcome.outcome === 'refused') problems.push(`${pattern.name}: ${outcome.reasons.join('; ')}`);
    const message = outcome.outcome === 'refused' ? `refused: ${outcome.reasons.join('; ')}` : 'read by Query, parity proven';
    run.environment.emit({ kind: 'message', migration: run.id, step: step.name, message: `${pattern.name}: ${message}` });
  }
  if (problems.length === 0) return !run.stop.aborted;
  throw new TablewrightError(
    'CHECK_FAILED',
    `${run.id}: ${problems.length} patterns cannot be cut over; they are read as before`,
    {
      problems,
      next: "Run 'tablewright cutover check --all' for the records that differ, then 'tablewright migrate' again.",
    },
  );
}

/** How many of the patterns are not read by Query. */
export async function leftToCutOver(run: RunContext, step: CutoverStep): Promise<number> {
  let left = 0;
  for (const pattern of deployed(run, step)) {
    if ((await readState(cutoverOf(run), pattern, run.stop)).state !== 'query') left += 1;
  }
  return left;
}

/** Back to the Scan, by the patterns' names: what the ledger knows of the step. Those that the catalogue lost have no reader. */
export async function revertPatterns(run: StepContext, names: readonly string[]): Promise<void> {
  const patterns = run.environment.tables.flatMap((table) => Object.values(table.patterns));
  for (const pattern of patterns.filter(({ name, legacy }) => legacy !== undefined && names.includes(name))) {
    await revertCutover(cutoverOf(run), pattern, run.stop);
  }
}

/** A stack may have some of the systems only. */
function deployed({ environment }: RunContext, step: CutoverStep): readonly Pattern[] {
  const names = new Set(environment.tables.map(({ name }) => name));
  return step.patterns.filter((pattern) => names.has(pattern.table));
}

export function cutoverOf({ environment }: StepContext): CutoverEnvironment {
  const { store, tables, config, gates, sleep, random, requestToken, digest, nowMs, actor } = environment;
  return {
    store,
    tables,
    names: config,
    gates: gates.read,
    writeGates: gates.write,
    sleep,
    random,
    requestToken,
    digest,
    nowMs,
    by: `${actor.who}@${actor.host}`,
  };
}
