import { expect } from 'chai';
import { type OpenWriter, openReader, openWriter } from '../../../engine/application.ts';
import {
  control,
  marketOrders,
  marketPositions,
  markets,
  omsConfig,
  omsTradingData,
  orderManagement,
  trades,
} from '../../../tables/catalogue.ts';
import * as entities from '../../../tables/entities.ts';
import type { InputOf, RecordOf } from '../../../tables/model/entity.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import * as operations from '../../../tables/operations.ts';
import project from '../../../tablewright.config.ts';
import { failureOf } from '../../support/failure-of.ts';
import { contentOf } from '../../support/migrate-engine.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';

const { product, client, order, execution, market, marketOrder, marketPosition, trade } = entities;

const bitcoin = { product_id: 'p1', name: 'Bitcoin', status: 'ACTIVE' };
const ordered = (more: Partial<InputOf<typeof order>> = {}): InputOf<typeof order> => ({
  order_id: 'o1',
  client_id: 'c1',
  product_id: 'p1',
  symbol: 'BTCBRL',
  side: 'BUY',
  quantity: '0.30000000000000000000000000000000001',
  status: 'NEW',
  order_type: 'LIMIT',
  created_at: '14/11/2025 10:30:00',
  updated_at: '14/11/2025 10:30:00',
  ...more,
});
const bid = (more: Partial<InputOf<typeof marketOrder>> = {}): InputOf<typeof marketOrder> => ({
  id: 'b1',
  marketId: 'm1',
  side: 'Buy',
  price: '101.25',
  size: '500',
  remaining: '200',
  status: 'Open',
  owner: 'me',
  createdAt: '2025-10-14T10:00:00.000Z',
  ...more,
});
const applied = { outcome: 'applied', written: true };
const unchanged = { outcome: 'applied', written: false };
const refused = (reason: string, record: string) => ({ outcome: 'refused', reason, record });

