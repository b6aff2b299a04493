import { expect } from 'chai';
import fc from 'fast-check';
import { planPass } from '../../../engine/core/remote/plan-pass.ts';
import { CapacityGate } from '../../../engine/run/capacity/capacity-gate.ts';
import { maxUnits } from '../../../tables/model/runner/order.ts';
import { busiestSecond, type Effect } from '../../support/busiest-second.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const latencyMs = 20;
const busyMs = 20_000;

/** What eight workers send within their shares, in time that does not depend on this machine: batches of 25 items of two units. */
async function sendByShares(budget: number, jitterMs: readonly number[]) {
  const { workers, share } = planPass([...Array(64).keys()], 8, { read: 0, write: budget }, () => 0.5);
  const clock = new FakeClock();
  const effects: Effect[] = [];
  const worker = async (at: number): Promise<void> => {
    await clock.sleep(jitterMs[at] ?? 0);
    const gate = new CapacityGate(share.write, clock);
    const line = async (): Promise<void> => {
      while (clock.steadyMs() < busyMs) {
        const units = Math.min(50, Math.max(1, Math.floor(gate.maxRequestUnits)));
        const entered = await gate.enter(units, undefined, { measured: true });
        await clock.sleep(latencyMs / 2);
        effects.push({ atMs: clock.steadyMs(), units });
        await clock.sleep(latencyMs / 2);
        if (entered !== undefined) gate.leave(entered, { kind: 'answered', consumed: units, refused: 0 });
      }
    };
    await Promise.all([line(), line(), line(), line()]);
  };
  await clock.drive(Promise.all(Array.from({ length: workers }, (_, at) => worker(at))));
  const allBusy = effects.filter(({ atMs }) => atMs >= 1_000 && atMs < busyMs);
  const used = allBusy.reduce((sum, { units }) => sum + units, 0) / ((busyMs - 1_000) / 1_000);
  return { workers, busiest: busiestSecond(effects) / budget, used: used / budget };
}

describe('the plan of a pass', () => {
  it('gives every unit once, and shares that are the budget together', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 25_000 }),
        fc.integer({ min: 1, max: 10_000 }),
        fc.record({ read: fc.integer({ min: 0, max: 1_000_000 }), write: fc.integer({ min: 0, max: 1_000_000 }) }),
        fc.float({ min: 0, max: 1, noNaN: true }),
        (count, workers, budget, chance) => {
          const left = Array.from({ length: count }, (_, at) => at * 3);
          const plan = planPass(left, workers, budget, () => chance);
          expect(plan.units.length).to.equal(Math.min(count, maxUnits));
          expect(new Set(plan.units).size).to.equal(plan.units.length);
          expect(plan.units.every((unit) => unit % 3 === 0 && unit < count * 3)).to.equal(true);
          expect(plan.workers).to.be.within(1, Math.min(workers, count));
          for (const kind of ['read', 'write'] as const) {
            expect(plan.share[kind] * plan.workers).to.be.closeTo(budget[kind], 1e-6 * Math.max(1, budget[kind]));
            if (budget[kind] >= 100) expect(plan.share[kind]).to.be.at.least(100 - 1e-9);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('has shares whose sum is within 110 % of the budget in every second, and above 90 % of it while all are busy', async () => {
    const jitter = fc.array(fc.integer({ min: 0, max: 999 }), { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 800, max: 5_000 }), jitter, async (budget, jitterMs) => {
        const { workers, busiest, used } = await sendByShares(budget, jitterMs);
        expect(workers).to.equal(8);
        expect(busiest, `busiest second of ${budget}`).to.be.at.most(1.1);
        expect(used, `used of ${budget}`).to.be.at.least(0.9);
      }),
      { numRuns: 10 },
    );
  });
});
