import { expect } from 'chai';
import fc from 'fast-check';
import { maxBatchGetKeys } from '../../../engine/core/write/batch-limits.ts';
import { CapacityGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { batchGetAll, getOne } from '../../../engine/run/store/read-keys.ts';
import type { ReadContext } from '../../../engine/run/store/read-pages.ts';
import { queryAll, scanPage, scanPages } from '../../../engine/run/store/read-pages.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import type { RetryCause } from '../../../tables/model/error.ts';
import { busiestSecond } from '../../support/busiest-second.ts';
import { failureOf } from '../../support/failure-of.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeTable, type FakeTableOptions, keyOfNumber, numberOf } from '../../support/fake-table.ts';
import { seededRandom } from '../../support/fault-proxy.ts';

const key = { hash: { name: 'id', type: 'N' } } as const;
const keysOf = (keys: readonly Item[], consistent = false) => ({ table: { name: 't', key }, keys, consistent });
const query = { TableName: 't', KeyConditionExpression: 'x', ScanIndexForward: true };

interface Bed {
  readonly clock: FakeClock;
  readonly table: FakeTable;
  readonly context: ReadContext & { readonly store: FakeTable };
}

function bed(options: FakeTableOptions, unitsPerSecond?: number, seed = 1): Bed {
  const clock = new FakeClock();
  const table = new FakeTable(clock, options);
  const gates = new CapacityGates(unitsPerSecond === undefined ? { unlimited: true } : { unitsPerSecond }, clock);
  const sleep = (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal);
  return { clock, table, context: { store: table, gates, sleep, random: seededRandom(seed) } };
}

/** Some of the answers fail or are left undone, by the seed. */
function trouble(seed: number, share: number): Pick<FakeTableOptions, 'fails' | 'leaves' | 'latencyMs'> {
  const random = seededRandom(seed);
  const causes: readonly RetryCause[] = ['throttled', 'connection', 'server-error'];
  return {
    fails: () => (random() < share ? causes[Math.floor(random() * 3)] : undefined),
    leaves: () => random() < share,
    latencyMs: () => 1 + random() * 40,
  };
}

/** Items that resemble each other within a factor of two, as those of a table mostly do. */
const sizes = fc.record({ base: fc.integer({ min: 50, max: 20_000 }), spread: fc.double({ min: 0, max: 1, noNaN: true }) });
type Sizes = { readonly base: number; readonly spread: number };
const bytesOf =
  ({ base, spread }: Sizes) =>
  (id: number) =>
    Math.round(base * (1 + spread * ((id * 7_919) % 101) * 0.01));
const largest = (size: Sizes, consistent: boolean): number => Math.ceil((size.base * 2) / 4_096) * (consistent ? 1 : 0.5);

async function scanAll({ context }: Bed, consistent: boolean, segmentsAtOnce: number): Promise<number[]> {
  const found: number[][] = await Promise.all(
    Array.from({ length: segmentsAtOnce }, async () => {
      const ids: number[] = [];
      for await (const page of scanPages(context, { TableName: 't', ConsistentRead: consistent })) {
        ids.push(...page.items.map(numberOf));
      }
      return ids;
    }),
  );
  expect(new Set(found.map(String)).size).to.equal(1);
  return found[0] ?? [];
}

describe('pages within a budget', () => {
  it('give every item once and keep every one-second window within a tenth above the budget', async () => {
    await fc.assert(
      fc.asyncProperty(
        sizes,
        fc.integer({ min: 20, max: 2_000 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(),
        async (size, budget, consistent, atOnce, seed) => {
          const one = bed({ items: 300, bytes: bytesOf(size), ...trouble(seed, 0.02) }, budget, seed);
          const ids = await one.clock.drive(scanAll(one, consistent, atOnce));
          expect(ids).to.deep.equal(Array.from({ length: 300 }, (_, id) => id));
          const most = Math.max(budget * 1.1, budget + largest(size, consistent));
          expect(busiestSecond(one.table.effects)).to.be.at.most(most);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('use at least nine tenths of the budget', async () => {
    for (const base of [200, 3_000]) {
      const one = bed({ items: 40_000, bytes: () => base, latencyMs: () => 10 }, 100);
      await one.clock.drive(scanAll(one, false, 2));
      const used = one.table.effects.reduce((sum, { units }) => sum + units, 0);
      expect(used / (one.clock.steadyMs() / 1_000)).to.be.at.least(90);
    }
  });

  it('grow where each of them takes long, however small, until 95 % of the budget are used', async () => {
    for (const pageMs of [20, 40, 60]) {
      let busyUntilMs = 0;
      const clock = new FakeClock();
      // As the embedded engine does it: one page after the other, for a time that hardly depends on its size.
      const latencyMs = (): number => {
        busyUntilMs = Math.max(busyUntilMs, clock.steadyMs()) + pageMs;
        return busyUntilMs - clock.steadyMs();
      };
      const table = new FakeTable(clock, { items: 60_000, bytes: () => 600, latencyMs });
      const gates = new CapacityGates({ unitsPerSecond: 300 }, clock);
      const sleep = (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal);
      await clock.drive(scanAll({ clock, table, context: { store: table, gates, sleep, random: seededRandom(1) } }, false, 4));
      const used = table.effects.reduce((sum, { units }) => sum + units, 0) / (clock.steadyMs() / 1_000);
      expect(used, `${pageMs} ms a page`).to.be.at.least(285);
      expect(busiestSecond(table.effects), `${pageMs} ms a page`).to.be.at.most(330);
    }
  });

  it('are full ones where nothing limits them, or where a full one is small against the budget', async () => {
    for (const budget of [undefined, 3_000]) {
      const one = bed({ items: 2_000, bytes: () => 1_024 }, budget);
      await one.clock.drive(scanAll(one, false, 1));
      expect(one.table.requests.map(({ limit }) => limit)).to.deep.equal([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
    }
  });

  it('begin with one item and grow: nothing is known of the items before the first answer', async () => {
    const one = bed({ items: 5_000, bytes: () => 100 }, 1_000);
    await one.clock.drive(scanAll(one, false, 1));
    expect(one.table.requests.slice(0, 4).map(({ limit }) => limit)).to.deep.equal([1, 8, 64, 512]);
  });

  it('are no larger than was asked for', async () => {
    const one = bed({ items: 50, bytes: () => 100 });
    const page = await one.clock.drive(scanPage(one.context, { TableName: 't', Limit: 7 }));
    expect(page.items).to.have.length(7);
    expect(one.table.requests).to.deep.equal([{ limit: 7 }]);
  });

  it('of a query are followed to its end', async () => {
    const one = bed({ items: 1_500, bytes: () => 4_000, ...trouble(3, 0.05) }, 400);
    const all = await one.clock.drive(queryAll(one.context, query));
    expect(all.items.map(numberOf)).to.deep.equal(Array.from({ length: 1_500 }, (_, id) => id));
    expect(all.pages).to.be.greaterThan(10);
  });
});

describe('items by their keys within a budget', () => {
  it('are each read once, whatever is left unprocessed, within a tenth above the budget', async () => {
    await fc.assert(
      fc.asyncProperty(
        sizes,
        fc.integer({ min: 20, max: 2_000 }),
        fc.boolean(),
        fc.array(fc.nat(250), { minLength: 1, maxLength: 400 }),
        fc.nat(),
        async (size, budget, consistent, ids, seed) => {
          const one = bed({ items: 200, bytes: bytesOf(size), ...trouble(seed, 0.05) }, budget, seed);
          const found = await one.clock.drive(batchGetAll(one.context, keysOf(ids.map(keyOfNumber), consistent)));
          const expected = [...new Set(ids)].filter((id) => id < 200).toSorted((a, b) => a - b);
          expect([...found.items.values()].map(numberOf).toSorted((a, b) => a - b)).to.deep.equal(expected);
          const most = Math.max(budget * 1.1, budget + largest(size, consistent));
          expect(busiestSecond(one.table.effects)).to.be.at.most(most);
          const paid = one.table.effects.reduce((sum, { units }) => sum + units, 0);
          expect(found.units).to.equal(paid);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('go a hundred at a time where nothing limits them, and never the same one twice in a request', async () => {
    const one = bed({ items: 250, bytes: () => 100 });
    const twice = [...Array(250).keys(), ...Array(250).keys()].map(keyOfNumber);
    const spelt = [{ id: { N: '1.0' } }, { id: { N: '1' }, other: { S: 'not a key' } }];
    const found = await one.clock.drive(batchGetAll(one.context, keysOf([...twice, ...spelt])));
    expect(found.items.size).to.equal(250);
    expect(one.table.requests.map(({ keys }) => keys?.length)).to.deep.equal([maxBatchGetKeys, maxBatchGetKeys, 50]);
  });

  it('are given up when they stay unprocessed', async () => {
    const one = bed({ items: 3, bytes: () => 100, leaves: () => true });
    const error = await failureOf(one.clock.drive(batchGetAll(one.context, keysOf([0, 1, 2].map(keyOfNumber)))));
    expect(error).to.include({ code: 'THROTTLED', message: 't: 3 records were still unread after 14 tries' });
  });

  it('cost what the largest of them costs: one alone is read by one request', async () => {
    const one = bed({ items: 3, bytes: () => 40_000 });
    const found = await one.clock.drive(getOne(one.context, { TableName: 't', Key: keyOfNumber(2), ConsistentRead: true }));
    expect(found).to.deep.equal({ item: keyOfNumber(2), units: 10 });
  });
});

describe('a read that fails', () => {
  it('goes again after a connection that was reset, and says so', async () => {
    const failures: (RetryCause | undefined)[] = ['connection', 'connection', undefined];
    const one = bed({ items: 1, bytes: () => 100, fails: () => failures.shift() });
    const told: unknown[] = [];
    const context = { ...one.context, onRetry: (event: object) => void told.push(event) };
    const page = await one.clock.drive(scanPage(context, { TableName: 't' }));
    expect(page.items).to.deep.equal([keyOfNumber(0)]);
    expect(told).to.have.length(2);
    expect(told[0]).to.include({ table: 't', cause: 'connection' });
  });

  it('is given up after the policy’s tries, with the last failure and their number', async () => {
    const one = bed({ items: 1, bytes: () => 100, fails: () => 'throttled' });
    const error = await failureOf(one.clock.drive(scanPage(one.context, { TableName: 't' })));
    expect(error).to.include({ code: 'STORE_FAILED', message: 't: throttled, after 14 tries' });
    expect(one.table.requests).to.have.length(14);
  });

  it('is not repeated when no repetition can mend it', async () => {
    const one = bed({ items: 1, bytes: () => 100, fails: () => 'forbidden' });
    const error = await failureOf(one.clock.drive(scanPage(one.context, { TableName: 't' })));
    expect(error).to.have.property('message', 't: AccessDeniedException: no');
    expect(one.table.requests).to.have.length(1);
  });

  it('waits for no answer three times at most', async () => {
    const one = bed({ items: 1, bytes: () => 100, fails: () => 'no-answer' });
    const error = await failureOf(one.clock.drive(scanPage(one.context, { TableName: 't' })));
    expect(error).to.have.property('message', 't: no-answer, after 3 tries');
  });
});

describe('a read that is stopped', () => {
  it('ends at once with the signal’s reason, wherever it waits: gate, request or retry', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 20_000 }), fc.nat(), async (atMs, seed) => {
        const one = bed({ items: 100_000, bytes: () => 4_000, ...trouble(seed, 0.3), latencyMs: () => 2_000 }, 30, seed);
        const stop = new AbortController();
        const reason = new Error('stopped');
        one.clock.after(atMs, () => stop.abort(reason));
        const work = [
          (async () => {
            for await (const _ of scanPages(one.context, { TableName: 't' }, stop.signal));
          })(),
          batchGetAll(one.context, keysOf([...Array(5_000).keys()].map(keyOfNumber)), stop.signal),
          queryAll(one.context, query, stop.signal),
        ];
        const ended = await one.clock.drive(Promise.all(work.map((part) => part.catch((error: unknown) => error))));
        expect(ended).to.deep.equal([reason, reason, reason]);
        expect(one.clock.steadyMs()).to.be.at.most(atMs + 1);
      }),
      { numRuns: 40 },
    );
  });

  it('leaves nothing set aside: others go on within the budget', async () => {
    const one = bed({ items: 1_000, bytes: () => 4_000, latencyMs: () => 20 }, 50);
    const stop = new AbortController();
    one.clock.after(700, () => stop.abort());
    const stopped = queryAll(one.context, query, stop.signal).catch((error: unknown) => error);
    const other = await one.clock.drive(queryAll(one.context, query));
    expect(await stopped).to.equal(stop.signal.reason);
    expect(other.items).to.have.length(1_000);
    expect(busiestSecond(one.table.effects)).to.be.at.most(55);
  });
});
