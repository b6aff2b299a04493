import { TablewrightError } from '../../../tables/model/error.ts';
import { executionRecord, type SegmentRecord, stepRecord } from '../../../tables/model/ledger/migration-records.ts';
import type { RunnerTask } from '../../../tables/model/runner/order.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { put, setMembers } from '../../core/ledger/ledger-write.ts';
import { planPass } from '../../core/remote/plan-pass.ts';
import { tooManyDead } from '../migrate/backfill/run-segment.ts';
import { type Elsewhere, Wanted } from '../migrate/elsewhere.ts';
import { type RunContext, stepOf } from '../migrate/run-context.ts';

/** Passes as `next` goes through them: their units' records decide. */
export function lookUp(
  { order, execution }: RunnerTask,
  options: { readonly stopping: boolean; readonly inline: boolean },
): Elsewhere {
  return {
    stopping: options.stopping,
    step: () => {
      if (!options.inline) throw new Wanted({ kind: 'inline' });
    },
    wait: (seconds) => {
      if (!options.inline) throw new Wanted({ kind: 'wait', seconds });
    },
    pass: async (run, at, pass, segments) => {
      const { token } = run.ledger.lease;
      const place = { migration: run.id, generation: run.generation, step: at, pass };
      const records = await unitsOf(run, place, token);
      await refuseFailure(run, place, token);
      const dead = records.reduce((sum, { counts }) => sum + counts.dead, 0);
      if (pass === 'apply' && dead > run.environment.tuning.maxDeadLetters) throw tooManyDead(run.environment, run.id);
      const done = new Set(records.filter((record) => record.done).map(({ segment }) => segment));
      const left = Array.from({ length: segments }, (_, segment) => segment).filter((segment) => !done.has(segment));
      if (left.length === 0) return records;
      // The step's own record first: without it a local run would not know that workers may be at its units.
      await run.ledger.commit([setMembers(stepRecord, stepOf(run, at), { spread: true })]);
      const { workers, share, units } = planPass(left, order.workers, order.budget, run.environment.random);
      const { budget } = order;
      const startedAt = isoOfEpochMs(run.environment.nowMs());
      await run.ledger.commit([
        put(executionRecord, { ...place, executionArn: execution.Id, startedAt, token, workers, budget }),
      ]);
      throw new Wanted({ kind: 'pass', pass: { ...place, segments, token, share }, units, workers });
    },
  };
}

type PassPlace = Pick<SegmentRecord, 'migration' | 'generation' | 'step' | 'pass'>;

/** What an earlier run has looked at is no proof of how things are now. */
async function unitsOf({ reader }: RunContext, place: PassPlace, token: number): Promise<readonly SegmentRecord[]> {
  const all = await reader.allSegments(place.migration);
  return all.filter(
    (record) =>
      record.generation === place.generation &&
      record.step === place.step &&
      record.pass === place.pass &&
      (place.pass !== 'verify' || record.token === token),
  );
}

async function refuseFailure({ reader }: RunContext, place: PassPlace, token: number): Promise<void> {
  const known = await reader.execution(place);
  if (known?.token !== token || known.error === undefined) return;
  const { code, message } = known.error;
  throw new TablewrightError(code === 'TOO_MANY_DEAD_LETTERS' ? code : 'MIGRATION_FAILED', message, {
    next: `Correct it, then run it again; 'tablewright history ${place.migration}' shows what happened.`,
  });
}
