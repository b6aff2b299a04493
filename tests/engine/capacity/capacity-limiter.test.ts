import { expect } from 'chai';
import fc from 'fast-check';
import { CapacityLimiter, type Reservation, windowShare } from '../../../engine/core/capacity/capacity-limiter.ts';
import { busiestSecond, type Effect } from '../../support/busiest-second.ts';
import { seededRandom } from '../../support/fault-proxy.ts';

interface Load {
  readonly budget: number;
  readonly seconds: number;
  /** What a unit of the estimate really costs. */
  readonly ratio: number;
  readonly maxLatencyMs: number;
  readonly maxStallMs: number;
  readonly seed: number;
  /** From then on everything costs what was estimated. */
  readonly dearerAfterMs?: number;
}

/** Sends as much as the limiter lets through, with random latencies and pauses; when the store consumed what. */
function simulate({ budget, seconds, ratio, maxLatencyMs, maxStallMs, seed, dearerAfterMs }: Load): readonly Effect[] {
  const random = seededRandom(seed);
  const limiter = new CapacityLimiter(budget, 0);
  const flying: { readonly backMs: number; readonly reservation: Reservation; readonly units: number }[] = [];
  const effects: Effect[] = [];
  let now = 0;
  while (now < seconds * 1_000) {
    for (const one of flying.filter((other) => other.backMs <= now)) {
      flying.splice(flying.indexOf(one), 1);
      limiter.settle(one.reservation, { kind: 'answered', consumed: one.units, refused: 0 }, one.backMs);
    }
    const estimate = Math.max(1, limiter.maxRequestUnits * (0.5 + random() / 2));
    const waitMs = limiter.waitMs(estimate, now);
    if (waitMs === 0) {
      const latency = 1 + random() * maxLatencyMs;
      const units = now > (dearerAfterMs ?? Number.POSITIVE_INFINITY) ? estimate : estimate * ratio;
      flying.push({ backMs: now + latency, reservation: limiter.take(estimate, now), units });
      effects.push({ atMs: now + random() * latency, units });
      continue;
    }
    const back = Math.min(...flying.map((one) => one.backMs));
    now = Math.max(now, Math.min(now + waitMs, back)) + (random() < 0.02 ? random() * maxStallMs : 0);
  }
  return effects;
}

const total = (effects: readonly Effect[]): number => effects.reduce((sum, { units }) => sum + units, 0);

// The dearest single item takes a twentieth of a second's budget; with dearer ones, whole items do not fill a second.
const loads = fc.record({
  budget: fc.integer({ min: 120, max: 40_000 }),
  seconds: fc.constant(20),
  ratio: fc.double({ min: 0.34, max: 6, noNaN: true }),
  maxLatencyMs: fc.integer({ min: 1, max: 60 }),
  maxStallMs: fc.integer({ min: 0, max: 80 }),
  seed: fc.nat(),
});

describe('the capacity limiter', () => {
  it('keeps every one-second window within a tenth above the budget, whatever the latency, pauses and real cost', () => {
    fc.assert(
      fc.property(loads, (load) => {
        // The very first request goes at the estimate; the real cost is known only from its answer.
        const first = load.budget * 0.05 * Math.max(0, load.ratio - 1);
        expect(busiestSecond(simulate(load))).to.be.at.most(load.budget * 1.1 + first);
      }),
      { numRuns: 60 },
    );
  });

  it('uses at least 95 % of the budget over 20 s', () => {
    fc.assert(
      fc.property(loads, (load) => {
        expect(total(simulate(load)) / (load.budget * load.seconds)).to.be.at.least(0.95);
      }),
      { numRuns: 60 },
    );
  });

  it('lets nothing through beyond its window even when every answer takes seconds', () => {
    const effects = simulate({ budget: 1_000, seconds: 20, ratio: 1, maxLatencyMs: 5_000, maxStallMs: 0, seed: 7 });
    expect(busiestSecond(effects)).to.be.at.most(1_000 * windowShare);
  });

  it('holds also when work becomes three times as dear from one request to the next', () => {
    fc.assert(
      fc.property(loads, (load) => {
        const effects = simulate({ ...load, ratio: 1 / 3, dearerAfterMs: 10_000 });
        expect(busiestSecond(effects)).to.be.at.most(load.budget * 1.1);
      }),
      { numRuns: 40 },
    );
  });

  it('sends one request and waits for its answer before it knows what requests cost', () => {
    const limiter = new CapacityLimiter(100, 0);
    expect(limiter.waitMs(5, 0)).to.equal(0);
    const first = limiter.take(5, 0);
    expect(limiter.waitMs(1, 1)).to.be.greaterThan(0);
    expect(limiter.status(1).slow).to.deep.equal({ kind: 'learning' });
    limiter.settle(first, { kind: 'answered', consumed: 20, refused: 0 }, 10);
    expect(limiter.status(10).costRatio).to.equal(4);
    expect(limiter.maxRequestUnits).to.equal((100 * 0.05) / 4);
  });

  it('lets an item dearer than a whole second go alone, and makes up for it', () => {
    const limiter = new CapacityLimiter(100, 0);
    expect(limiter.waitMs(1_600, 0)).to.equal(0);
    limiter.settle(limiter.take(1_600, 0), { kind: 'answered', consumed: 1_600, refused: 0 }, 10);
    expect(limiter.waitMs(1, 10)).to.be.closeTo(15_990, 1);
    expect(limiter.waitMs(1, 16_001)).to.equal(0);
  });

  it('gives back what was set aside for a request that was never sent', () => {
    const limiter = learned(100);
    limiter.settle(limiter.take(5, 1_000), { kind: 'cancelled' }, 1_001);
    expect(limiter.waitMs(5, 1_001)).to.equal(0);
  });

  it('counts a request that failed on the way as used', () => {
    const limiter = learned(100);
    for (let sent = 0; sent < 11; sent += 1) limiter.settle(limiter.take(10, 2_000), { kind: 'unknown' }, 2_000);
    expect(limiter.waitMs(10, 2_000)).to.be.greaterThan(0);
  });

  it('says that the budget is why work waits, and no longer when it does not', () => {
    const limiter = learned(100);
    while (limiter.waitMs(5, 1_000) === 0) limiter.settle(limiter.take(5, 1_000), answered(5), 1_000);
    expect(limiter.status(1_000).slow).to.deep.equal({ kind: 'budget', unitsPerSecond: 100 });
    expect(limiter.status(2_500).slow).to.equal(undefined);
  });
});

