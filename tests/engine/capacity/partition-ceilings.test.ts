import { expect } from 'chai';
import fc from 'fast-check';
import { CapacityLimiter, type Reservation } from '../../../engine/core/capacity/capacity-limiter.ts';
import {
  type KeyLoad,
  PartitionCeilings,
  partitionWriteUnits,
  segmentsPart,
} from '../../../engine/core/capacity/partition-ceilings.ts';
import { busiestSecond, type Effect } from '../../support/busiest-second.ts';
import { seededRandom } from '../../support/fault-proxy.ts';

const arn = 'arn:aws:dynamodb:us-east-1:123456789012:table/orders-dev';
const keyRange = (index?: string) =>
  index === undefined
    ? { reason: 'TableWriteKeyRangeThroughputExceeded', resource: arn }
    : { reason: 'IndexWriteKeyRangeThroughputExceeded', resource: `${arn}/index/${index}` };

interface World {
  readonly budget: number;
  readonly loads: readonly KeyLoad[];
  /** What the busiest key's partition takes in a second, by time. */
  readonly keyCapacity: (ms: number) => number;
  /** The part of all units that falls on that key. */
  readonly share: number;
  readonly seconds: number;
  readonly knows?: boolean;
}

/** A table whose busiest key lies in one partition, which refuses what is too much for it. Requests take 5 ms. */
function simulate({ budget, loads, keyCapacity, share, seconds, knows = true }: World) {
  const random = seededRandom(5);
  const limiter = new CapacityLimiter(budget, 0);
  limiter.carry(loads);
  const flying: { readonly backMs: number; readonly reservation: Reservation; readonly refused: number }[] = [];
  const effects: (Effect & { readonly refused: number })[] = [];
  let left = keyCapacity(0);
  let rateAtStart = 0;
  for (let now = 0; now < seconds * 1_000; now += 1) {
    left = Math.min(keyCapacity(now) / 10, left + keyCapacity(now) / 1_000);
    for (const one of flying.filter(({ backMs }) => backMs <= now)) {
      flying.splice(flying.indexOf(one), 1);
      const consumed = one.reservation.estimate - one.refused;
      const reasons = knows ? [keyRange(loads[0]?.part)] : undefined;
      limiter.settle(one.reservation, { kind: 'answered', consumed, refused: one.refused, reasons }, now);
    }
    for (let tries = 0; tries < 40 && limiter.waitMs(5, now) === 0; tries += 1) {
      const hot = random() < share ? 5 : 0;
      const isTaken = hot === 0 || left >= hot;
      if (isTaken) left -= hot;
      flying.push({ backMs: now + 5, reservation: limiter.take(5, now), refused: isTaken ? 0 : 5 });
      effects.push({ atMs: now, units: isTaken ? 5 : 0, refused: isTaken ? 0 : 5 });
    }
    if (now === 1_000) rateAtStart = limiter.status(now).rate;
  }
  const between = (fromMs: number, toMs: number) => {
    const chosen = effects.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    const accepted = chosen.reduce((sum, { units }) => sum + units, 0);
    const refused = chosen.reduce((sum, entry) => sum + entry.refused, 0);
    return { perSecond: accepted / ((toMs - fromMs) / 1_000), refusedShare: refused / Math.max(1, accepted + refused) };
  };
  return { limiter, effects, between, rateAtStart };
}