describe('the writer for applications', () => {
  const tables = [omsConfig, omsTradingData, markets, marketOrders, marketPositions, trades, control, orderManagement, ledger];
  const engine = useEngine(tables);
  const place = () => ({ stack: testConfig.stack, region: testConfig.region, endpoint: engine().endpoint });
  let writer: OpenWriter;
  let reader: ReturnType<typeof openReader<typeof project>>;
  const items = async (table: (typeof tables)[number]) =>
    Object.values(await contentOf(engine(), table)) as Record<string, Record<string, unknown>>[];

  before(async () => {
    writer = openWriter(project, place());
    reader = openReader(project, { ...place(), follow: 'query' });
    await writer.put(client, { client_id: 'c1', name: 'Aurora', status: 'ACTIVE' });
    await writer.put(product, bitcoin);
    await writer.put(market, { id: 'm1', title: 'Will it?', status: 'Active', createdAt: '2025-10-01T09:00:00Z' });
  });
  after(async () => {
    await reader.close();
    await writer.close();
  });

  it('puts a record with its keys, index attributes, constants and ttl, digit by digit; the reader finds it', async () => {
    expect(await writer.put(marketOrder, bid())).to.deep.equal(applied);
    expect(await reader.first('markets.orders.bestBids', { marketId: 'm1' })).to.deep.equal(bid());
    const [stored] = await items(marketOrders);
    expect(stored).to.deep.include({
      gsi1pk: { S: 'm1#Buy' },
      gsi1sk: { N: '-101.25' },
      sort: { N: '-101.25' },
      gsi3pk: { S: 'me' },
    });
  });

  it('never replaces a record that is there', async () => {
    expect(await writer.put(marketOrder, bid({ price: '1' }))).to.deep.equal(refused('exists', 'orders/ORDER b1'));
    expect(await reader.first('markets.orders.byId', { id: 'b1' })).to.deep.equal(bid());
  });

  it('updates a record as it was read, and what follows from it; a record that was changed meanwhile is left alone', async () => {
    const read = (await reader.first('markets.orders.byId', { id: 'b1' })) as RecordOf<typeof marketOrder>;
    expect(await writer.update(marketOrder, read, { status: 'Cancelled' })).to.deep.equal(applied);
    expect(await reader.count('markets.orders.bestBids', { marketId: 'm1' })).to.equal(0);
    expect(await writer.update(marketOrder, read, { remaining: '100' })).to.deep.equal(refused('changed', 'orders/ORDER b1'));
    const now = (await reader.first('markets.orders.byId', { id: 'b1' })) as RecordOf<typeof marketOrder>;
    expect(now).to.deep.equal({ ...read, status: 'Cancelled' });
    expect(await writer.update(marketOrder, now, { status: 'Open', remaining: '0.5' })).to.deep.equal(applied);
    expect(await reader.count('markets.orders.bestBids', { marketId: 'm1' })).to.equal(1);
  });

  it('keeps attributes that the catalogue does not know, and takes optional ones away', async () => {
    const raw = { id: { S: 'pos' }, owner: { S: 'me' }, marketId: { S: 'm1' }, size: { N: '-5.50' }, avgPrice: { N: '1' } };
    const times = { createdAt: { S: '2025-10-14T10:00:00Z' }, updatedAt: { S: '2025-10-14T11:00:00Z' } };
    await engine().putRaw(marketPositions, [{ ...raw, ...times, note: { S: 'by hand' } }]);
    const read = (await reader.read('markets.positions.byMarket', { marketId: 'm1' }).all())[0];
    // It stands in no index yet; by its key it is found all the same.
    expect(read).to.equal(undefined);
    const moved = await writer.update(marketPosition, { id: 'pos' }, ({ size }) => ({ size: `${size}5`, updatedAt: undefined }));
    expect(moved).to.deep.equal(applied);
    const [stored] = await items(marketPositions);
    expect(stored).to.deep.equal({
      ...raw,
      size: { N: '-5.55' },
      createdAt: times.createdAt,
      note: { S: 'by hand' },
      gsi1pk: { S: 'me' },
      gsi1sk: { S: 'm1' },
      gsi2pk: { S: 'm1' },
      gsi2sk: { S: 'me' },
    });
  });

  it('sends nothing when nothing has to change, by values or by a function that gives none', async () => {
    const read = (await reader.first('markets.orders.byId', { id: 'b1' })) as RecordOf<typeof marketOrder>;
    expect(await writer.update(marketOrder, read, { remaining: '0.50', status: 'Open' })).to.deep.equal(unchanged);
    expect(await writer.update(marketOrder, { id: 'b1' }, () => undefined)).to.deep.equal(unchanged);
    expect(await writer.together(() => undefined)).to.deep.equal(unchanged);
  });

  it('removes a record as it was read, and no other', async () => {
    const read = (await reader.first('markets.orders.byId', { id: 'b1' })) as RecordOf<typeof marketOrder>;
    expect(await writer.remove(marketOrder, { ...read, remaining: '1' })).to.deep.equal(refused('changed', 'orders/ORDER b1'));
    expect(await writer.remove(marketOrder, read)).to.deep.equal(applied);
    expect(await writer.remove(marketOrder, read)).to.deep.equal(refused('not-found', 'orders/ORDER b1'));
    expect(await writer.update(marketOrder, read, { remaining: '1' })).to.deep.equal(refused('not-found', 'orders/ORDER b1'));
    expect(await writer.update(marketOrder, { id: 'b1' }, () => ({ remaining: '1' }))).to.deep.equal(
      refused('not-found', 'orders/ORDER b1'),
    );
  });

  it('keeps what goes with an order beside it: the record of its id and the link of its analyst', async () => {
    const types = async () => (await items(omsTradingData)).map((item) => item.entity_type?.S).toSorted();
    expect(await writer.put(order, ordered({ analyst_id: 'a1' }))).to.deep.equal(applied);
    expect(await types()).to.deep.equal(['ANALYST_ORDER', 'ORDER', 'ORDER_ID']);
    // Another order of the same id, at another time or of another client.
    const other = ordered({ created_at: '15/11/2025 10:30:00' });
    expect(await writer.put(order, other)).to.have.property('reason', 'exists');
    const read = (await reader.first('oms.trading.orderById', { orderId: 'o1' })) as RecordOf<typeof order>;
    expect(await writer.update(order, read, { quantity: '2', analyst_id: 'a2' })).to.deep.equal(applied);
    expect(await reader.read('oms.trading.ordersByAnalyst', { analystId: 'a1' }).all()).to.deep.equal([]);
    const [link] = await reader.read('oms.trading.ordersByAnalyst', { analystId: 'a2' }).all();
    expect(link).to.deep.equal({ ...read, quantity: '2', analyst_id: 'a2' });
    const ttls = new Set((await items(omsTradingData)).map((item) => item.ttl?.N));
    expect(ttls.size, 'they expire together').to.equal(1);
    const advised = { ...read, quantity: '2', analyst_id: 'a2' };
    expect(await writer.update(order, advised, { analyst_id: undefined })).to.deep.equal(applied);
    expect(await types()).to.deep.equal(['ORDER', 'ORDER_ID']);
    const { analyst_id: _, ...plain } = advised;
    expect(await writer.update(order, plain, { analyst_id: 'a3' })).to.deep.equal(applied);
    expect(await types()).to.deep.equal(['ANALYST_ORDER', 'ORDER', 'ORDER_ID']);
    expect(await writer.remove(order, { ...plain, analyst_id: 'a3' })).to.deep.equal(applied);
    expect(await types()).to.deep.equal([]);
  });

  it('an order that is older than the records of ids keeps its id too', async () => {
    await engine().put(omsTradingData, order, [ordered({ order_id: 'old' })]);
    const second = ordered({ order_id: 'old', created_at: '16/11/2025 10:30:00' });
    expect(await writer.put(order, second)).to.deep.equal(
      refused('exists', 'oms_trading_data/ORDER CLIENT#c1 / ORDER#2025-11-14T10:30:00Z#old'),
    );
    const fill = {
      execution_id: 'e1',
      client_id: 'c1',
      product_id: 'p1',
      symbol: 'BTCBRL',
      side: 'BUY',
      quantity: '1',
      price: '1',
      commission: '0',
      executed_at: '14/11/2025 10:31:00',
    } as const;
    // And can be referred to.
    expect(await writer.put(execution, { ...fill, order_id: 'old' })).to.deep.equal(applied);
    const missing = await failureOf(writer.put(execution, { ...fill, execution_id: 'e2', order_id: 'none' }));
    expect([missing.code, missing.problems]).to.deep.equal([
      'MISSING_REFERENCE',
      ['order_id: expected a oms_trading_data/ORDER with order_id "none", found none'],
    ]);
  });

  it('refuses what seeds refuse, with the names of all attributes, and writes nothing', async () => {
    const before = await items(omsTradingData);
    const bad = await failureOf(
      writer.put(order, { ...ordered(), quantity: '-1', status: 'LOST' as 'NEW', side: 'HOLD' as 'BUY' }),
    );
    expect(bad.code).to.equal('BAD_ITEM');
    expect(bad.problems.map((problem) => problem.split(':')[0]).toSorted()).to.deep.equal(['quantity', 'side', 'status']);
    const missing = await failureOf(writer.put(order, ordered({ order_id: 'o9', product_id: 'p9', client_id: 'c9' })));
    expect([missing.code, missing.problems]).to.deep.equal([
      'MISSING_REFERENCE',
      [
        'client_id: expected a oms_config/CLIENT with client_id "c9", found none',
        'product_id: expected a oms_config/PRODUCT with product_id "p9", found none',
      ],
    ]);
    const changed = await failureOf(
      writer.update(order, ordered() as RecordOf<typeof order>, { quantity: '-2', order_id: 'o2' }),
    );
    expect([changed.code, changed.problems]).to.deep.equal([
      'BAD_ITEM',
      [
        'quantity: expected a number above 0, found "-2"',
        'order_id: a part of the key cannot be changed; remove the record and put another',
      ],
    ]);
    expect(await items(omsTradingData)).to.deep.equal(before);
  });

  it('an older value that no writer may give any more does not keep its record from being changed otherwise', async () => {
    const stored = ordered({ order_id: 'odd' });
    await engine().put(omsTradingData, order, [stored]);
    await engine().putRaw(
      omsTradingData,
      (await items(omsTradingData))
        .filter((item) => item.order_id?.S === 'odd')
        .map((item) => ({ ...item, status: { S: 'SUSPENDED' } }) as never),
    );
    const read = (await reader.first('oms.trading.orderById', { orderId: 'odd' })) as RecordOf<typeof order>;
    expect(read.status).to.equal('SUSPENDED');
    expect(await writer.update(order, read, { price: '7' })).to.deep.equal(applied);
    expect(await reader.first('oms.trading.orderById', { orderId: 'odd' })).to.deep.include({ status: 'SUSPENDED', price: '7' });
  });

  it('records that operations keep are not written by themselves', async () => {
    const { checkpoint, orderId, orderStatus, orderMeta, orderItem } = entities;
    const kept = await failureOf(writer.put(checkpoint, { lastSlot: 1, lastSig: 's' }));
    expect([kept.code, kept.problems]).to.deep.equal([
      'BAD_ARGUMENT',
      ['control/CHECKPOINT is written by markets.advanceCheckpoint'],
    ]);
    const id = await failureOf(writer.put(orderId, { order_id: 'o', client_id: 'c1', created_at: '14/11/2025 10:30:00' }));
    expect(id.problems).to.deep.equal(['oms_trading_data/ORDER_ID is written by oms_trading_data/ORDER']);
    const of = { company_cnpj: '1', order_id: 'O1' };
    const status = await failureOf(writer.put(orderStatus, { ...of, order_status: 'Pago' }));
    expect(status.problems).to.deep.equal([
      'order-management/STATUS is written by orderManagement.changeOrderStatus, or together with its META',
    ]);
    // With its header it begins; the item refers to a header that is written in the same transaction.
    const made = await writer.together((all) => {
      all.put(orderMeta, { ...of, company_name: 'C', order_date: '2025-10-14T10:00:00Z' });
      all.put(orderStatus, { ...of, order_status: 'Pendente' });
      all.put(orderItem, {
        ...of,
        product_id: 'P',
        description: 'd',
        quantity: 1,
        unit_price: '2.5',
        item_status: 'AguardandoEstoque',
      });
    });
    expect(made).to.deep.equal(applied);
    const another = await writer.together((all) => {
      all.put(orderMeta, { ...of, company_name: 'C', order_date: '2025-10-14T10:00:00Z' });
      all.put(orderStatus, { ...of, order_status: 'Pago' });
    });
    expect(another).to.deep.equal(refused('exists', 'order-management/META COMPANY#1#ORDER#O1 / META#1'));
    expect(await reader.count('orderManagement.ordersByStatus', { status: 'Pago' })).to.equal(0);
  });

  it('an order has one status from its beginning to its end: none and two are refused', async () => {
    const { orderStatus, orderMeta } = entities;
    const of = { company_cnpj: '2', order_id: 'O2' };
    const header = { ...of, company_name: 'C', order_date: '2025-10-14T10:00:00Z' };
    const bare = await failureOf(writer.put(orderMeta, header));
    expect([bare.code, bare.problems]).to.deep.equal([
      'BAD_ARGUMENT',
      ['order-management/META comes and goes together with its STATUS: expected one in the transaction, found none'],
    ]);
    const two = await failureOf(
      writer.together((all) => {
        all.put(orderMeta, header);
        all.put(orderStatus, { ...of, order_status: 'Pendente' });
        all.put(orderStatus, { ...of, order_status: 'Pago' });
      }),
    );
    expect(two.problems).to.deep.equal([
      'order-management/META comes and goes together with its STATUS: expected one in the transaction, found 2',
    ]);
    // That of another order is none.
    const others = await failureOf(
      writer.together((all) => {
        all.put(orderMeta, header);
        all.put(orderStatus, { ...of, order_id: 'O3', order_status: 'Pendente' });
      }),
    );
    expect(others.problems).to.have.length(2);
    const both = (all: Parameters<Parameters<OpenWriter['together']>[0]>[0], kind: 'put' | 'remove') => {
      all[kind](orderMeta, header);
      all[kind](orderStatus, { ...of, order_status: 'Pendente' });
    };
    expect(await writer.together((all) => both(all, 'put'))).to.deep.equal(applied);
    expect((await failureOf(writer.remove(orderMeta, header))).code).to.equal('BAD_ARGUMENT');
    expect(await writer.together((all) => both(all, 'remove'))).to.deep.equal(applied);
    expect((await items(orderManagement)).filter((item) => item.order_id?.S === 'O2')).to.deep.equal([]);
  });

  it('of two older orders of one id the one that does not hold it may go, and the other keeps it', async () => {
    const [holder, second] = [ordered({ order_id: 'twin' }), ordered({ order_id: 'twin', created_at: '15/11/2025 10:30:00' })];
    await writer.put(order, holder);
    await engine().put(omsTradingData, order, [second]);
    const kept = async () =>
      (await items(omsTradingData))
        .filter((item) => item.order_id?.S === 'twin')
        .map((item) => `${item.entity_type?.S} ${item.created_at?.S}`)
        .toSorted();
    expect(await kept()).to.have.length(3);
    expect(await writer.remove(order, second as RecordOf<typeof order>, { token: 'twin' })).to.deep.equal(applied);
    expect(await kept()).to.deep.equal(['ORDER 14/11/2025 10:30:00', 'ORDER_ID 14/11/2025 10:30:00']);
    expect(await writer.put(order, second)).to.have.property('reason', 'exists');
    expect(await writer.remove(order, { ...holder, price: '7' } as RecordOf<typeof order>)).to.have.property('reason', 'changed');
    expect(await writer.remove(order, holder as RecordOf<typeof order>)).to.deep.equal(applied);
    expect(await kept()).to.deep.equal([]);
  });

  it('what is referred to can be checked within the transaction', async () => {
    const traded = (id: string, positionId: string): InputOf<typeof trade> => ({
      id,
      marketId: 'm1',
      positionId,
      side: 'Buy',
      price: '1',
      size: '1',
      createdAt: '2025-10-14T10:00:00Z',
    });
    expect(await writer.put(trade, traded('t1', 'pos'), { references: 'transaction' })).to.deep.equal(applied);
    const missing = await failureOf(writer.put(trade, traded('t2', 'none'), { references: 'transaction' }));
    expect([missing.code, missing.problems]).to.deep.equal([
      'MISSING_REFERENCE',
      ['positionId: expected a positions/POSITION with id "none", found none'],
    ]);
    const orphan = await failureOf(writer.update(trade, traded('t1', 'pos') as never, { positionId: 'none' }));
    expect(orphan.code).to.equal('MISSING_REFERENCE');
  });

  it('what a transaction takes away is not there to be referred to', async () => {
    const leaving = { client_id: 'leaving', name: 'L', status: 'ACTIVE' };
    await writer.put(client, leaving);
    for (const references of ['read', 'transaction'] as const) {
      const gone = await failureOf(
        writer.together(
          (all) => {
            all.remove(client, leaving);
            all.put(order, ordered({ order_id: 'late', client_id: 'leaving' }));
          },
          { references },
        ),
      );
      expect([gone.code, gone.problems]).to.deep.equal([
        'MISSING_REFERENCE',
        ['client_id: expected a oms_config/CLIENT with client_id "leaving", found none'],
      ]);
    }
    expect(await reader.first('oms.trading.orderById', { orderId: 'late' })).to.equal(undefined);
  });

  it('that a record is there is remembered for a moment, that it is missing never', async () => {
    const asked: string[] = [];
    const watching = openWriter(project, { ...place(), client: engine().client });
    engine().client.middlewareStack.add(
      (next, context) => (args) => {
        if (context.commandName === 'GetItemCommand') asked.push(JSON.stringify((args.input as { Key?: unknown }).Key));
        return next(args);
      },
      { name: 'watch', step: 'initialize', override: true },
    );
    const put = (at: number, product_id: string) => watching.put(order, ordered({ order_id: `r${at}`, product_id }));
    await Promise.all(Array.from({ length: 8 }, (_, at) => put(at, 'p1')));
    expect(asked, 'client and product, once each').to.have.length(2);
    expect((await failureOf(put(9, 'p2'))).code).to.equal('MISSING_REFERENCE');
    await watching.put(product, { ...bitcoin, product_id: 'p2' });
    expect(await put(9, 'p2')).to.deep.equal(applied);
    expect(asked).to.have.length(4);
    engine().client.middlewareStack.remove('watch');
  });

  it('a transaction that is sent again with its token counts once; other contents under it are refused', async () => {
    const record = { ...bitcoin, product_id: 'tok' };
    expect(await writer.put(product, record, { token: 'put-1' })).to.deep.equal(applied);
    expect(await writer.put(product, record, { token: 'put-1' })).to.deep.equal(applied);
    expect(await writer.put(product, record)).to.have.property('reason', 'exists');
    expect(await writer.update(product, record, { name: 'Other' }, { token: 'update-1' })).to.deep.equal(applied);
    expect(await writer.update(product, record, { name: 'Other' }, { token: 'update-1' })).to.deep.equal(applied);
    const reused = await failureOf(writer.put(product, { ...record, product_id: 'tok2' }, { token: 'put-1' }));
    expect([reused.code, reused.exitCode]).to.deep.equal(['TOKEN_REUSED', 2]);
    const created = ordered({ order_id: 'tokened', analyst_id: 'a' });
    const once = { outcome: 'applied', transactions: 1, refusals: [] };
    expect(await writer.run(operations.createOrder, created, { token: 'order-1' })).to.deep.equal(once);
    expect(await writer.run(operations.createOrder, created, { token: 'order-1' })).to.deep.equal(once);
    expect(await writer.run(operations.createOrder, created)).to.deep.equal({ outcome: 'refused', reason: 'order-exists' });
    const long = await failureOf(writer.put(product, record, { token: 'x'.repeat(37) }));
    expect([long.code, long.problems]).to.deep.equal([
      'BAD_ARGUMENT',
      ['token: expected 1 to 36 characters, found 37 characters'],
    ]);
  });

  it('a record stands in a transaction once, a key has all its parts, and only what the stack has is written', async () => {
    const twice = await failureOf(
      writer.together((all) => {
        all.put(product, { ...bitcoin, product_id: 'x' });
        all.put(product, { ...bitcoin, product_id: 'x' });
      }),
    );
    expect([twice.code, twice.problems]).to.deep.equal(['BAD_ARGUMENT', ['oms_config/PRODUCT PRODUCT#x / CONFIG']]);
    const partial = await failureOf(writer.update(order, { order_id: 'o1' }, () => ({ price: '1' })));
    expect([partial.code, partial.problems]).to.deep.equal(['BAD_PARAMETER', ['client_id: missing', 'created_at: missing']]);
    const part = await failureOf(writer.update(product, { product_id: 'p1' } as never, { name: 'x' } as never));
    expect([part.code, part.problems.map((problem) => problem.split(':')[0])]).to.deep.equal([
      'BAD_PARAMETER',
      ['name', 'status'],
    ]);
    const small = openWriter(project, { ...place(), systems: ['oms'] });
    expect((await failureOf(small.put(market, {} as never))).code).to.equal('UNKNOWN_NAME');
    await small.close();
  });

  it('collects what is to happen together also over a wait; what comes too late is an error, never lost', async () => {
    const record = (product_id: string) => ({ ...bitcoin, product_id });
    const waited = await writer.together(async (all) => {
      all.put(product, record('w1'));
      await new Promise((resolve) => setTimeout(resolve, 5));
      all.put(product, record('w2'));
    });
    expect(waited).to.deep.equal(applied);
    const found = (await items(omsConfig)).map((item) => item.product_id?.S);
    expect(found).to.include.members(['w1', 'w2']);
    let late: Promise<unknown> | undefined;
    await writer.together((all) => {
      late = new Promise((resolve) => setTimeout(resolve, 5)).then(() => all.put(product, record('w3')));
    });
    const told = await failureOf(late as Promise<unknown>);
    expect([told.code, told.message.split('\n')[0]]).to.deep.equal([
      'BAD_ARGUMENT',
      'oms_config/PRODUCT: the others are on their way already',
    ]);
  });

  it('a program without types is told what it gave in place of what', async () => {
    const loose = writer as unknown as Record<'put' | 'update' | 'remove' | 'run', (...args: unknown[]) => Promise<unknown>>;
    const told = async (call: Promise<unknown>) => {
      const { code, message, problems } = await failureOf(call);
      return [code, problems.length === 0 ? message.split('\n')[0] : problems];
    };
    expect(await told(loose.put(undefined, bitcoin))).to.deep.equal([
      'BAD_ARGUMENT',
      'put: expected an entity of the catalogue, found undefined',
    ]);
    expect(await told(loose.put(product, undefined))).to.deep.equal([
      'BAD_ARGUMENT',
      'oms_config/PRODUCT: expected a record, found undefined',
    ]);
    expect(await told(loose.update(product, null, () => ({})))).to.deep.equal([
      'BAD_ARGUMENT',
      'oms_config/PRODUCT: expected a record, found null',
    ]);
    const changes = 'oms_config/PRODUCT: expected changes by the names of attributes, found';
    expect(await told(loose.update(product, bitcoin, null))).to.deep.equal(['BAD_ARGUMENT', `${changes} null`]);
    expect(await told(loose.update(product, { product_id: 'p1' }, () => 'SUSPENDED'))).to.deep.equal([
      'BAD_ARGUMENT',
      `${changes} 9 characters`,
    ]);
    expect(await told(loose.put(product, bitcoin, { tokn: 'x', references: 'both', token: 7 }))).to.deep.equal([
      'BAD_ARGUMENT',
      [
        'tokn: unknown option; there are signal, token, references',
        'references: expected read or transaction, found "both"',
        'token: expected 1 to 36 characters, found a number',
      ],
    ]);
    expect(await told(loose.run(undefined, {}))).to.deep.equal([
      'BAD_ARGUMENT',
      'run: expected an operation of the catalogue, found undefined',
    ]);
  });
});