describe('the capacity limiter when the store refuses', () => {
  it('falls to a small part of its rate within a second of refusals of everything, and climbs back to the budget', () => {
    const limiter = learned(1_000);
    let now = 1_000;
    const refuseAll = (untilMs: number): void => {
      for (; now < untilMs; now += 10) {
        if (limiter.waitMs(10, now) === 0)
          limiter.settle(limiter.take(10, now), { kind: 'answered', consumed: 0, refused: 10 }, now);
      }
    };
    refuseAll(2_200);
    const { rate, slow } = limiter.status(now);
    expect(rate).to.be.lessThan(150);
    expect(slow).to.deep.equal({ kind: 'refused', share: 1, unitsPerSecond: rate });
    for (const stop = now + 30_000; now < stop; now += 10) {
      if (limiter.waitMs(1, now) === 0) limiter.settle(limiter.take(1, now), answered(1), now);
    }
    expect(limiter.status(now).rate).to.equal(1_000);
  });

  it('never falls to nothing', () => {
    const limiter = learned(1_000);
    for (let now = 1_000; now < 60_000; now += 10) {
      if (limiter.waitMs(1, now) === 0) limiter.settle(limiter.take(1, now), { kind: 'answered', consumed: 0, refused: 1 }, now);
    }
    expect(limiter.status(60_000).rate).to.be.at.least(10);
  });

  it('loses no more than what was refused while that is only 2 %', () => {
    for (const budget of [500, Number.POSITIVE_INFINITY]) {
      const limiter = learned(budget);
      const random = seededRandom(3);
      let accepted = 0;
      for (let now = 1_000; now < 21_000; now += 4) {
        if (limiter.waitMs(2, now) > 0) continue;
        const refused = random() < 0.02 ? 2 : 0;
        limiter.settle(limiter.take(2, now), { kind: 'answered', consumed: 2 - refused, refused }, now);
        accepted += 2 - refused;
      }
      expect(accepted / 10_000).to.be.at.least(0.95);
    }
  });

  it('settles close below what the table can take when the budget is more than that', () => {
    const capacity = 400;
    const limiter = learned(Number.POSITIVE_INFINITY);
    let left = capacity;
    let accepted = 0;
    let refused = 0;
    for (let now = 1_000; now < 61_000; now += 1) {
      left = Math.min(capacity, left + capacity / 1_000);
      for (let tries = 0; tries < 4 && limiter.waitMs(1, now) === 0; tries += 1) {
        const isTaken = left >= 1;
        if (isTaken) left -= 1;
        limiter.settle(limiter.take(1, now), { kind: 'answered', consumed: isTaken ? 1 : 0, refused: isTaken ? 0 : 1 }, now);
        if (now < 31_000) continue;
        if (isTaken) accepted += 1;
        else refused += 1;
      }
    }
    expect(accepted / 30).to.be.within(capacity * 0.9, capacity * 1.02);
    expect(refused / (accepted + refused)).to.be.lessThan(0.08);
  });
});

const answered = (consumed: number) => ({ kind: 'answered', consumed, refused: 0 }) as const;

/** A limiter that has had its first answer, at the cost expected. */
function learned(budget: number): CapacityLimiter {
  const limiter = new CapacityLimiter(budget, 0);
  limiter.settle(limiter.take(1, 0), answered(1), 1);
  return limiter;
}
