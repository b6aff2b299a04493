import { expect } from 'chai';
import fc from 'fast-check';
import { budgetUnits } from '../../../engine/core/capacity/budget.ts';
import { decideRetry, defaultRetryPolicy } from '../../../engine/core/store/retry-policy.ts';
import { TablewrightError } from '../../../tables/model/error.ts';

describe('the retry policy', () => {
  it('waits at most twice as long each time, never longer than its bound, and ends', () => {
    const bounds = Array.from({ length: 14 }, (_, at) => decideRetry(at + 1, 'throttled', defaultRetryPolicy, 1));
    expect(bounds.map((decision) => (decision.kind === 'retry' ? decision.delayMs : decision.kind))).to.deep.equal([
      25,
      50,
      100,
      200,
      400,
      800,
      1_600,
      3_200,
      5_000,
      5_000,
      5_000,
      5_000,
      5_000,
      'give-up',
    ]);
  });

  it('draws the delay from the whole range', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 13 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, random) => {
        const most = decideRetry(attempts, 'connection', defaultRetryPolicy, 1);
        const drawn = decideRetry(attempts, 'connection', defaultRetryPolicy, random);
        if (most.kind !== 'retry' || drawn.kind !== 'retry') throw new Error('gave up');
        expect(drawn.delayMs).to.equal(random * most.delayMs);
      }),
    );
  });
});

describe('a budget', () => {
  const provisioned = new Map([['t', 80]]);

  it('is units, a share of what is provisioned, or none', () => {
    expect(budgetUnits({ unitsPerSecond: 500 }, 't')).to.equal(500);
    expect(budgetUnits({ share: 0.25, provisioned }, 't')).to.equal(20);
    expect(budgetUnits({ unlimited: true }, 't')).to.equal(Number.POSITIVE_INFINITY);
  });

  it('is refused when it makes no sense', () => {
    const refused = [
      [{ unitsPerSecond: 0 }, 'a budget of 0 units/s: expected more than 0'],
      [{ unitsPerSecond: Number.NaN }, 'a budget of NaN units/s: expected more than 0'],
      [{ share: 1.5, provisioned }, 'a share of 1.5 of the capacity: expected more than 0, at most 1'],
      [{ share: 0.5, provisioned: new Map() }, 't: a share of its capacity was asked for, but it is on demand'],
    ] as const;
    for (const [budget, message] of refused) {
      expect(() => budgetUnits(budget, 't'))
        .to.throw(TablewrightError, message)
        .with.property('code', 'BAD_ARGUMENT');
    }
  });
});
