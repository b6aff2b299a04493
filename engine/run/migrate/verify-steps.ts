import { isPass } from '../../core/migrate/define-migration.ts';
import { maxShownLeftovers } from './backfill/verify-segment.ts';
import { customHandle } from './custom-step.ts';
import { leftToCutOver } from './cutover-step.ts';
import type { RunContext } from './run-context.ts';
import { runPass } from './run-steps.ts';

export interface VerifyResult {
  readonly outcome: 'done' | 'interrupted';
  /** Items that the migration would still change. */
  readonly leftovers: number;
  /** Items that its function fails on. */
  readonly dead: number;
  readonly keys: readonly string[];
}

/** Proves that nothing is left to do, or says how much is. */
export async function verifySteps(run: RunContext): Promise<VerifyResult> {
  let leftovers = 0;
  let dead = 0;
  const keys: string[] = [];
  const { environment } = run;
  for (const [at, step] of run.migration.steps.entries()) {
    if (step.kind === 'custom' && step.verify !== undefined) {
      const { save: _, ...handle } = customHandle(run, step, at, (await run.reader.step(run.id, run.generation, at))?.checkpoint);
      leftovers += await step.verify(handle);
    }
    if (step.kind === 'cutover') leftovers += await leftToCutOver(run, step);
    if (!isPass(step)) continue;
    const { outcome, records } = await runPass(run, step, at, 'verify');
    if (outcome === 'interrupted') return { outcome, leftovers, dead, keys };
    const found = records.reduce((sum, { counts }) => sum + counts.changed, 0);
    leftovers += found;
    dead += records.reduce((sum, { counts }) => sum + counts.dead, 0);
    const shown = records.flatMap((record) => record.leftovers).slice(0, maxShownLeftovers);
    keys.push(...shown);
    if (found > 0) environment.emit({ kind: 'leftovers', migration: run.id, step: step.name, count: found, keys: shown });
  }
  return { outcome: 'done', leftovers, dead, keys: keys.slice(0, maxShownLeftovers) };
}
