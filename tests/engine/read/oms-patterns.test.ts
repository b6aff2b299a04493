import { expect } from 'chai';
import { readAll } from '../../../engine/run/read/read-pattern.ts';
import type { InputOf } from '../../../tables/model/entity.ts';
import type { TablewrightError } from '../../../tables/model/error.ts';
import { client, omsConfig, product, setting } from '../../../tables/oms/config.ts';
import { analystOrder, execution, omsTradingData, order, position } from '../../../tables/oms/trading-data.ts';
import { useEngine } from '../../support/test-engine.ts';

const { patterns } = omsTradingData;
const base: InputOf<typeof order> = {
  order_id: 'order_1',
  client_id: 'client_1',
  product_id: 'prod_1',
  symbol: 'BTCUSDT',
  side: 'BUY',
  quantity: '1.5',
  price: '45000',
  status: 'NEW',
  order_type: 'LIMIT',
  created_at: '14/11/2025 10:30:00',
  updated_at: '14/11/2025 10:30:00',
};
const fill: InputOf<typeof execution> = {
  execution_id: 'exec_1',
  order_id: 'order_1',
  client_id: 'client_1',
  product_id: 'prod_1',
  symbol: 'BTCUSDT',
  side: 'BUY',
  quantity: '1.5',
  price: '45000',
  commission: '2.25',
  executed_at: '14/11/2025 10:31:00',
};
const held: InputOf<typeof position> = {
  client_id: 'client_1',
  product_id: 'prod_1',
  symbol: 'BTCUSDT',
  side: 'LONG',
  quantity: '3.5',
  avg_entry_price: '44500',
  unrealized_pnl: '1750',
  realized_pnl: '500',
  last_updated: '14/11/2025 10:35:00',
};
const seconds = (at: number) => `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;

describe('oms.config patterns', () => {
  const engine = useEngine([omsConfig]);

  before(async () => {
    await engine().put(
      omsConfig,
      product,
      ['2', '1', 'prod_001'].map((product_id) => ({ product_id, name: `Product ${product_id}`, status: 'ACTIVE' })),
    );
    await engine().put(omsConfig, client, [{ client_id: 'client_123', name: 'Client', status: 'ACTIVE' }]);
    await engine().put(omsConfig, setting, [{ name: 'trading_enabled', value: '' }]);
  });

  it('find each record by its id', async () => {
    const { productById, clientById, settingByName } = omsConfig.patterns;
    expect(await engine().read(productById, { productId: '1' })).to.have.length(1);
    expect((await engine().read(clientById, { clientId: 'client_123' }))[0]).to.include({
      PK: 'CLIENT#client_123',
      SK: 'CONFIG',
    });
    expect((await engine().read(settingByName, { name: 'trading_enabled' }))[0]).to.include({ value: '' });
    expect(await engine().read(productById, { productId: 'none' })).to.deep.equal([]);
  });

  it('list each kind apart, by id', async () => {
    const { allProducts, allClients, allSettings } = omsConfig.patterns;
    expect((await engine().read(allProducts, {})).map((item) => item.product_id)).to.deep.equal(['1', '2', 'prod_001']);
    expect((await engine().read(allClients, {})).map((item) => item.client_id)).to.deep.equal(['client_123']);
    expect((await engine().read(allSettings, {})).map((item) => item.name)).to.deep.equal(['trading_enabled']);
  });
});

describe('oms.trading patterns', () => {
  const engine = useEngine([omsTradingData]);
  const ids = async (
    pattern: Parameters<ReturnType<typeof engine>['read']>[0],
    params: Readonly<Record<string, unknown>>,
    id = 'order_id',
  ) => (await engine().read(pattern, params)).map((item) => item[id]);

  before(async () => {
    const { put } = engine();
    await put(omsTradingData, order, [
      { ...base, analyst_id: 'analyst_1' },
      { ...base, order_id: 'order_2', master_order_id: 'master_1', created_at: '14/11/2025 10:40:00' },
      { ...base, order_id: 'order_3', product_id: 'prod_2', created_at: '13/11/2025 09:00:00' },
      { ...base, order_id: 'order_4', client_id: 'client_2', created_at: '15/11/2025 00:00:00' },
    ]);
    await put(omsTradingData, analystOrder, [{ ...base, analyst_id: 'analyst_1' }]);
    await put(omsTradingData, execution, [
      fill,
      { ...fill, execution_id: 'exec_2', executed_at: '14/11/2025 10:30:30' },
      { ...fill, execution_id: 'exec_3', order_id: 'order_2', master_order_id: 'master_1', executed_at: '14/11/2025 10:41:00' },
    ]);
    await put(omsTradingData, position, [held, { ...held, symbol: 'ADAUSDT', side: 'SHORT' }]);
  });

  it('orders of a client come oldest first, without links, fills, positions or other clients', async () => {
    expect(await ids(patterns.ordersOfClient, { clientId: 'client_1' })).to.deep.equal(['order_3', 'order_1', 'order_2']);
    expect(await ids(patterns.ordersOfClient, { clientId: 'nobody' })).to.deep.equal([]);
  });

  it('orders by product hold neither fills nor positions, and a time range is inclusive at both ends', async () => {
    const { ordersByProduct } = patterns;
    expect(await ids(ordersByProduct, { productId: 'prod_1' })).to.deep.equal(['order_1', 'order_2', 'order_4']);
    const from = '2025-11-14T10:40:00Z';
    const to = '2025-11-15T00:00:00Z';
    expect(await ids(ordersByProduct, { productId: 'prod_1', from })).to.deep.equal(['order_2', 'order_4']);
    expect(await ids(ordersByProduct, { productId: 'prod_1', to: from })).to.deep.equal(['order_1', 'order_2']);
    expect(await ids(ordersByProduct, { productId: 'prod_1', from, to })).to.deep.equal(['order_2', 'order_4']);
  });

  it('an analyst’s order is found by product and by analyst, once each', async () => {
    expect(await ids(patterns.ordersByAnalyst, { analystId: 'analyst_1' })).to.deep.equal(['order_1']);
    expect((await ids(patterns.ordersByProduct, { productId: 'prod_1' })).filter((id) => id === 'order_1')).to.have.length(1);
    expect(await ids(patterns.orderById, { orderId: 'order_1' })).to.deep.equal(['order_1']);
  });

  it('a master order gives its child orders and executions whole, though its index holds keys only', async () => {
    const found = await engine().read(patterns.ofMasterOrder, { masterOrderId: 'master_1' });
    expect(found.map((item) => item.entity_type)).to.deep.equal(['ORDER', 'EXECUTION']);
    expect(found.map((item) => item.quantity)).to.deep.equal(['1.5', '1.5']);
  });

  it('executions of an order come without the order, also when a fill is as old as the order', async () => {
    expect(await ids(patterns.executionsOfOrder, { orderId: 'order_1' }, 'execution_id')).to.deep.equal(['exec_2', 'exec_1']);
    expect(await ids(patterns.executionsOfClient, { clientId: 'client_1' }, 'execution_id')).to.deep.equal([
      'exec_2',
      'exec_1',
      'exec_3',
    ]);
  });

  it('an order exists or not', async () => {
    expect(await ids(patterns.orderExists, { orderId: 'order_4' })).to.have.length(1);
    expect(await ids(patterns.orderExists, { orderId: 'order_9' })).to.have.length(0);
  });

  it('positions of a client come by symbol', async () => {
    expect(await ids(patterns.positionsOfClient, { clientId: 'client_1' }, 'symbol')).to.deep.equal(['ADAUSDT', 'BTCUSDT']);
  });

  it('an order found behind hundreds of fills is still found, with its limit of one', async () => {
    const many = Array.from({ length: 300 }, (_, at) => ({
      ...fill,
      execution_id: `early_${at}`,
      order_id: 'order_late',
      executed_at: '14/11/2025 08:00:00',
    }));
    await engine().put(omsTradingData, execution, many);
    await engine().put(omsTradingData, order, [{ ...base, order_id: 'order_late', client_id: 'client_late' }]);
    expect(await ids(patterns.orderById, { orderId: 'order_late' })).to.deep.equal(['order_late']);
  });

  it('hydrates more than 100 keys, in index order', async () => {
    const children = Array.from({ length: 250 }, (_, at) => ({
      ...base,
      order_id: `child_${String(at).padStart(3, '0')}`,
      client_id: `c${at % 7}`,
      master_order_id: 'master_big',
      created_at: `14/11/2025 11:${seconds(at)}`,
    }));
    await engine().put(omsTradingData, order, children);
    expect(await ids(patterns.ofMasterOrder, { masterOrderId: 'master_big' })).to.deep.equal(
      children.map((child) => child.order_id),
    );
  });

  it('pages past 1 MB without losing or doubling a record', async () => {
    const filler = 'x'.repeat(9_000);
    const many = Array.from({ length: 300 }, (_, at) => ({
      ...base,
      client_id: 'client_paged',
      order_id: `p_${String(at).padStart(3, '0')}`,
      product_id: 'prod_paged',
      order_type: filler,
      created_at: `14/11/2025 12:${seconds(at)}`,
    }));
    await engine().put(omsTradingData, order, many);
    for (const [pattern, params] of [
      [patterns.ordersOfClient, { clientId: 'client_paged' }],
      [patterns.ordersByProduct, { productId: 'prod_paged' }],
    ] as const) {
      const read = await readAll(engine().environment, pattern, params);
      expect(read.pages).to.be.greaterThan(1);
      expect(read.items.map((item) => item.order_id)).to.deep.equal(many.map(({ order_id }) => ({ S: order_id })));
    }
  });

  it('wrong parameters are all named, with an example call', async () => {
    const failure = await engine()
      .read(patterns.ordersByProduct, { from: 'yesterday', colour: 'red' })
      .then(
        () => undefined,
        (error: unknown) => error as TablewrightError,
      );
    expect(failure?.code).to.equal('BAD_PARAMETER');
    expect(failure?.problems.join('\n'))
      .to.match(/productId: .*found nothing/)
      .and.to.contain('from: expected an ISO 8601 time')
      .and.to.contain('colour');
    expect(failure?.next).to.equal(
      'It takes productId, from, to, as in: tablewright query oms.trading.ordersByProduct productId=prod_001',
    );
  });

  it('a range that ends before it begins is refused', async () => {
    const params = { productId: 'prod_1', from: '2025-11-15T00:00:00Z', to: '2025-11-14T00:00:00Z' };
    const failure = await engine()
      .read(patterns.ordersByProduct, params)
      .then(
        () => undefined,
        (error: unknown) => error as Error,
      );
    expect(failure?.message).to.equal('from 2025-11-15T00:00:00Z lies after to 2025-11-14T00:00:00Z');
  });
});
