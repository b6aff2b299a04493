import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { openReader } from '../../../engine/application.ts';
import { activeCoins, coin } from '../../../tables/backtest/active-coins.ts';
import { marketOrder, marketOrders } from '../../../tables/markets/orders.ts';
import { trade, trades } from '../../../tables/markets/trades.ts';
import type { InputOf } from '../../../tables/model/entity.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { execution, omsTradingData, order } from '../../../tables/oms/trading-data.ts';
import * as operations from '../../../tables/operations.ts';
import project from '../../../tablewright.config.ts';
import { failureOf } from '../../support/failure-of.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';

const bid = (id: string, price: string, more: Partial<InputOf<typeof marketOrder>> = {}): InputOf<typeof marketOrder> => ({
  id,
  marketId: 'm1',
  side: 'Buy',
  price,
  size: '5',
  remaining: '5',
  status: 'Open',
  owner: 'ana',
  createdAt: '2025-10-14T10:00:00.000Z',
  ...more,
});
const traded = (number: number): InputOf<typeof trade> => ({
  id: `t${String(number).padStart(3, '0')}`,
  marketId: 'm1',
  positionId: 'p1',
  side: 'Buy',
  price: '0.5',
  size: '1',
  createdAt: `2025-10-14T10:00:00.${String(number).padStart(3, '0')}Z`,
});
const ordered = (id: string, created_at: string): InputOf<typeof order> => ({
  order_id: id,
  client_id: 'c1',
  product_id: 'p1',
  symbol: 'BTCBRL',
  side: 'BUY',
  quantity: '0.30000000000000000000000000000000001',
  status: 'NEW',
  order_type: 'LIMIT',
  master_order_id: 'master',
  created_at,
  updated_at: created_at,
});