describe('a write rate with a hot key', () => {
  const hot = { budget: 20_000, loads: [{ part: 'GSI1', share: 0.5 }], share: 0.5, seconds: 60 };

  it('starts at what the key’s partition takes, and hardly anything is refused', () => {
    const { rateAtStart, between } = simulate({ ...hot, keyCapacity: () => partitionWriteUnits });
    expect(rateAtStart).to.be.within(1_900, 2_200);
    expect(between(0, 60_000).refusedShare).to.be.lessThan(0.02);
    expect(between(0, 60_000).perSecond).to.be.within(1_500, 2_100);
  });

  it('would be refused a large part of its work if it started at the budget', () => {
    const { between } = simulate({ ...hot, loads: [], keyCapacity: () => partitionWriteUnits });
    expect(between(0, 5_000).refusedShare).to.be.greaterThan(0.1);
  });

  it('goes up when DynamoDB has split the key', () => {
    const { between } = simulate({ ...hot, seconds: 90, keyCapacity: () => 4 * partitionWriteUnits });
    expect(between(80_000, 90_000).perSecond).to.be.greaterThan(6_000);
    expect(between(0, 90_000).refusedShare).to.be.lessThan(0.02);
  });

  it('leaves the application what it uses of the partition: a refusal brings it down for half a minute', () => {
    const { between } = simulate({ ...hot, seconds: 40, keyCapacity: () => partitionWriteUnits / 2 });
    expect(between(10_000, 30_000).refusedShare).to.be.lessThan(0.02);
    expect(between(10_000, 30_000).perSecond).to.be.within(600, 1_050);
  });

  it('comes down also when nobody says what was refused', () => {
    const { between } = simulate({ ...hot, seconds: 30, knows: false, keyCapacity: () => partitionWriteUnits / 2 });
    expect(between(10_000, 30_000).refusedShare).to.be.lessThan(0.02);
  });

  it('comes down for the segments as for the keys when a partition of the table itself is full', () => {
    const ceilings = new PartitionCeilings(0);
    const loads = [
      { part: '', share: 0.001 },
      { part: segmentsPart, share: 0.1 },
    ];
    ceilings.carry(loads);
    expect(ceilings.lowest).to.deep.equal({ part: segmentsPart, share: 0.1, unitsPerSecond: 10_000 });
    ceilings.refused([keyRange('GSI1')], 1_000);
    expect(ceilings.lowest?.unitsPerSecond).to.equal(10_000);
    ceilings.refused([keyRange()], 2_000);
    expect(ceilings.lowest?.unitsPerSecond).to.equal(8_000);
  });

  it('says that it is the key that makes it slow, and by how much', () => {
    const limiter = new CapacityLimiter(10_000, 0);
    limiter.carry([
      { part: '', share: 0.001 },
      { part: 'GSI1', share: 0.25 },
    ]);
    limiter.settle(limiter.take(1, 0), { kind: 'answered', consumed: 1, refused: 0 }, 1);
    while (limiter.waitMs(100, 10) === 0)
      limiter.settle(limiter.take(100, 10), { kind: 'answered', consumed: 100, refused: 0 }, 10);
    const { slow, rate } = limiter.status(20);
    expect(slow).to.deep.equal({ kind: 'partition', part: 'GSI1', share: 0.25, unitsPerSecond: rate });
    expect(rate).to.be.within(4_000, 4_010);
  });

  it('names what DynamoDB named, for as long as it refuses', () => {
    const limiter = new CapacityLimiter(1_000, 0);
    limiter.settle(limiter.take(1, 0), { kind: 'answered', consumed: 1, refused: 0 }, 1);
    const refuse = (ms: number, reasons: ReturnType<typeof keyRange>[] | undefined) =>
      limiter.settle(limiter.take(100, ms), { kind: 'answered', consumed: 0, refused: 100, reasons }, ms);
    refuse(200, [keyRange('GSI1')]);
    refuse(400, [{ reason: 'ThrottlingError' } as ReturnType<typeof keyRange>]);
    refuse(500, undefined);
    expect(limiter.status(500).slow).to.deep.include({ kind: 'refused', reasons: [keyRange('GSI1')] });
    expect(limiter.reasons.wantsName(500), 'it is known').to.equal(false);
    expect(limiter.reasons.wantsName(11_000), 'long ago').to.equal(true);
    expect(limiter.reasons.wantsName(11_001), 'somebody is finding out').to.equal(false);
  });

  it('never exceeds its budget, however the units fall on keys and whatever is refused', () => {
    const loads = fc.array(
      fc.record({ part: fc.constantFrom('', 'GSI1', 'GSI2'), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
      { maxLength: 3 },
    );
    const property = fc.property(
      fc.integer({ min: 120, max: 8_000 }),
      fc.array(loads, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      (budget, carried, seed) => {
        const random = seededRandom(seed);
        const limiter = new CapacityLimiter(budget, 0);
        const effects: Effect[] = [];
        for (let now = 0; now < 12_000; now += 1) {
          if (now % 1_000 === 0) limiter.carry(carried[(now / 1_000) % carried.length] ?? []);
          const estimate = Math.max(1, limiter.maxRequestUnits);
          if (limiter.waitMs(estimate, now) > 0) continue;
          const refused = random() < 0.05 ? estimate : 0;
          const reasons = random() < 0.5 ? [keyRange('GSI1')] : [];
          const consumed = estimate - refused;
          limiter.settle(limiter.take(estimate, now), { kind: 'answered', consumed, refused, reasons }, now);
          effects.push({ atMs: now, units: consumed });
        }
        expect(busiestSecond(effects)).to.be.at.most(budget * 1.1);
        expect(limiter.unitsPerSecond).to.be.at.most(budget);
      },
    );
    fc.assert(property, { numRuns: 25 });
  });

  it('holds nothing back without a budget: servers on this machine have no partitions', () => {
    const limiter = new CapacityLimiter(Number.POSITIVE_INFINITY, 0);
    limiter.carry([{ part: 'GSI1', share: 1 }]);
    expect(limiter.unitsPerSecond).to.equal(Number.POSITIVE_INFINITY);
  });
});

describe('the ceilings of keys', () => {
  const loads = [
    { part: 'GSI1', share: 0.5 },
    { part: 'GSI2', share: 0.45 },
  ];

  it('fall one by one, each by what is refused of its own index', () => {
    const ceilings = new PartitionCeilings(0);
    ceilings.carry(loads);
    expect(ceilings.lowest).to.deep.equal({ part: 'GSI1', share: 0.5, unitsPerSecond: 2_000 });
    ceilings.refused([keyRange('GSI2')], 10);
    expect(ceilings.lowest).to.deep.equal({ part: 'GSI2', share: 0.45, unitsPerSecond: 800 / 0.45 });
    ceilings.refused([keyRange('GSI2')], 500);
    expect(ceilings.lowest?.unitsPerSecond, 'once a second').to.equal(800 / 0.45);
    ceilings.refused([keyRange('GSI2')], 1_020);
    expect(ceilings.lowest?.unitsPerSecond).to.be.closeTo(640 / 0.45, 1e-9);
  });

  it('stay when it is another limit that was reached', () => {
    const ceilings = new PartitionCeilings(0);
    ceilings.carry(loads);
    for (const limit of ['ProvisionedThroughputExceeded', 'MaxOnDemandThroughputExceeded', 'AccountLimitExceeded']) {
      ceilings.refused([{ reason: `IndexWrite${limit}`, resource: `${arn}/index/GSI1` }], 10);
    }
    expect(ceilings.lowest?.unitsPerSecond).to.equal(2_000);
  });

  it('rise only while they are what holds the work up', () => {
    const ceilings = new PartitionCeilings(0);
    ceilings.carry(loads);
    ceilings.climb(60_000, false);
    expect(ceilings.lowest?.unitsPerSecond).to.equal(2_000);
    for (let now = 60_100; now <= 85_000; now += 100) ceilings.climb(now, true);
    expect(ceilings.lowest?.unitsPerSecond).to.be.within(3_000, 5_000);
  });
});
