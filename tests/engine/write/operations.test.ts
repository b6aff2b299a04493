import { expect } from 'chai';
import type { WriteEnvironment } from '../../../engine/run/write/carry-out.ts';
import { runOperation } from '../../../engine/run/write/run-operation.ts';
import { Writer } from '../../../engine/run/write/writer.ts';
import { control } from '../../../tables/markets/control.ts';
import { marketOrder, marketOrders } from '../../../tables/markets/orders.ts';
import type { InputOf } from '../../../tables/model/entity.ts';
import { client, omsConfig, product } from '../../../tables/oms/config.ts';
import { omsTradingData, order } from '../../../tables/oms/trading-data.ts';
import {
  advanceCheckpoint,
  claimSignature,
  createOrder,
  releaseLock,
  renewLock,
  takeLock,
  updateMarketOrder,
  updateOrderStatus,
} from '../../../tables/operations.ts';
import { failureOf } from '../../support/failure-of.ts';
import { useEngine } from '../../support/test-engine.ts';

/** As it is, but that something else happens between what the next operation reads and what it writes. */
function meanwhile(environment: WriteEnvironment, happens: () => Promise<unknown>): WriteEnvironment {
  let isOver = false;
  const transact: WriteEnvironment['store']['transact'] = async (request, signal) => {
    if (!isOver) {
      isOver = true;
      await happens();
    }
    return environment.store.transact(request, signal);
  };
  return { ...environment, store: { ...environment.store, transact } };
}

const refused = (reason: string) => ({ outcome: 'refused', reason });
const applied = { outcome: 'applied', transactions: 1, refusals: [] };

