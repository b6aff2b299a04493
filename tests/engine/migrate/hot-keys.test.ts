import { expect } from 'chai';
import fc from 'fast-check';
import { renderPartitions } from '../../../engine/cli/migrate/render-partitions.ts';
import { type KeyLoad, segmentsPart } from '../../../engine/core/capacity/partition-ceilings.ts';
import { changeUnits, writtenEntries } from '../../../engine/core/migrate/change-units.ts';
import type { Update } from '../../../engine/core/migrate/decide-item.ts';
import { backfill, defineMigration } from '../../../engine/core/migrate/define-migration.ts';
import { planPartitions } from '../../../engine/core/migrate/partition-plan.ts';
import { CapacityGates, unlimitedGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { planRuns } from '../../../engine/run/migrate/plan.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { defineTable } from '../../../tables/model/table.ts';
import { migrate, migrateEnvironment, rollback, sourceOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, resetToys, thingOf, things, toyTables } from '../../support/toy-table.ts';

const nothing = new AbortController().signal;
const spreadOf = (total: number, keys: number, largest: string, share: number) => ({
  total,
  keys,
  exact: true,
  largest: { key: JSON.stringify({ S: largest }), share },
});

describe('the rate that partitions allow', () => {
  const parts = [
    { part: '', spread: spreadOf(1_000, 1_000, 'a', 0.001), unitsPerEntry: 1 },
    { part: 'GSI1', spread: spreadOf(1_000, 3, 'STATUS#OPEN', 0.68), unitsPerEntry: 1 },
    { part: 'GSI2', spread: spreadOf(500, 500, 'b', 0.002), unitsPerEntry: 2 },
  ];

  it('is 1,000 units a second over the share of the largest key, in units of all that is written together', () => {
    const plan = planPartitions(parts, 3_000, 8, false);
    expect(plan?.limits.map(({ part, unitsPerSecond }) => [part, Math.round(unitsPerSecond)])).to.deep.equal([
      ['', 3_000_000],
      ['GSI1', 4_412],
      ['GSI2', 1_500_000],
    ]);
    expect(plan?.limits[1]?.ownUnitsPerSecond).to.be.closeTo(1_470.6, 0.1);
    expect(plan).to.include({ heldBy: 'GSI1', segments: 8, segmentUnitsPerSecond: 24_000 });
  });

  it('is that of the segments where no key is hotter: each writes to one partition of the table at a time', () => {
    const even = parts.filter(({ part }) => part !== 'GSI1');
    expect(planPartitions(even, 2_000, 8, false)).to.include({ heldBy: 'segments', unitsPerSecond: 16_000 });
  });

  it('leaves the table’s own keys out of a sample, which would tell them wrong, and is nothing where nothing is written', () => {
    expect(planPartitions(parts, 3_000, 8, true)?.limits.map(({ part }) => part)).to.deep.equal(['GSI1', 'GSI2']);
    expect(planPartitions([], 0, 8, false)).to.equal(undefined);
  });

  it('is shown beside the budget, with what would help', () => {
    const plan = planPartitions(parts.slice(0, 2), 2_000, 8, false);
    if (plan === undefined) throw new Error('no plan');
    expect(renderPartitions(plan, 5_000)).to.deep.equal([
      'the table: 1,000 keys, the largest (a) gets 0.1 %: a partition allows 1,000,000 of its units/s, 2,000,000 of all',
      'GSI1: 3 keys, the largest (STATUS#OPEN) gets 68 %: a partition allows 1,470 of its units/s, 2,941 of all',
      '8 segments reach as many partitions of the table: 16,000 of all',
      '! partitions take 2,941 units/s (GSI1), less than the budget of 5,000: the run starts there. What helps: write sharding (a suffix that spreads the key over several), a sparse key (fewer items in the index), or a lower rate (--rate 2941 leaves the application its part)',
    ]);
    expect(renderPartitions(plan, 500).at(-1)).to.equal('partitions take 2,941 units/s, the budget is 500');
  });
});

describe('the entries that a change writes', () => {
  const table = defineTable({
    name: 'spread',
    system: 'toys',
    namespace: 'spread',
    description: 'Several indexes',
    hash: 'id',
    indexes: {
      one: { hash: 'a' },
      two: { hash: 'a', range: 'b', projection: 'KEYS_ONLY' },
      three: { hash: 'c', range: 'a' },
    },
  });
  const values = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('x', 'y'));
  const item = (plain: Readonly<Record<string, string>>): Item =>
    Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, { S: value }]));

  it('are as many as it costs units, and lie under the keys that the item had and will have', () => {
    fc.assert(
      fc.property(values, values, fc.subarray(['a', 'b', 'c', 'd']), (plain, set, gone) => {
        const before = item(plain);
        const wanted = Object.entries(item(set)).filter(
          ([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value),
        );
        const remove = gone.filter((name) => name in before && !wanted.some(([one]) => one === name));
        const touched = [...wanted.map(([name]) => name), ...remove];
        if (touched.length === 0) return;
        const change: Update = {
          kind: 'update',
          key: { id: { S: '1' } },
          set: Object.fromEntries(wanted),
          remove,
          guard: {},
          before: Object.fromEntries(Object.entries(before).filter(([name]) => touched.includes(name))),
        };
        const entries = writtenEntries(table, change, before);
        expect(entries.length).to.equal(changeUnits(table, change, 0, before));
        const after = Object.fromEntries(Object.entries({ ...before, ...change.set }).filter(([name]) => !remove.includes(name)));
        for (const { part, key } of entries.slice(1)) {
          const { name } = table.indexes.find((index) => index.name === part)?.hash[0] ?? { name: '' };
          expect([before[name], after[name]]).to.deep.include(key);
        }
      }),
    );
  });
});

