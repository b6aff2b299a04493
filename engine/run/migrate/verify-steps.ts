import type { StepRecord } from '../../../tables/model/ledger/migration-records.ts';
import { isPass, type PassStep, type Step } from '../../core/migrate/define-migration.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { maxShownLeftovers } from './backfill/verify-segment.ts';
import { leftOfCustom } from './custom-step.ts';
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
    if (!isPass(step)) {
      const record = await run.reader.step(run.id, run.generation, at);
      // Of a pass its items tell. What else was not run to its end, as where a retry comes before that, is left to do.
      const isRun = record?.done === true;
      left.set(at, isRun ? await leftOf(run, step, at, record) : 1);
      if (!isRun) keys.push(`step ${step.name}, which was not run to its end`);
      continue;
    }
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

/** What a step that was run left to do, as far as anything can tell. */
async function leftOf(run: RunContext, step: Exclude<Step, PassStep>, at: number, record: StepRecord): Promise<number> {
  if (step.kind === 'drop-index') return leftToDrop(run, step);
  if (step.kind === 'cutover') return leftToCutOver(run, step);
  return step.kind === 'custom' ? leftOfCustom(run, step, at, record) : 0;
}

async function lettersOf({ reader, id }: RunContext, at: number): Promise<number> {
  return (await reader.dead(id)).filter(({ step }) => step === at).length;
}

function sumOf(left: ReadonlyMap<number, number>, unlettered: ReadonlySet<number>): Pick<VerifyResult, 'leftovers' | 'open'> {
  const open = [...left].filter(([at, count]) => count > 0 || unlettered.has(at));
  return { leftovers: open.reduce((sum, [, count]) => sum + count, 0), open: open.map(([at]) => at) };
}