describe('the typed reader', () => {
  const engine = useEngine([marketOrders, trades, omsTradingData, activeCoins, ledger]);
  const open = (more: { readonly cursorSecret?: string } = {}) =>
    openReader(project, {
      stack: testConfig.stack,
      region: testConfig.region,
      endpoint: engine().endpoint,
      follow: 'query',
      ...more,
    });
  let reader: ReturnType<typeof open>;

  before(async () => {
    const { put } = engine();
    await put(marketOrders, marketOrder, [
      bid('a', '101.25'),
      bid('b', '9.5'),
      bid('c', '101.3'),
      bid('d', '1', { status: 'Filled' }),
    ]);
    await put(
      trades,
      trade,
      Array.from({ length: 25 }, (_, number) => traded(number)),
    );
    await put(omsTradingData, order, [ordered('o1', '14/11/2025 10:30:00'), ordered('o2', '14/11/2025 10:31:00')]);
    const { order_type: _, status: __, created_at: ___, updated_at: ____, ...shared } = ordered('o1', '14/11/2025 10:30:00');
    const fill = { ...shared, execution_id: 'e1', price: '7', commission: '0.1', executed_at: '14/11/2025 10:30:30' };
    await put(omsTradingData, execution, [fill]);
    await put(activeCoins, coin, [
      { symbol: 'BTCUSDT', is_active: true, last_scan_id: 's', last_updated: 1_765_972_800, consecutive_scans: 3 },
    ]);
    reader = open({ cursorSecret: 'a secret of the tests' });
  });
  after(() => reader.close());

  it('gives typed records in the pattern’s order: decimals as texts, whole numbers as numbers, no index attributes', async () => {
    const bids = await reader.read('markets.orders.bestBids', { marketId: 'm1' }).all();
    expect(bids.map(({ id, price }) => [id, price])).to.deep.equal([
      ['c', '101.3'],
      ['a', '101.25'],
      ['b', '9.5'],
    ]);
    expect(bids[0]).to.have.all.keys('id', 'marketId', 'side', 'price', 'size', 'remaining', 'status', 'owner', 'createdAt');
    const found = await reader.first('backtest.coins.isActive', { symbol: 'BTCUSDT' });
    expect(found?.consecutive_scans).to.equal(3);
    const whole = await reader.first('oms.trading.orderById', { orderId: 'o1' });
    expect(whole?.quantity).to.equal('0.30000000000000000000000000000000001');
  });

  it('stops at the pattern’s limit, at the caller’s, and when the caller breaks off', async () => {
    expect(await reader.read('markets.orders.bestBids', { marketId: 'm1', n: 2 }).all()).to.have.length(2);
    expect(await reader.read('markets.orders.bestBids', { marketId: 'm1', n: 2 }, { limit: 1 }).all()).to.have.length(1);
    const reading = reader.read('markets.trades.byMarket', { marketId: 'm1' });
    for await (const record of reading) if (record.id === 't024') break;
    expect(reading.consumed.pages).to.equal(1);
  });

  it('hydrates what an index holds only the keys of, both entities in order', async () => {
    const reading = reader.read('oms.trading.ofMasterOrder', { masterOrderId: 'master' });
    const kinds: string[] = [];
    for await (const record of reading) kinds.push('execution_id' in record ? record.execution_id : record.order_id);
    expect(kinds).to.deep.equal(['o1', 'e1', 'o2']);
    expect(reading.consumed).to.deep.include({ records: 3, pages: 1, way: 'query' });
    expect(reading.consumed.units).to.be.greaterThan(1);
  });

  it('counts without fetching, and says whether there is any', async () => {
    expect(await reader.count('markets.trades.byMarket', { marketId: 'm1' })).to.equal(25);
    expect(await reader.count('markets.trades.byMarket', { marketId: 'm1' }, { limit: 7 })).to.equal(7);
    expect(await reader.count('markets.orders.bestBids', { marketId: 'm1', n: 2 })).to.equal(2);
    expect(await reader.count('oms.trading.ordersByProduct', { productId: 'p1' })).to.equal(2);
    expect(await reader.count('oms.trading.ofMasterOrder', { masterOrderId: 'master' })).to.equal(3);
    expect(await reader.exists('oms.trading.orderExists', { orderId: 'o2' })).to.equal(true);
    expect(await reader.exists('oms.trading.orderExists', { orderId: 'o3' })).to.equal(false);
    expect(await reader.first('markets.orders.byId', { id: 'nobody' })).to.equal(undefined);
  });

  it('reads consistently by the table’s own key and refuses to through an index', async () => {
    expect((await reader.first('markets.orders.byId', { id: 'a' }, { consistent: true }))?.id).to.equal('a');
    expect(await reader.count('oms.trading.ordersOfClient', { clientId: 'c1' }, { consistent: true })).to.equal(2);
    // The types refuse it already; JavaScript has none.
    const untyped = { consistent: true } as object;
    const refused = await failureOf(reader.read('markets.orders.byOwner', { owner: 'ana' }, untyped).all());
    expect(refused.code).to.equal('BAD_ARGUMENT');
    expect(refused.message).to.equal(
      "markets.orders.byOwner: index orders_by_owner gives no consistent reads; only the table's own key does",
    );
    expect((await failureOf(reader.count('markets.orders.byOwner', { owner: 'ana' }, untyped))).code).to.equal('BAD_ARGUMENT');
  });

  it('reports what was consumed, page by page', async () => {
    const seen: unknown[] = [];
    const counting = openReader(project, {
      stack: testConfig.stack,
      region: testConfig.region,
      client: engine().client,
      follow: 'query',
      onConsumed: ({ pattern, records, way }) => seen.push([pattern, records, way]),
    });
    await counting.read('markets.orders.bestBids', { marketId: 'm1' }).all();
    await counting.page('markets.orders.bestBids', { marketId: 'm1' }, { size: 2 });
    await counting.count('markets.trades.byMarket', { marketId: 'm1' });
    await counting.exists('markets.orders.byId', { id: 'a' });
    await counting.close();
    expect(seen).to.deep.equal([
      ['markets.orders.bestBids', 3, 'query'],
      ['markets.orders.bestBids', 2, 'query'],
      ['markets.trades.byMarket', 25, 'query'],
      ['markets.orders.byId', 1, 'query'],
    ]);
  });

  it('pages through a list once and only once, whatever the size', async () => {
    const all = (await reader.read('markets.trades.byMarket', { marketId: 'm1' }).all()).map(({ id }) => id);
    for (const size of [1, 7, 24, 25, 26]) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await reader.page('markets.trades.byMarket', { marketId: 'm1' }, { size, cursor });
        expect(page.records.length).to.be.at.most(size);
        found.push(...page.records.map(({ id }) => id));
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(found, `size ${size}`).to.deep.equal(all);
    }
  });

  it('pages through a filtered pattern and within a pattern’s own limit', async () => {
    const first = await reader.page('oms.trading.ordersByProduct', { productId: 'p1' }, { size: 1 });
    const second = await reader.page('oms.trading.ordersByProduct', { productId: 'p1' }, { size: 1, cursor: first.cursor });
    expect([...first.records, ...second.records].map(({ order_id }) => order_id)).to.deep.equal(['o1', 'o2']);
    const top = await reader.page('markets.orders.bestBids', { marketId: 'm1', n: 2 }, { size: 1 });
    const next = await reader.page('markets.orders.bestBids', { marketId: 'm1', n: 2 }, { size: 1, cursor: top.cursor });
    expect([next.records.map(({ id }) => id), next.cursor]).to.deep.equal([['a'], undefined]);
  });

  it('reads a sorted pattern from its end, whole, by pages and its first record, and refuses where that means nothing', async () => {
    const forward = (await reader.read('markets.trades.byMarket', { marketId: 'm1' }).all()).map(({ id }) => id);
    const backward = forward.toReversed();
    const reverse = true;
    const found = await reader.read('markets.trades.byMarket', { marketId: 'm1' }, { reverse }).all();
    expect(found.map(({ id }) => id)).to.deep.equal(backward);
    expect((await reader.first('markets.trades.byMarket', { marketId: 'm1' }, { reverse }))?.id).to.equal(backward[0]);
    const first = await reader.page('markets.trades.byMarket', { marketId: 'm1' }, { size: 20, reverse });
    const { cursor } = first;
    const second = await reader.page('markets.trades.byMarket', { marketId: 'm1' }, { size: 20, reverse, cursor });
    expect([...first.records, ...second.records].map(({ id }) => id)).to.deep.equal(backward);
    const turned = await failureOf(reader.page('markets.trades.byMarket', { marketId: 'm1' }, { size: 20, cursor }));
    expect(turned.code).to.equal('BAD_CURSOR');
    const kinds = await reader.read('oms.trading.ofMasterOrder', { masterOrderId: 'master' }, { reverse }).all();
    expect(kinds.map((record) => ('execution_id' in record ? record.execution_id : record.order_id))).to.deep.equal([
      'o2',
      'e1',
      'o1',
    ]);
    const single = await failureOf(reader.read('markets.orders.byId', { id: 'a' }, { reverse }).all());
    expect(single.message).to.equal('markets.orders.byId: it has no order that could be reversed');
  });

  it('takes a cursor for its own pattern, parameters and secret only, and unchanged', async () => {
    const { cursor = '' } = await reader.page('markets.trades.byMarket', { marketId: 'm1' }, { size: 2 });
    expect(cursor).to.match(/^[\w-]+$/);
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.to.match(/t02|gsi/);
    const flipped = Buffer.from(cursor, 'base64url');
    for (let at = 0; at < flipped.length; at += 1) {
      const changed = Buffer.from(flipped);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const text = changed.toString('base64url');
      const refused = await failureOf(reader.page('markets.trades.byMarket', { marketId: 'm1' }, { cursor: text }));
      expect(refused.code, `byte ${at}`).to.equal('BAD_CURSOR');
    }
    const other = open({ cursorSecret: 'another secret of the tests' });
    const refusals = [
      reader.page('markets.trades.byMarket', { marketId: 'm2' }, { cursor }),
      reader.page('markets.trades.byPosition', { positionId: 'm1' }, { cursor }),
      other.page('markets.trades.byMarket', { marketId: 'm1' }, { cursor }),
      reader.page('markets.trades.byMarket', { marketId: 'm1' }, { cursor: 'abc' }),
      reader.page('markets.trades.byMarket', { marketId: 'm1' }, { cursor: '' }),
    ];
    for (const refusal of refusals) expect((await failureOf(refusal)).code).to.equal('BAD_CURSOR');
    await other.close();
  });

  it('refuses a short secret, a bad size, a bad limit, and wrong parameters with all of them named', async () => {
    expect(() => open({ cursorSecret: 'short' })).to.throw('cursorSecret: expected at least 16 bytes, found 5');
    expect((await failureOf(reader.page('markets.trades.byMarket', { marketId: 'm1' }, { size: 0 }))).code).to.equal(
      'BAD_ARGUMENT',
    );
    expect(() => reader.read('markets.trades.byMarket', { marketId: 'm1' }, { limit: 0.5 })).to.throw('at least 1, found 0.5');
    const wrong = { market: 'm1', marketId: '' } as unknown as { marketId: string };
    const refused = await failureOf(reader.read('markets.trades.byMarket', wrong).all());
    expect(refused.code).to.equal('BAD_PARAMETER');
    expect(refused.problems).to.have.length(2);
    const unknown = () => reader.read('markets.none' as 'markets.orders.byId', { id: 'x' });
    expect(unknown).to.throw('there is no pattern markets.none in this stack');
  });

  it('stops when its signal says so, before and in the middle of a read', async () => {
    const stop = new AbortController();
    const reading = reader.read('markets.trades.byMarket', { marketId: 'm1' }, { signal: stop.signal });
    stop.abort(new Error('enough'));
    expect(await reading.all().catch((error: Error) => error.message)).to.equal('enough');
    const late = new AbortController();
    let seen = 0;
    const paged = async () => {
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const page: { readonly cursor: string | undefined } = await reader.page(
          'markets.trades.byMarket',
          { marketId: 'm1' },
          { size: 1, cursor: cursor || undefined, signal: late.signal },
        );
        cursor = page.cursor;
        seen += 1;
        if (seen === 3) late.abort(new Error('later'));
      }
    };
    expect(await paged().catch((error: Error) => error.message)).to.equal('later');
    expect(seen).to.equal(3);
  });

  it('listens to a signal once a read, however many reads share it', async () => {
    const { signal } = new AbortController();
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, getEventListeners(signal, 'abort').length);
    });
    const reads = Array.from({ length: 10 }, () => reader.read('markets.trades.byMarket', { marketId: 'm1' }, { signal }).all());
    await Promise.all(reads);
    clearInterval(watch);
    expect(most).to.be.within(1, 10);
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });

  it('names a record that is not what the catalogue says by its key, without its contents', async () => {
    const item = { id: { S: 'broken' }, gsi3pk: { S: 'eve' }, gsi3sk: { S: '2025' }, price: { S: 'not a price' } };
    await engine().putRaw(marketOrders, [item]);
    const refused = await failureOf(reader.read('markets.orders.byOwner', { owner: 'eve' }).all());
    expect(refused.code).to.equal('BAD_ITEM');
    expect(refused.message).to.contain('markets.orders.byOwner: the record broken is not a valid ORDER');
    expect(refused.problems).to.include('price: not of the form that the schema asks for').and.to.include('status: missing');
    expect(refused.message).not.to.contain('not a price');
  });

  it('carries out the operations of the catalogue', async () => {
    const filled = { id: 'b', status: 'Filled', remaining: '0' } as const;
    expect(await reader.run(operations.updateMarketOrder, filled)).to.deep.include({ outcome: 'applied' });
    expect((await reader.read('markets.orders.bestBids', { marketId: 'm1' }).all()).map(({ id }) => id)).to.deep.equal([
      'c',
      'a',
    ]);
    const absent = { id: 'nobody', status: 'Filled', remaining: '0' } as const;
    expect(await reader.run(operations.updateMarketOrder, absent)).to.deep.equal({
      outcome: 'refused',
      reason: 'order-not-found',
    });
  });
});