describe('oms operations', () => {
  const engine = useEngine([omsConfig, omsTradingData]);
  const { patterns } = omsTradingData;

  before(async () => {
    await engine().put(omsConfig, client, [{ client_id: 'client_123', name: 'Aurora', status: 'ACTIVE' }]);
    await engine().put(omsConfig, product, [{ product_id: 'prod_001', name: 'Bitcoin', status: 'ACTIVE' }]);
  });

  const fresh = {
    order_id: 'order_789',
    client_id: 'client_123',
    product_id: 'prod_001',
    symbol: 'BTCUSDT',
    side: 'BUY',
    quantity: '2.5',
    price: '46000',
    status: 'NEW',
    order_type: 'LIMIT',
    master_order_id: 'master_456',
    created_at: '14/11/2025 12:00:00',
    updated_at: '14/11/2025 12:00:00',
  };

  it('creating an order with an analyst writes the order and its link, together', async () => {
    expect(await engine().run(createOrder, { ...fresh, analyst_id: 'analyst_001' })).to.deep.equal(applied);
    const [link] = await engine().read(patterns.ordersByAnalyst, { analystId: 'analyst_001' });
    const [found] = await engine().read(patterns.orderById, { orderId: 'order_789' });
    expect(link).to.include({ order_id: 'order_789', status: 'NEW', quantity: '2.5', entity_type: 'ANALYST_ORDER' });
    expect(link?.ttl).to.equal(found?.ttl);
  });

  it('an order is created once, under whatever time it is tried again', async () => {
    expect(await engine().run(createOrder, { ...fresh, analyst_id: 'analyst_001' })).to.deep.equal(refused('order-exists'));
    expect(await engine().run(createOrder, { ...fresh, created_at: '15/11/2025 12:00:00' })).to.deep.equal(
      refused('order-exists'),
    );
    expect(await engine().read(patterns.ordersOfClient, { clientId: 'client_123' })).to.have.length(1);
  });

  it('an order without an analyst has no link', async () => {
    expect(await engine().run(createOrder, { ...fresh, order_id: 'order_790' })).to.deep.equal(applied);
    expect(await engine().read(patterns.ordersByAnalyst, { analystId: 'analyst_001' })).to.have.length(1);
  });

  it('a status change reaches the order and its link in one step', async () => {
    const change = { orderId: 'order_789', status: 'FILLED', updatedAt: '14/11/2025 12:05:00' };
    expect(await engine().run(updateOrderStatus, change)).to.deep.equal(applied);
    for (const [pattern, params] of [
      [patterns.orderById, { orderId: 'order_789' }],
      [patterns.ordersByAnalyst, { analystId: 'analyst_001' }],
    ] as const) {
      const [found] = await engine().read(pattern, params);
      expect(found).to.include({ status: 'FILLED', updated_at: '14/11/2025 12:05:00' });
    }
  });

  it('a status change of an unknown order is refused and creates nothing', async () => {
    const change = { orderId: 'order_none', status: 'FILLED', updatedAt: '14/11/2025 12:05:00' };
    expect(await engine().run(updateOrderStatus, change)).to.deep.equal(refused('order-not-found'));
  });

  it('an order whose link is missing keeps its status, and the refusal says so', async () => {
    await engine().put(omsTradingData, order, [
      { ...fresh, order_id: 'order_alone', analyst_id: 'analyst_alone' } as InputOf<typeof order>,
    ]);
    const change = { orderId: 'order_alone', status: 'FILLED', updatedAt: '14/11/2025 12:05:00' };
    expect(await engine().run(updateOrderStatus, change)).to.deep.equal(refused('link-differs'));
    const [found] = await engine().read(patterns.orderById, { orderId: 'order_alone' });
    expect(found).to.include({ status: 'NEW' });
  });

  it('an order that gets an analyst while its status is changed keeps its status, as its link has it', async () => {
    const order_id = 'order_advised';
    await engine().run(createOrder, { ...fresh, order_id });
    const { environment } = engine();
    const advise = () =>
      new Writer(environment).update(order, { order_id, client_id: fresh.client_id, created_at: fresh.created_at }, () => ({
        analyst_id: 'analyst_late',
      }));
    const change = { orderId: order_id, status: 'FILLED', updatedAt: '14/11/2025 12:05:00' } as const;
    const statuses = async () =>
      [
        ...(await engine().read(patterns.orderById, { orderId: order_id })),
        ...(await engine().read(patterns.ordersByAnalyst, { analystId: 'analyst_late' })),
      ].map(({ status }) => status);
    expect(await runOperation(meanwhile(environment, advise), updateOrderStatus, change)).to.deep.equal(
      refused('status-changed'),
    );
    expect(await statuses()).to.deep.equal(['NEW', 'NEW']);
    expect(await runOperation(environment, updateOrderStatus, change)).to.deep.equal(applied);
    expect(await statuses()).to.deep.equal(['FILLED', 'FILLED']);
  });

  it('many status changes at once leave order and link agreeing on one of them', async () => {
    await engine().run(createOrder, { ...fresh, order_id: 'order_race', analyst_id: 'analyst_race' });
    const statuses = ['FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED', 'PARTIALLY_FILLED'];
    const tries = statuses.map((status) =>
      engine().run(updateOrderStatus, { orderId: 'order_race', status, updatedAt: '14/11/2025 12:06:00' }),
    );
    const outcomes = await Promise.all(tries);
    const [found] = await engine().read(patterns.orderById, { orderId: 'order_race' });
    const [link] = await engine().read(patterns.ordersByAnalyst, { analystId: 'analyst_race' });
    const applied = statuses.filter((_, at) => outcomes[at]?.outcome === 'applied');
    expect(applied).to.include(found?.status);
    expect(link?.status).to.equal(found?.status);
  });

  it('what is written is checked as seeds are, and the attribute is named', async () => {
    const failing = (params: Readonly<Record<string, unknown>>) => failureOf(engine().run(createOrder, { ...fresh, ...params }));
    const bad = await failing({ order_id: 'bad', status: 'LOST', quantity: '-2.5' });
    expect([bad.code, bad.problems]).to.deep.equal([
      'BAD_PARAMETER',
      [
        'quantity: expected a number above 0, found "-2.5"',
        'status: expected one of NEW, PARTIALLY_FILLED, FILLED, PENDING_CANCEL, CANCELLED, REJECTED, EXPIRED, found "LOST"',
      ],
    ]);
    const missing = await failing({ order_id: 'bad', product_id: 'prod_none' });
    expect([missing.code, missing.problems]).to.deep.equal([
      'MISSING_REFERENCE',
      ['product_id: expected a oms_config/PRODUCT with product_id "prod_none", found none'],
    ]);
    const change = { orderId: 'order_789', status: 'LOST', updatedAt: '14/11/2025 12:05:00' };
    expect((await failureOf(engine().run(updateOrderStatus, change))).problems[0]).to.match(/^status: expected one of NEW/);
    expect(await engine().read(patterns.orderById, { orderId: 'bad' })).to.deep.equal([]);
  });

  it('bad parameters are all named', async () => {
    const failure = await engine()
      .run(createOrder, { ...fresh, quantity: 0.1, side: 'HOLD' })
      .then(
        () => undefined,
        (error: unknown) => error as Error,
      );
    expect(failure?.message).to.match(/^oms\.createOrder: the parameters do not fit\n {2}- /);
    expect(failure?.message).to.contain('quantity: expected a decimal as a string, found the float 0.1').and.to.contain('side: ');
  });
});

