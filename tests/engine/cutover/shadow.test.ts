import { expect } from 'chai';
import { openReader } from '../../../engine/application.ts';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import { ledgerRange } from '../../../engine/core/ledger/ledger-codec.ts';
import { changeState, readState } from '../../../engine/run/cutover/change-state.ts';
import type { CutoverEnvironment } from '../../../engine/run/cutover/environment.ts';
import { cutoverStatus } from '../../../engine/run/cutover/status.ts';
import { marketOrder, marketOrders } from '../../../tables/markets/orders.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { shadowDifference } from '../../../tables/model/ledger/cutover-records.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import project from '../../../tablewright.config.ts';
import { type FaultProxy, openFaultProxy } from '../../support/fault-proxy.ts';
import { contentOf } from '../../support/migrate-engine.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { asLegacy, orderInput } from './legacy-world.ts';

describe('shadow reads', () => {
  const engine = useEngine([marketOrders, ledger]);
  const { bestBids, bestAsks, byOwner } = marketOrders.patterns;
  const environment = (): CutoverEnvironment => ({
    ...engine().environment,
    nowMs: () => Date.parse('2026-01-01T00:00:00.000Z'),
    by: 'a test',
  });
  const place = { stack: testConfig.stack, region: testConfig.region };
  let proxy: FaultProxy;

  const shadow = async (pattern: Pattern, share = 1) =>
    changeState(environment(), await readState(environment(), pattern), { state: 'shadow', index: pattern.index, share });
  const found = async (pattern: Pattern) => (await cutoverStatus(environment())).find((entry) => entry.pattern === pattern.name);

  before(async () => {
    await engine().put(
      marketOrders,
      marketOrder,
      Array.from({ length: 60 }, (_, number) => orderInput(number)),
    );
    proxy = await openFaultProxy(engine().endpoint);
  });
  after(() => proxy.close());

  it('answers from the scan, runs the query beside it and records that they agree and what both cost', async () => {
    await shadow(bestBids);
    const reader = openReader(project, { ...place, client: engine().client });
    const reading = reader.read('markets.orders.bestBids', { marketId: 'm2', n: 4 });
    expect(await reading.all()).to.have.length(4);
    expect(reading.consumed.way).to.equal('scan');
    await reader.close();
    const { shadow: counts } = (await found(bestBids)) ?? {};
    expect(counts).to.deep.include({ reads: 1, differing: 0, failures: 0 });
    expect(counts?.scanUnits).to.be.greaterThan(counts?.queryUnits ?? 0);
  });

  it('tries its share of reads only', async () => {
    await shadow(bestAsks, 0);
    const reader = openReader(project, { ...place, client: engine().client });
    await reader.read('markets.orders.bestAsks', { marketId: 'm1' }).all();
    await reader.close();
    expect((await found(bestAsks))?.shadow?.reads).to.equal(0);
  });

  it('records a difference by key with its cause, and gives the right answer all the same', async () => {
    const item = buildItem(marketOrders, marketOrder, orderInput(2, { price: '0.99' }));
    await engine().putRaw(marketOrders, [asLegacy(marketOrders, item)]);
    await shadow(bestBids);
    const reader = openReader(project, { ...place, client: engine().client });
    const bids = await reader.read('markets.orders.bestBids', { marketId: 'm2', n: 3 }).all();
    expect(bids[0]?.id).to.equal('o0002');
    await reader.close();
    const status = await found(bestBids);
    expect(status?.shadow).to.deep.include({ reads: 1, differing: 1 });
    const records = Object.values(await contentOf(engine(), ledger)) as { PK: { S: string }; SK: { S: string } }[];
    const { partition, prefix } = ledgerRange(shadowDifference, { pattern: bestBids.name, version: status?.version ?? 0 });
    const kept = records.filter(({ PK, SK }) => PK.S === partition && SK.S.startsWith(prefix));
    expect(kept).to.have.length(1);
    expect(kept[0]).to.deep.include({ key: { S: 'o0002' }, kind: { S: 'missing' }, cause: { S: 'not-backfilled' } });
    await engine().put(marketOrders, marketOrder, [orderInput(2)]);
  });

  it('never changes or fails an answer, whatever happens to the query and to its records', async () => {
    await shadow(byOwner);
    const errors: string[] = [];
    const client = dynamoClient({ region: testConfig.region, endpoint: proxy.endpoint, maxAttempts: 1 });
    const reader = openReader(project, { ...place, client, refreshMs: 60_000, onShadowError: (pattern) => errors.push(pattern) });
    const right = (await reader.read('markets.orders.byOwner', { owner: 'w1' }).all()).map(({ id }) => id);
    // The states are known by now; from here on every Query and every record of it fails in some way.
    for (const fault of ['throttle', 'serverError', 'cutBefore', 'cutAfter', 'truncate'] as const) {
      proxy.set({ [fault]: 1, operations: ['Query', 'TransactWriteItems', 'GetItem'] });
      const found = (await reader.read('markets.orders.byOwner', { owner: 'w1' }).all()).map(({ id }) => id);
      expect(found, fault).to.deep.equal(right);
    }
    await reader.close();
    proxy.set({});
    client.destroy();
    expect(errors.length).to.be.at.least(5);
    expect(new Set(errors)).to.deep.equal(new Set([byOwner.name]));
  });

  it('counts failed queries when the ledger can be reached', async () => {
    await shadow(byOwner);
    const client = dynamoClient({ region: testConfig.region, endpoint: proxy.endpoint, maxAttempts: 1 });
    const reader = openReader(project, { ...place, client, refreshMs: 60_000 });
    await reader.read('markets.orders.byOwner', { owner: 'w1' }).all();
    await reader.close();
    proxy.set({ serverError: 1, operations: ['Query'] });
    const again = openReader(project, { ...place, client: engine().client, refreshMs: 60_000 });
    await again.close();
    await reader.read('markets.orders.byOwner', { owner: 'w2' }).all();
    await reader.close();
    proxy.set({});
    client.destroy();
    expect((await found(byOwner))?.shadow).to.deep.include({ reads: 2, failures: 1, differing: 0 });
  });

  it('does not make a reader wait for a slow query, nor piles such queries up', async () => {
    await shadow(byOwner);
    const client = dynamoClient({ region: testConfig.region, endpoint: proxy.endpoint });
    const reader = openReader(project, { ...place, client, refreshMs: 60_000 });
    await reader.read('markets.orders.byOwner', { owner: 'w0' }).all();
    await reader.close();
    const before = proxy.requests.get('Query') ?? 0;
    proxy.set({ delayMs: 1_500, operations: ['Query'] });
    const startedMs = performance.now();
    for (let turn = 0; turn < 12; turn += 1) await reader.read('markets.orders.byOwner', { owner: 'w0' }).all();
    const elapsedMs = performance.now() - startedMs;
    const queries = (proxy.requests.get('Query') ?? 0) - before;
    await reader.close();
    proxy.set({});
    client.destroy();
    expect(elapsedMs).to.be.lessThan(1_500);
    expect(queries).to.be.at.least(4);
    expect(queries).to.be.lessThan(12);
  });

  it('keeps to what it knew when the ledger cannot be read, and fails when it never could', async () => {
    await shadow(byOwner, 0.5);
    const client = dynamoClient({ region: testConfig.region, endpoint: proxy.endpoint, maxAttempts: 1 });
    const reader = openReader(project, { ...place, client, refreshMs: 0 });
    await reader.read('markets.orders.byOwner', { owner: 'w0' }).all();
    proxy.set({ serverError: 1, operations: ['Query'] });
    expect(await reader.read('markets.orders.byOwner', { owner: 'w0' }).all()).not.to.have.length(0);
    await reader.close();
    const fresh = openReader(project, { ...place, client, refreshMs: 0 });
    const failed = await fresh
      .read('markets.orders.byOwner', { owner: 'w0' })
      .all()
      .catch((error: { code: string }) => error.code);
    expect(failed).to.equal('STORE_FAILED');
    await fresh.close();
    proxy.set({});
    client.destroy();
  });
});