describe('a plan and a run with a hot key', () => {
  const engine = useEngine(toyTables);
  const colours = (counts: Readonly<Record<string, number>>): readonly Item[] =>
    Object.entries(counts)
      .flatMap(([colour, count]) => Array.from({ length: count }, () => colour))
      .map((colour, at) => thingOf(at, { colour: { S: colour } }));

  it('count the keys of every index that the step fills, exactly, from the scan', async () => {
    await resetToys(engine(), colours({ red: 70, green: 20, blue: 10 }));
    const environment = migrateEnvironment(engine(), { tables: toyTables, overrides: { budget: { read: 1_000, write: 1_000 } } });
    const [plan] = await planRuns(environment, [{ source: sourceOf(indexColours), kind: 'fresh' }], undefined, nothing);
    const { partitions, units, etaSeconds } = plan?.steps[0] ?? {};
    const index = partitions?.limits.find(({ part }) => part === 'by_colour');
    expect(index).to.deep.include({ keys: 3, exact: true, share: 0.7, largest: '{"S":"COLOUR#red"}' });
    // Every item is written to the table and to the index, so seven of twenty units fall on one key.
    expect(index?.unitsPerSecond).to.be.closeTo(1_000 / 0.35, 1e-6);
    expect(partitions?.limits.find(({ part }) => part === '')).to.deep.include({ keys: 100, share: 0.01 });
    expect(etaSeconds).to.equal(Math.max((units?.read ?? 0) / 1_000, (units?.write ?? 0) / 1_000));
  });

  it('take as long as the partitions need, where that is more than the budget needs', async () => {
    const environment = migrateEnvironment(engine(), { tables: toyTables, overrides: { budget: { read: 0, write: 10_000 } } });
    const [plan] = await planRuns(environment, [{ source: sourceOf(indexColours), kind: 'fresh' }], undefined, nothing);
    expect(plan?.steps[0]?.etaSeconds).to.be.closeTo(200 / (1_000 / 0.35), 1e-6);
  });

  it('know the index’s keys from a sample, too', async () => {
    const environment = migrateEnvironment(engine(), { tables: toyTables });
    const [plan] = await planRuns(environment, [{ source: sourceOf(indexColours), kind: 'fresh' }], 20, nothing);
    const { partitions, sampled } = plan?.steps[0] ?? {};
    expect(sampled).to.be.within(1, 40);
    expect(partitions?.limits.map(({ part }) => part)).to.deep.equal(['by_colour']);
    expect(partitions?.limits[0]?.share).to.be.within(0.3, 1);
  });

  /** The loads that a run tells its gate, and the rate that it then has. */
  async function paced(migration: Parameters<typeof migrate>[1][number], unitsPerSecond: number | undefined) {
    const write = unitsPerSecond === undefined ? unlimitedGates() : new CapacityGates({ unitsPerSecond });
    const gate = write.of(physicalName(things, engine().config));
    const seen: { readonly loads: readonly KeyLoad[]; readonly rate: number }[] = [];
    const carry = gate.carry.bind(gate);
    gate.carry = (loads) => {
      carry(loads);
      seen.push({ loads, rate: gate.unitsPerSecond });
    };
    const overrides = { gates: { read: unlimitedGates(), write } };
    const report = await migrate(migrateEnvironment(engine(), { tables: toyTables, overrides, tuning: { segments: 3 } }), [
      migration,
    ]);
    expect(report.outcome).to.equal('done');
    return seen;
  }
  const shareOf = (loads: readonly KeyLoad[], wanted: string) => loads.find(({ part }) => part === wanted)?.share;

  it('write no faster than the partition of the hot key takes, from the first batch on', async () => {
    await resetToys(engine(), colours({ red: 120 }));
    const seen = await paced(indexColours, 20_000);
    expect(shareOf(seen[0]?.loads ?? [], 'by_colour')).to.equal(0.5);
    for (const { loads, rate } of seen.filter(({ loads: some }) => some.length > 0)) {
      expect(shareOf(loads, 'by_colour')).to.equal(0.5);
      // It may have climbed a little meanwhile.
      expect(rate).to.be.within(1, 3_000);
    }
    expect(seen.at(-1)?.loads, 'nothing is under way at the end').to.deep.equal([]);
  });

  it('write no faster than the partitions take that its segments reach, each one at a time', async () => {
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`colour ${at}`, 1]));
    await resetToys(engine(), colours(many));
    const seen = await paced(indexColours, 20_000);
    // Half of the units are the table's own, and three segments share them; the last ones have fewer beside them.
    expect(shareOf(seen[0]?.loads ?? [], segmentsPart)).to.be.closeTo(0.5 / 3, 1e-9);
    for (const { loads, rate } of seen.filter(({ loads: some }) => some.length > 0)) {
      expect(shareOf(loads, segmentsPart)).to.be.within(0.5 / 3 - 1e-9, 0.5);
      expect(rate).to.be.within(1, 7_000);
    }
    // Undone it is the same; there the journal's segments are at work.
    const write = new CapacityGates({ unitsPerSecond: 20_000 });
    const gate = write.of(physicalName(things, engine().config));
    const told: (readonly KeyLoad[])[] = [];
    gate.carry = (loads) => void told.push(loads);
    const overrides = { gates: { read: unlimitedGates(), write } };
    await rollback(migrateEnvironment(engine(), { tables: toyTables, overrides, tuning: { segments: 3 } }), [indexColours]);
    expect(shareOf(told[0] ?? [], segmentsPart)).to.be.closeTo(0.5 / 3, 1e-9);
  });

  it('see also the index that a change does not touch and is written to all the same', async () => {
    const filled = colours({ red: 60 }).map((item) => ({ ...item, 'colour-key': { S: 'COLOUR#red' } }));
    await resetToys(engine(), filled);
    const weigh = defineMigration({
      id: '0003-weigh-things',
      description: 'Things have a weight',
      steps: [
        backfill({
          name: 'weights',
          table: things,
          reads: [],
          writes: ['weight'],
          change: () => ({ set: { weight: { N: '1' } } }),
        }),
      ],
    });
    const seen = await paced(weigh, 20_000);
    expect(shareOf(seen[0]?.loads ?? [], 'by_colour')).to.equal(0.5);
  });

  it('are not held back where there is no budget', async () => {
    await resetToys(engine(), colours({ red: 30 }));
    expect(await paced(indexColours, undefined)).to.deep.equal([]);
  });
});