describe('markets operations', () => {
  const engine = useEngine([marketOrders, control]);
  const { bestBids, byId } = marketOrders.patterns;

  before(() =>
    engine().put(marketOrders, marketOrder, [
      {
        id: 'o1',
        marketId: 'm',
        side: 'Buy',
        price: '101.25',
        size: '500',
        remaining: '200',
        status: 'Open',
        owner: 'me',
        createdAt: '2025-10-14T10:00:00.000Z',
      },
    ]),
  );

  it('an order that fills leaves the book in the same update and keeps everything else', async () => {
    expect(await engine().run(updateMarketOrder, { id: 'o1', status: 'PartiallyFilled', remaining: '0.5' })).to.deep.equal(
      applied,
    );
    expect(await engine().read(bestBids, { marketId: 'm' })).to.have.length(1);
    expect(await engine().run(updateMarketOrder, { id: 'o1', status: 'Filled', remaining: '0' })).to.deep.equal(applied);
    expect(await engine().read(bestBids, { marketId: 'm' })).to.deep.equal([]);
    const [found] = await engine().read(byId, { id: 'o1' });
    expect(found)
      .to.include({ status: 'Filled', remaining: '0', sort: '-101.25', gsi3pk: 'me' })
      .and.not.have.any.keys('gsi1pk', 'gsi1sk');
  });

  it('an order that opens again is back in the book', async () => {
    await engine().run(updateMarketOrder, { id: 'o1', status: 'Open', remaining: '7' });
    const [found] = await engine().read(bestBids, { marketId: 'm' });
    expect(found).to.include({ gsi1sk: '-101.25' });
  });

  it('an order whose price changes while it opens again does not stand in the book under the old one', async () => {
    const { environment } = engine();
    const sold = { id: 'o2', marketId: 'm', side: 'Sell', price: '5', size: '9', remaining: '9', status: 'Cancelled' } as const;
    await engine().put(marketOrders, marketOrder, [{ ...sold, owner: 'me', createdAt: '2025-10-14T10:00:00.000Z' }]);
    const dearer = () => new Writer(environment).update(marketOrder, { id: 'o2' }, () => ({ price: '6' }));
    const opened = { id: 'o2', status: 'Open', remaining: '9' } as const;
    expect(await runOperation(meanwhile(environment, dearer), updateMarketOrder, opened)).to.deep.equal(refused('order-changed'));
    const asks = () => engine().read(marketOrders.patterns.bestAsks, { marketId: 'm' });
    expect(await asks()).to.deep.equal([]);
    expect(await runOperation(environment, updateMarketOrder, opened)).to.deep.equal(applied);
    expect((await asks()).map(({ price, gsi2sk }) => [price, gsi2sk])).to.deep.equal([['6', '6']]);
  });

  it('with the values that the order has nothing is sent, and that is no error', async () => {
    const [before] = await engine().read(byId, { id: 'o1' });
    const same = { id: 'o1', status: 'Open', remaining: '7.00' };
    const store = { ...engine().environment.store, transact: () => Promise.reject(new Error('something was sent')) };
    expect(await runOperation({ ...engine().environment, store }, updateMarketOrder, same as never)).to.deep.equal({
      outcome: 'applied',
      transactions: 0,
      refusals: [],
    });
    expect(await engine().read(byId, { id: 'o1' })).to.deep.equal([before]);
    const more = await failureOf(engine().run(updateMarketOrder, { ...same, remaining: '501' }));
    expect([more.code, more.problems]).to.deep.equal([
      'BAD_PARAMETER',
      ['remaining: expected no more than the size, found "501"'],
    ]);
  });

  it('an unknown order is refused', async () => {
    expect(await engine().run(updateMarketOrder, { id: 'none', status: 'Filled', remaining: '0' })).to.deep.equal(
      refused('order-not-found'),
    );
  });

  it('the checkpoint only moves forward', async () => {
    expect(await engine().run(advanceCheckpoint, { slot: 10, signature: 'a' })).to.deep.equal(applied);
    expect(await engine().run(advanceCheckpoint, { slot: 9, signature: 'b' })).to.deep.equal(refused('checkpoint-ahead'));
    expect(await engine().run(advanceCheckpoint, { slot: 10, signature: 'c' })).to.deep.equal(refused('checkpoint-ahead'));
    expect(await engine().run(advanceCheckpoint, { slot: 11, signature: 'd' })).to.deep.equal(applied);
    const [found] = await engine().read(control.patterns.checkpoint, {});
    expect(found).to.include({ lastSlot: '11', lastSig: 'd' });
  });

  it('the lock has one holder; an expired one may be taken over, and then the old holder has lost it', async () => {
    const lease = (owner: string, now: number) => ({ owner, now, seconds: 30 });
    expect(await engine().run(takeLock, lease('a', 1_000))).to.deep.equal(applied);
    expect(await engine().run(takeLock, lease('b', 1_010))).to.deep.equal(refused('lock-held'));
    expect(await engine().run(renewLock, lease('a', 1_020))).to.deep.equal(applied);
    expect(await engine().run(takeLock, lease('b', 1_045))).to.deep.equal(refused('lock-held'));
    expect(await engine().run(takeLock, lease('b', 1_051))).to.deep.equal(applied);
    expect(await engine().run(renewLock, lease('a', 1_052))).to.deep.equal(refused('lock-lost'));
    expect(await engine().run(releaseLock, { owner: 'a' })).to.deep.equal(refused('lock-lost'));
    expect(await engine().run(releaseLock, { owner: 'b' })).to.deep.equal(applied);
    expect(await engine().read(control.patterns.lock, {})).to.deep.equal([]);
  });

  it('of twenty that claim a signature at once exactly one gets it', async () => {
    const claims = Array.from({ length: 20 }, () => engine().run(claimSignature, { signature: 'sig', now: 1_000, seconds: 600 }));
    const outcomes = (await Promise.all(claims)).map((result) => result.outcome);
    expect(outcomes.filter((outcome) => outcome === 'applied')).to.have.length(1);
    expect(await engine().run(claimSignature, { signature: 'sig', now: 1_000, seconds: 600 })).to.deep.equal(
      refused('already-claimed'),
    );
    expect(await engine().read(control.patterns.claimOf, { signature: 'sig' })).to.have.length(1);
  });
});
