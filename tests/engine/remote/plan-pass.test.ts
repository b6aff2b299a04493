import { expect } from 'chai';
import fc from 'fast-check';
import { planPass } from '../../../engine/core/remote/plan-pass.ts';
import { maxUnits } from '../../../tables/model/runner/order.ts';

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
});
