import { expect } from 'chai';
import fc from 'fast-check';
import { checkCall } from '../../../engine/core/read/checked-call.ts';
import type { CursorPosition } from '../../../engine/core/read/cursor.ts';
import { advance, minFilteredLimit, planRead, type QueryPlan } from '../../../engine/core/read/plan-read.ts';
import type { ReadOptions } from '../../../engine/core/read/read-options.ts';
import { unlimitedGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { type ReadPage, type ReadSource, sendPlan } from '../../../engine/run/read/read-pattern.ts';
import { marketOrders } from '../../../tables/markets/orders.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { patternsOf } from '../../../tables/model/project.ts';
import { omsTradingData } from '../../../tables/oms/trading-data.ts';
import { ExpressionReader } from '../../support/evaluate-expression.ts';
import { MemoryStore, type ReadStore } from '../../support/memory-store.ts';
import { tables } from '../../support/project.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { anyLibrary, anyRead, bruteForce, type LibraryRead, library } from '../../support/toy-library.ts';

const sourceOf = (store: ReadStore): ReadSource => ({
  store,
  gates: unlimitedGates(),
  sleep: async () => undefined,
  random: () => 0,
});

const planOf = ({ name, params, reverse, limit }: LibraryRead, more: ReadOptions = {}) =>
  planRead(checkCall([library], library.patterns[name], params), testConfig, { reverse, limit, ...more });

async function pagesOf(source: ReadSource, read: LibraryRead, more: ReadOptions = {}): Promise<readonly ReadPage[]> {
  const pages: ReadPage[] = [];
  for await (const page of sendPlan(source, planOf(read, more))) pages.push(page);
  return pages;
}

const itemsOf = (pages: readonly ReadPage[]): readonly Item[] => pages.flatMap((page) => page.items);

/** More pages than any list here has, one record on each. */
const maxTurns = 100;

/** All of a list by pages of the given sizes, each by a plan of its own that knows only where the one before ended. */
async function turnPages(source: ReadSource, read: LibraryRead, sizes: readonly number[], more: ReadOptions = {}) {
  const given: (readonly Item[])[] = [];
  let from: CursorPosition | undefined;
  for (let at = 0; at === 0 || from !== undefined; at += 1) {
    if (at > maxTurns) throw new Error('the pages have no end');
    const limit = sizes[at % sizes.length];
    const pages = await pagesOf(source, { ...read, limit }, { ...more, from });
    given.push(itemsOf(pages));
    const position = pages.at(-1)?.position;
    // A cursor is text on its way to the client and back.
    from = position === undefined ? undefined : (JSON.parse(JSON.stringify(position)) as CursorPosition);
  }
  return given;
}

const anySizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
const anyPageItems = fc.integer({ min: 1, max: 12 });

describe('planRead', () => {
  describe('the requests of a plan, answered from their texts', () => {
    it('give what a filter and a sort over all records give, for any limit, order and length of pages', () =>
      fc.assert(
        fc.asyncProperty(anyLibrary, anyRead, anyPageItems, async (items, read, pageItems) => {
          const store = new MemoryStore(library, items, { pageItems, batchItems: 3 });
          const found = itemsOf(await pagesOf(sourceOf(store), read));
          expect(found).to.deep.equal(bruteForce(items, read).slice(0, read.limit));
        }),
        { numRuns: 600 },
      ));

    it('give each record once, whatever the sizes of the pages that a client turns', () =>
      fc.assert(
        fc.asyncProperty(anyLibrary, anyRead, anySizes, anyPageItems, async (items, read, sizes, pageItems) => {
          const source = sourceOf(new MemoryStore(library, items, { pageItems }));
          const given = await turnPages(source, read, sizes);
          expect(given.flat()).to.deep.equal(bruteForce(items, read));
          for (const [at, page] of given.entries()) expect(page.length).to.be.at.most(sizes[at % sizes.length] ?? 0);
        }),
        { numRuns: 250 },
      ));

    it('count what they would give, and fetch nothing for it where DynamoDB can count', () =>
      fc.assert(
        fc.asyncProperty(anyLibrary, anyRead, anyPageItems, async (items, read, pageItems) => {
          const pages = await pagesOf(sourceOf(new MemoryStore(library, items, { pageItems })), read, { count: true });
          const counted = pages.reduce((sum, page) => sum + page.records, 0);
          expect(counted).to.equal(bruteForce(items, read).slice(0, read.limit).length);
          const fetches = read.name === 'lentTo' || read.name === 'one';
          if (!fetches) expect(itemsOf(pages)).to.deep.equal([]);
        }),
        { numRuns: 250 },
      ));

    it('are the plan’s own request, then the same with another start and limit; unfiltered ones look at no record too many', () =>
      fc.assert(
        fc.asyncProperty(anyLibrary, anyRead, anyPageItems, async (items, read, pageItems) => {
          const store = new MemoryStore(library, items, { pageItems });
          const plan = planOf(read);
          const before = structuredClone(plan.request);
          const pages: ReadPage[] = [];
          for await (const page of sendPlan(sourceOf(store), plan)) pages.push(page);
          const sent = store.sent.flatMap((entry) => (entry.operation === 'BatchGetItem' ? [] : [entry.request]));
          expect(sent[0]).to.deep.equal(plan.request);
          expect(plan.request, 'the plan is left as it was').to.deep.equal(before);
          const fixed = (request: object) => ({ ...request, Limit: 0, ExclusiveStartKey: {} });
          for (const request of sent) expect(fixed(request)).to.deep.equal(fixed(plan.request));
          if (plan.kind !== 'query' || plan.request.FilterExpression !== undefined || plan.limit === undefined) return;
          const looked = pages.reduce((sum, page) => sum + page.units, 0) / (plan.hydrate ? 2 : 1);
          expect(looked).to.be.at.most(plan.limit);
        }),
        { numRuns: 250 },
      ));

    it('are the same on the embedded engine as on the model', function () {
      this.timeout(60_000);
      const items = fc.sample(anyLibrary, { seed: 7, numRuns: 40 }).toSorted((a, b) => b.length - a.length)[0] ?? [];
      return checkOnEngine(items);
    });

    const engine = useEngine([library]);
    const checkOnEngine = async (items: readonly Item[]) => {
      expect(items.length).to.be.greaterThan(20);
      await engine().putRaw(library, items);
      await fc.assert(
        fc.asyncProperty(anyRead, anySizes, async (read, sizes) => {
          const { environment: source } = engine();
          expect(itemsOf(await pagesOf(source, read))).to.deep.equal(bruteForce(items, read).slice(0, read.limit));
          expect((await turnPages(source, read, sizes)).flat()).to.deep.equal(bruteForce(items, read));
        }),
        { numRuns: 120 },
      );
    };
  });

  describe('of a pattern that is still a Scan', () => {
    const anyLegacy = anyRead.filter(({ name }) => name === 'ofShelf' || name === 'heaviest');

    it('gives the same records in the same order as the query, by pages too', () =>
      fc.assert(
        fc.asyncProperty(anyLibrary, anyLegacy, anySizes, anyPageItems, async (items, read, sizes, pageItems) => {
          const source = sourceOf(new MemoryStore(library, items, { pageItems }));
          for (const state of ['scan', 'shadow'] as const) {
            const pages = await pagesOf(source, read, { state });
            expect(itemsOf(pages)).to.deep.equal(bruteForce(items, read).slice(0, read.limit));
            expect(pages.map(({ way }) => way)).to.deep.equal(['scan']);
            expect((await turnPages(source, read, sizes, { state })).flat()).to.deep.equal(bruteForce(items, read));
          }
        }),
        { numRuns: 120 },
      ));

    it('tells records apart whose keys read the same when they are joined', async () => {
      const items: Item[] = ['a', 'a / b'].flatMap((shelf) =>
        ['b / c', 'c'].map((title) => ({
          shelf: { S: shelf },
          title: { S: title },
          kind: { S: 'novel' },
          colour: { S: 'red' },
          weight: { N: '1' },
        })),
      );
      const read = { name: 'heaviest', params: { colour: 'red', n: 9 }, reverse: false, limit: undefined } as const;
      const given = await turnPages(sourceOf(new MemoryStore(library, items)), read, [1], { state: 'scan' });
      expect(new Set(given.flat().map(({ shelf, title }) => JSON.stringify([shelf, title]))).size).to.equal(4);
    });

    it('shows every match to the shadow in the pattern’s own order, whatever was asked for', async () => {
      const items = fc.sample(anyLibrary, { seed: 3, numRuns: 20 }).toSorted((a, b) => b.length - a.length)[0] ?? [];
      const source = sourceOf(new MemoryStore(library, items, { pageItems: 4 }));
      const read = { name: 'ofShelf', params: { shelf: 'a' }, reverse: true, limit: 2 } as const;
      const seen: unknown[] = [];
      for await (const _ of sendPlan(source, planOf(read, { state: 'shadow' }), {
        onShadow: (answer) => seen.push(answer),
      }));
      expect(seen).to.deep.equal([
        { items: bruteForce(items, { ...read, reverse: false }), limit: undefined, units: items.length },
      ]);
      for await (const _ of sendPlan(source, planOf(read, { state: 'scan' }), { onShadow: (answer) => seen.push(answer) }));
      expect(seen).to.have.length(1);
    });
  });

  describe('every pattern of the catalogue', () => {
    const everyPlan = patternsOf(tables).flatMap((pattern) => {
      const call = checkCall(tables, pattern, pattern.example);
      const states = pattern.legacy === undefined ? (['query'] as const) : (['query', 'scan', 'shadow'] as const);
      return states.flatMap((state) =>
        [undefined, 1, 250].map((limit) => ({
          name: `${pattern.name} ${state} ${limit}`,
          plan: planRead(call, testConfig, { state, limit }),
        })),
      );
    });

    it('has plans whose placeholders are all defined and all used', () => {
      expect(everyPlan.length).to.be.greaterThan(150);
      for (const { name, plan } of everyPlan) {
        if (plan.kind === 'get') continue;
        const reader = new ExpressionReader(plan.request);
        if (plan.kind === 'query') reader.read(plan.request.KeyConditionExpression);
        if (plan.request.FilterExpression !== undefined) reader.read(plan.request.FilterExpression);
        expect(reader.unused(), name).to.deep.equal([]);
      }
    });

    it('asks for no more than its limit, and for a hundred where a filter may drop some', () => {
      for (const { name, plan } of everyPlan) {
        if (plan.kind !== 'query') continue;
        const { Limit, FilterExpression } = plan.request;
        const wanted =
          plan.limit === undefined || FilterExpression === undefined ? plan.limit : Math.max(plan.limit, minFilteredLimit);
        expect(Limit, name).to.equal(wanted);
      }
    });
  });

  it('gives the request of a known pattern, whole', () => {
    const call = checkCall(tables, marketOrders.patterns.bestBids, { marketId: 'm1', n: 20 });
    expect(planRead(call, testConfig, { limit: 7 }).request).to.deep.equal({
      TableName: 'orders-test',
      ReturnConsumedCapacity: 'TOTAL',
      IndexName: 'orders_by_market_buy',
      KeyConditionExpression: '#n0 = :v0',
      ExpressionAttributeNames: { '#n0': 'gsi1pk' },
      ExpressionAttributeValues: { ':v0': { S: 'm1#Buy' } },
      ScanIndexForward: true,
      Limit: 7,
    });
    const owned = checkCall(tables, marketOrders.patterns.byOwner, { owner: 'ana' });
    const from = { way: 'query', key: { id: { S: 'o' }, gsi3pk: { S: 'ana' }, gsi3sk: { S: '2025' } }, given: 3 } as const;
    expect(planRead(owned, testConfig, { reverse: true, count: true, from }).request).to.deep.equal({
      TableName: 'orders-test',
      ReturnConsumedCapacity: 'TOTAL',
      IndexName: 'orders_by_owner',
      KeyConditionExpression: '#n0 = :v0',
      ExpressionAttributeNames: { '#n0': 'gsi3pk' },
      ExpressionAttributeValues: { ':v0': { S: 'ana' } },
      ScanIndexForward: true,
      Select: 'COUNT',
      ExclusiveStartKey: from.key,
    });
    expect(planRead(owned, testConfig, { state: 'scan' }).request).to.deep.equal({
      TableName: 'orders-test',
      ReturnConsumedCapacity: 'TOTAL',
      FilterExpression: '#n0 = :v0',
      ExpressionAttributeNames: { '#n0': 'owner' },
      ExpressionAttributeValues: { ':v0': { S: 'ana' } },
    });
    const single = checkCall(tables, marketOrders.patterns.byId, { id: 'o1' });
    expect(planRead(single, testConfig, { consistent: true }).request).to.deep.equal({
      TableName: 'orders-test',
      ReturnConsumedCapacity: 'TOTAL',
      ConsistentRead: true,
      Key: { id: { S: 'o1' } },
    });
  });

  it('follows an answer that was cut with the limit that is left, and none that is complete', () => {
    const call = checkCall(tables, omsTradingData.patterns.ordersOfClient, { clientId: 'c' });
    const plan = planRead(call, testConfig, { limit: 5 }) as QueryPlan;
    const entry = (SK: string): Item => ({ PK: { S: 'CLIENT#c' }, SK: { S: SK }, more: { S: 'x' } });
    const first = advance(plan, { items: [entry('1'), entry('2')], next: { PK: { S: 'p' }, SK: { S: '2' } }, units: 1 });
    expect(first.rest?.request).to.deep.equal({
      ...plan.request,
      Limit: 3,
      ExclusiveStartKey: { PK: { S: 'p' }, SK: { S: '2' } },
    });
    expect(first.position).to.deep.equal({ way: 'query', key: { PK: { S: 'p' }, SK: { S: '2' } }, given: 2 });
    const items = ['3', '4', '5', '6'].map(entry);
    const last = advance(first.rest as QueryPlan, { items, next: { PK: { S: 'p' }, SK: { S: '6' } }, units: 1 });
    // More came than was wanted: the list goes on after the last record that was given.
    expect(last).to.deep.equal({
      items: items.slice(0, 3),
      records: 3,
      position: { way: 'query', key: { PK: { S: 'CLIENT#c' }, SK: { S: '5' } }, given: 5 },
      rest: undefined,
    });
    expect(advance(plan, { items: [entry('1')], next: undefined, units: 1 })).to.deep.include({
      position: undefined,
      rest: undefined,
    });
  });

  describe('refuses', () => {
    const { byId, byOwner, bestBids } = marketOrders.patterns;
    const plan = (pattern: typeof byId | typeof byOwner | typeof bestBids, params: object, options: ReadOptions) => () =>
      planRead(checkCall(tables, pattern, params as never), testConfig, options);

    it('options that do not fit, all of them together', () => {
      expect(plan(bestBids, { marketId: 'm' }, { limit: 0, consistent: true, reverse: true }))
        .to.throw('markets.orders.bestBids: the options do not fit')
        .that.deep.includes({
          code: 'BAD_ARGUMENT',
          problems: [
            'limit: expected a whole number of at least 1, found 0',
            "index orders_by_market_buy gives no consistent reads; only the table's own key does",
            'it gives the first records by its own order and cannot be reversed',
          ],
        });
      expect(plan(byOwner, { owner: 'o' }, { limit: 1.5 })).to.throw('limit: expected a whole number of at least 1, found 1.5');
    });

    it('to reverse what has no order: one record, or one by its whole key', () => {
      const message = 'it has no order that could be reversed';
      expect(plan(byId, { id: 'o' }, { reverse: true })).to.throw(`markets.orders.byId: ${message}`);
      const inMarket = checkCall(tables, patternNamed('markets.positions.ofOwnerInMarket'), { owner: 'a', marketId: 'm' });
      expect(() => planRead(inMarket, testConfig, { reverse: true })).to.throw(message);
    });

    it('a limit that is no number of records', () => {
      expect(plan(bestBids, { marketId: 'm', n: 0 }, {})).to.throw('markets.orders.bestBids: n: expected at least 1, found 0');
    });

    it('to go on by query after a revert, but goes on by scan after a cut-over', () => {
      const position = { key: { id: { S: 'o' } }, given: 3 };
      const inState = (state: 'scan' | 'query', way: 'scan' | 'query') =>
        plan(byOwner, { owner: 'o' }, { state, from: { ...position, way } });
      expect(inState('scan', 'query')).to.throw('the pattern is in state scan now').that.includes({ code: 'BAD_CURSOR' });
      expect(inState('query', 'scan')()).to.deep.include({ kind: 'scan', after: position.key, given: 3 });
    });

    it('to go on where the list was complete', () => {
      const from = { way: 'query', key: { id: { S: 'o' } }, given: 5 } as const;
      expect(plan(bestBids, { marketId: 'm', n: 5 }, { from })).to.throw('there is no page after the last');
      expect(plan(byId, { id: 'o' }, { from })).to.throw('there is no page after the first');
    });
  });
});

function patternNamed(name: string) {
  const found = patternsOf(tables).find((pattern) => pattern.name === name);
  if (found === undefined) throw new Error(`no pattern ${name}`);
  return found;
}
