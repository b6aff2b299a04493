import { isPass } from '../../core/migrate/define-migration.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { maxShownLeftovers } from './backfill/verify-segment.ts';
import { customHandle } from './custom-step.ts';
import { leftToCutOver } from './cutover-step.ts';
import { leftToDrop } from './index-steps.ts';
import type { RunContext } from './run-context.ts';
import { runPass } from './run-steps.ts';

export interface VerifyResult {
  readonly outcome: 'done' | 'interrupted';
  /** Items that the migration would still change. */
  readonly leftovers: number;
  /** Items that its function fails on. */
  readonly dead: number;
  /** Steps, by their place, that another pass would take something in of: changes, or items that fail and have no dead letter yet. */
  readonly open: readonly number[];
  readonly keys: readonly string[];
}

const notLookedAt: VerifyResult = { outcome: 'interrupted', leftovers: 0, dead: 0, open: [], keys: [] };

/** Proves that nothing is left to do, or says how much is. A stop ends it wherever it comes, also before the first page. */
export async function verifySteps(run: RunContext): Promise<VerifyResult> {
  return (await untilStopped(lookAtSteps(run), run.stop)) ?? notLookedAt;
}

async function lookAtSteps(run: RunContext): Promise<VerifyResult> {
  const left = new Map<number, number>();
  const unlettered = new Set<number>();
  let dead = 0;
  const keys: string[] = [];
  const { environment } = run;
  for (const [at, step] of run.migration.steps.entries()) {
    if (step.kind === 'custom' && step.verify !== undefined) {
      const { save: _, ...handle } = customHandle(run, step, at, (await run.reader.step(run.id, run.generation, at))?.checkpoint);
      left.set(at, await step.verify(handle));
    }
    if (step.kind === 'drop-index') left.set(at, await leftToDrop(run, step));
    if (step.kind === 'cutover') left.set(at, await leftToCutOver(run, step));
    if (!isPass(step)) continue;
    const { outcome, records } = await runPass(run, step, at, 'verify');
    if (outcome === 'interrupted') return { outcome, ...sumOf(left, unlettered), dead, keys };
    const found = records.reduce((sum, { counts }) => sum + counts.changed, 0);
    left.set(at, found);
    const failing = records.reduce((sum, { counts }) => sum + counts.dead, 0);
    dead += failing;
    if (failing > 0 && failing > (await lettersOf(run, at))) unlettered.add(at);
    const shown = records.flatMap((record) => record.leftovers).slice(0, maxShownLeftovers);
    keys.push(...shown);
    if (found > 0) environment.emit({ kind: 'leftovers', migration: run.id, step: step.name, count: found, keys: shown });
  }
  return { outcome: 'done', ...sumOf(left, unlettered), dead, keys: keys.slice(0, maxShownLeftovers) };
}

async function lettersOf({ reader, id }: RunContext, at: number): Promise<number> {
  return (await reader.dead(id)).filter(({ step }) => step === at).length;
}

function sumOf(left: ReadonlyMap<number, number>, unlettered: ReadonlySet<number>): Pick<VerifyResult, 'leftovers' | 'open'> {
  const open = [...left].filter(([at, count]) => count > 0 || unlettered.has(at));
  return { leftovers: open.reduce((sum, [, count]) => sum + count, 0), open: open.map(([at]) => at) };
}
