import { expect } from 'chai';
import fc from 'fast-check';
import { dynamoClient, localCredentials } from '../../../engine/aws/clients.ts';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../../engine/cli/read-environment.ts';
import type { TransactRequest } from '../../../engine/core/store/store.ts';
import { engineNames } from '../../../engine/local/choose-engine.ts';
import { openDynamo } from '../../../engine/local/local-engine.ts';
import { sha256 } from '../../../engine/local/sha256.ts';
import { unlimitedGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { readAll } from '../../../engine/run/read/read-pattern.ts';
import { ensureTable } from '../../../engine/run/tables/ensure-tables.ts';
import type { WriteEnvironment } from '../../../engine/run/write/carry-out.ts';
import { runOperation } from '../../../engine/run/write/run-operation.ts';
import { Writer } from '../../../engine/run/write/writer.ts';
import { activeCoins } from '../../../tables/backtest/active-coins.ts';
import { backtestResults, result } from '../../../tables/backtest/results.ts';
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
import { type Item, plainItem, scalarText } from '../../../tables/model/attribute-value.ts';
import { addDecimals } from '../../../tables/model/decimal.ts';
import type { Entity, InputOf } from '../../../tables/model/entity.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { buildItem } from '../../../tables/model/item.ts';
import type { Operation } from '../../../tables/model/operation.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import * as operations from '../../../tables/operations.ts';
import { seededRandom } from '../../support/fault-proxy.ts';
import { skipWithout } from '../../support/java.ts';
import { testConfig } from '../../support/test-engine.ts';

const tables = [
  omsConfig,
  omsTradingData,
  markets,
  marketOrders,
  marketPositions,
  trades,
  control,
  backtestResults,
  activeCoins,
  orderManagement,
] as readonly Table[];

type Params = Readonly<Record<string, unknown>>;
type Ended = { readonly outcome: string; readonly reason?: string };

/** How the network behaves: a share of answers is lost after the write, and every call waits a random while. */
interface Trouble {
  readonly random: () => number;
  readonly lost: number;
}

class World {
  readonly environment: WriteEnvironment;
  #trouble: Trouble | undefined;
  lost = 0;

  constructor(endpoint: string) {
    const client = dynamoClient({ region: 'us-east-1', endpoint, credentials: localCredentials, maxAttempts: 1 });
    const store = dynamoStore(client);
    this.environment = {
      store: { ...store, transact: (request, signal) => this.#transact(() => store.transact(request, signal), request) },
      tables,
      names: testConfig,
      gates: unlimitedGates(),
      writeGates: unlimitedGates(),
      sleep: (ms, signal) => sleep(Math.min(ms, 5), signal),
      random: Math.random,
      digest: sha256,
    };
  }

  meet(seed: number, lost: number): void {
    this.#trouble = { random: seededRandom(seed), lost };
  }

  async #transact<T>(send: () => Promise<T>, _request: TransactRequest): Promise<T> {
    const { random = () => 1, lost = 0 } = this.#trouble ?? {};
    await sleep(random() * 3);
    const answer = await send();
    await sleep(random() * 3);
    if (random() >= lost) return answer;
    this.lost += 1;
    const repeatable = { cause: 'connection', tries: 1, what: 'the answer was lost' } as const;
    throw new TablewrightError('STORE_FAILED', 'the answer was lost', { repeatable });
  }

  /** By name, how many of an operation were under way at once at most. */
  readonly atOnce = new Map<string, number>();
  readonly #underWay = new Map<string, number>();

  run = async (operation: unknown, params: Params): Promise<Ended> => {
    const { name } = operation as Operation;
    const count = (this.#underWay.get(name) ?? 0) + 1;
    this.#underWay.set(name, count);
    this.atOnce.set(name, Math.max(count, this.atOnce.get(name) ?? 0));
    try {
      return (await runOperation(this.environment, operation as Operation, params as never)) as Ended;
    } finally {
      this.#underWay.set(name, (this.#underWay.get(name) ?? 1) - 1);
    }
  };

  async put<E extends Entity>(table: Table, entity: E, ...inputs: readonly InputOf<E>[]): Promise<void> {
    for (const input of inputs) await this.putRaw(table, buildItem(table, entity, input));
  }

  async putRaw(table: Table, item: Item): Promise<void> {
    const { done } = await dynamoOf(this).transact({
      TransactItems: [{ Put: { TableName: physicalName(table, testConfig), Item: item } }],
    });
    if (!done) throw new Error('not put');
  }

  read = async (pattern: Pattern, params: Params) => (await readAll(this.environment, pattern, params)).items.map(plainItem);

  async scan(table: Table): Promise<readonly Item[]> {
    const page = await this.environment.store.scan({ TableName: physicalName(table, testConfig), ConsistentRead: true });
    return page.items;
  }
}

/** The store without trouble. */
const dynamoOf = (world: World) => {
  world.meet(0, 0);
  return world.environment.store;
};

const all = <T>(count: number, work: (at: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));
const applied = (ended: readonly Ended[]) => ended.filter(({ outcome }) => outcome === 'applied').length;
const text = (item: Item | undefined, name: string) => scalarText(item?.[name]);

/** Of today: a server that deletes what has expired would take part in the tests. */
const today = new Date().toISOString().slice(0, 10).split('-').toReversed().join('/');
const brazil = (at: number) =>
  `${today} ${String(10 + Math.floor(at / 3_600)).padStart(2, '0')}:${String(Math.floor(at / 60) % 60).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
const newOrder = (order_id: string, at: number, more: Params = {}) => ({
  order_id,
  client_id: `c${at % 3}`,
  product_id: 'p1',
  symbol: 'BTCBRL',
  side: 'BUY',
  quantity: '1',
  status: 'NEW',
  order_type: 'LIMIT',
  analyst_id: 'a1',
  created_at: brazil(at),
  updated_at: brazil(at),
  ...more,
});

const seeds = fc.integer({ min: 1, max: 1_000_000 });
const runs = { numRuns: 4, seed: 20_261_117 };
/** A fifth of all answers is lost after the write was done. */
const lossy = 0.2;

for (const engine of engineNames) {
  describe(`operations under concurrency, on ${engine}`, function () {
    this.timeout(300_000);
    skipWithout(engine);
    let world: World;
    let close: (() => Promise<void>) | undefined;
    let number = 0;
    /** A name of its own for every run of a property. */
    const fresh = (word: string) => {
      number += 1;
      return `${word}${number}`;
    };

    before(async () => {
      const service = await openDynamo({ data: { kind: 'memory' }, engine });
      world = new World(service.endpoint);
      close = () => service.release();
      const { store } = world.environment;
      for (const table of tables) await ensureTable({ store, config: testConfig, sleep }, table);
      for (const id of ['c0', 'c1', 'c2'])
        await world.put(omsConfig, entities.client, { client_id: id, name: id, status: 'ACTIVE' });
      await world.put(omsConfig, entities.product, { product_id: 'p1', name: 'p1', status: 'ACTIVE' });
      await world.put(markets, entities.market, { id: 'm', title: 'm', status: 'Active', createdAt: '2025-10-01T00:00:00Z' });
    });
    after(() => close?.());

    /** A property of any interleaving, with answers that are lost on the way. */
    const holds = (check: (seed: number) => Promise<void>) =>
      fc.assert(
        fc.asyncProperty(seeds, async (seed) => {
          world.meet(seed, lossy);
          await check(seed);
          world.meet(0, 0);
        }),
        runs,
      );

    it('of fifty who create orders of one id, at different times and for different clients, one does', async () => {
      world.meet(1, 0);
      const id = fresh('fifty');
      const ended = await all(50, (at) => world.run(operations.createOrder, newOrder(id, at)));
      expect(applied(ended)).to.equal(1);
      expect(new Set(ended.flatMap(({ reason }) => reason ?? []))).to.deep.equal(new Set(['order-exists']));
      const items = (await world.scan(omsTradingData)).filter((item) => text(item, 'order_id') === id);
      expect(items.map((item) => text(item, 'entity_type')).toSorted()).to.deep.equal(['ANALYST_ORDER', 'ORDER', 'ORDER_ID']);
      expect(
        new Set(items.map((item) => `${text(item, 'client_id')} ${text(item, 'created_at')} ${text(item, 'ttl')}`)).size,
      ).to.equal(1);
    });

    it('createOrder: one order of an id, with its link, also when answers are lost', () =>
      holds(async () => {
        const id = fresh('order');
        const ended = await all(8, (at) => world.run(operations.createOrder, newOrder(id, at)));
        expect(applied(ended)).to.equal(1);
        const items = (await world.scan(omsTradingData)).filter((item) => text(item, 'order_id') === id);
        expect(items.map((item) => text(item, 'entity_type')).toSorted()).to.deep.equal(['ANALYST_ORDER', 'ORDER', 'ORDER_ID']);
      }));

    it('updateOrderStatus: order and link agree on one of those that were applied', () =>
      holds(async () => {
        const orderId = fresh('status');
        await world.run(operations.createOrder, newOrder(orderId, 1));
        const statuses = ['PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED'];
        const ended = await all(5, (at) =>
          world.run(operations.updateOrderStatus, { orderId, status: statuses[at], updatedAt: brazil(100 + at) }),
        );
        const [order] = await world.read(omsTradingData.patterns.orderById, { orderId });
        const links = await world.read(omsTradingData.patterns.ordersByAnalyst, { analystId: 'a1' });
        const link = links.find((one) => one.order_id === orderId);
        expect([link?.status, link?.updated_at]).to.deep.equal([order?.status, order?.updated_at]);
        expect(statuses.filter((_, at) => ended[at]?.outcome === 'applied')).to.include(order?.status);
      }));

    it('fillOrder: what is left is the size less the trades, each once, however often it is sent; never below zero', () =>
      holds(async (seed) => {
        const random = seededRandom(seed);
        const id = fresh('book');
        const owner = { owner: 'w', createdAt: '2025-10-14T10:00:00Z' };
        await world.put(marketOrders, entities.marketOrder, {
          id,
          marketId: 'm',
          side: 'Buy',
          price: '1.5',
          size: '10',
          remaining: '10',
          status: 'Open',
          ...owner,
        });
        await world.put(marketPositions, entities.marketPosition, {
          id: `${id}:p`,
          marketId: 'm',
          size: '0',
          avgPrice: '1',
          ...owner,
        });
        world.meet(seed, lossy);
        // Trades of up to 3, together more than there is; each is sent twice, at once, as by two that both believe they must.
        const fills = Array.from({ length: 8 }, (_, at) => ({
          id: `${id}:t${at}`,
          marketId: 'm',
          positionId: `${id}:p`,
          orderId: id,
          side: 'Sell',
          price: '1.5',
          size: `${Math.floor(random() * 3)}.${1 + Math.floor(random() * 9)}`,
          createdAt: '2025-10-14T10:00:00Z',
        }));
        const ended = await Promise.all([...fills, ...fills].map((fill) => world.run(operations.fillMarketOrder, fill)));
        const recorded = (await world.scan(trades)).filter((trade) => text(trade, 'orderId') === id);
        expect(applied(ended)).to.equal(recorded.length);
        const filled = recorded.reduce((sum, trade) => addDecimals(sum, text(trade, 'size') ?? '0'), '0');
        const [order] = (await world.scan(marketOrders)).filter((one) => text(one, 'id') === id);
        const left = text(order, 'remaining') ?? '';
        expect(addDecimals(filled, left)).to.equal('10');
        expect(Number(left)).to.be.at.least(0);
        // In the book exactly while something is left.
        expect(order?.gsi1pk).to.deep.equal(left === '0' ? undefined : { S: 'm#Buy' });
        expect(text(order, 'status')).to.equal(left === '0' ? 'Filled' : recorded.length === 0 ? 'Open' : 'PartiallyFilled');
      }));

    it('updateOrder: of those that go by what they saw one is applied, and the book follows; nothing to change is none', () =>
      holds(async () => {
        const id = fresh('seen');
        const open = { status: 'Open', remaining: '5' } as const;
        await world.put(marketOrders, entities.marketOrder, {
          id,
          marketId: 'm',
          side: 'Sell',
          price: '2',
          size: '5',
          owner: 'w',
          createdAt: '2025-10-14T10:00:00Z',
          ...open,
        });
        expect(await world.run(operations.updateMarketOrder, { id, ...open })).to.deep.equal({
          outcome: 'applied',
          transactions: 0,
          refusals: [],
        });
        const ended = await all(6, (at) =>
          world.run(operations.updateMarketOrder, {
            id,
            status: at % 2 === 0 ? 'Cancelled' : 'PartiallyFilled',
            remaining: `${at % 2 === 0 ? 5 : at}`,
            expected: open,
          }),
        );
        const [order] = (await world.scan(marketOrders)).filter((one) => text(one, 'id') === id);
        expect(applied(ended)).to.equal(1);
        expect(order?.gsi2pk !== undefined).to.equal(text(order, 'status') === 'PartiallyFilled');
      }));

    it('positions: every change by a function counts once, to the last digit', () =>
      holds(async (seed) => {
        const id = fresh('position');
        const position = { id, owner: 'w', marketId: 'm', size: '0', avgPrice: '1', createdAt: '2025-10-14T10:00:00Z' };
        await world.put(marketPositions, entities.marketPosition, position);
        world.meet(seed, lossy);
        const writer = new Writer(world.environment);
        const amounts = Array.from({ length: 12 }, (_, at) => (at % 3 === 0 ? `-${at}.000000000000000000000001` : `${at}.1`));
        const ended = await Promise.all(
          amounts.map((amount) =>
            writer.update(entities.marketPosition, { id }, ({ size }) => ({ size: addDecimals(size, amount) })),
          ),
        );
        expect(applied(ended)).to.equal(12);
        const [stored] = (await world.scan(marketPositions)).filter((one) => text(one, 'id') === id);
        expect(text(stored, 'size')).to.equal(amounts.reduce(addDecimals, '0'));
      }));

    it('the writer: of those that put, update or remove one record by what they saw one is applied', () =>
      holds(async (seed) => {
        const product_id = fresh('product');
        const writer = new Writer(world.environment);
        const record = { product_id, name: 'n', status: 'ACTIVE' };
        world.meet(seed, lossy);
        expect(applied(await all(6, () => writer.put(entities.product, record)))).to.equal(1);
        const ended = await all(6, (at) =>
          at % 2 === 0 ? writer.remove(entities.product, record) : writer.update(entities.product, record, { name: `n${at}` }),
        );
        expect(applied(ended)).to.equal(1);
        const stored = (await world.scan(omsConfig)).find((item) => text(item, 'product_id') === product_id);
        const winner = ended.findIndex(({ outcome }) => outcome === 'applied');
        expect(text(stored, 'name')).to.equal(winner % 2 === 0 ? undefined : `n${winner}`);
      }));

    it('claimSignature: of all who claim one signature one has it', () =>
      holds(async () => {
        const signature = fresh('signature');
        const ended = await all(10, () => world.run(operations.claimSignature, { signature, now: 1_000, seconds: 60 }));
        expect(applied(ended)).to.equal(1);
      }));

    it('advanceCheckpoint: it is the highest slot that was given, with that slot’s signature, and never went back', () =>
      holds(async (seed) => {
        const random = seededRandom(seed);
        const begin = Number(text((await world.scan(control)).find(isCheckpoint), 'lastSlot') ?? 0);
        const slots = Array.from({ length: 10 }, () => begin + 1 + Math.floor(random() * 50));
        const ended = await Promise.all(
          slots.map((slot) => world.run(operations.advanceCheckpoint, { slot, signature: `sig-${slot}` })),
        );
        const stored = (await world.scan(control)).find(isCheckpoint);
        const highest = Math.max(...slots);
        expect([text(stored, 'lastSlot'), text(stored, 'lastSig')]).to.deep.equal([String(highest), `sig-${highest}`]);
        expect(applied(ended)).to.be.within(1, new Set(slots).size);
      }));

    it('takeLock, renewLock, releaseLock: one holder at a time, and only the holder renews and gives back', () =>
      holds(async (seed) => {
        const random = seededRandom(seed);
        for (const item of (await world.scan(control)).filter((one) => text(one, 'name') === 'indexer:lock')) {
          await world.run(operations.releaseLock, { owner: text(item, 'lockedBy') });
        }
        const base = 1_000_000;
        const took = await all(6, (at) => world.run(operations.takeLock, { owner: `o${at}`, now: base, seconds: 30 }));
        expect(applied(took)).to.equal(1);
        const holder = took.findIndex(({ outcome }) => outcome === 'applied');
        // Renewals, take-overs before it has expired and releases by others, in any order.
        const tries = await all(12, async (at) => {
          const owner = `o${at % 6}`;
          const now = base + Math.floor(random() * 20);
          if (at < 6) return { owner, kind: 'renew', ...(await world.run(operations.renewLock, { owner, now, seconds: 30 })) };
          const isHolder = at % 6 === holder;
          if (isHolder) return { owner, kind: 'none', outcome: 'refused' };
          return { owner, kind: 'release', ...(await world.run(operations.releaseLock, { owner })) };
        });
        const successes = tries.filter(({ outcome }) => outcome === 'applied');
        expect(successes.map(({ owner, kind }) => [owner, kind])).to.deep.equal([[`o${holder}`, 'renew']]);
        // Expired for good: one of those who come next has it, and the former holder has lost it.
        const next = await all(6, (at) => world.run(operations.takeLock, { owner: `n${at}`, now: base + 10_000, seconds: 30 }));
        expect(applied(next)).to.equal(1);
        expect(await world.run(operations.renewLock, { owner: `o${holder}`, now: base + 10_001, seconds: 30 })).to.have.property(
          'reason',
          'lock-lost',
        );
      }));

    it('changeOrderStatus and changeItemStatus: an order has one status record, an item one queue', () =>
      holds(async (seed) => {
        const order_id = fresh('OM');
        const of = { company_cnpj: '1', order_id };
        const product = { product_id: 'P', description: 'd', quantity: 1, unit_price: '1' };
        await world.put(orderManagement, entities.orderMeta, { ...of, company_name: 'C', order_date: '2025-10-14T10:00:00Z' });
        await world.put(orderManagement, entities.orderStatus, { ...of, order_status: 'Pendente' });
        await world.put(orderManagement, entities.orderItem, { ...of, ...product, item_status: 'AguardandoEstoque' });
        world.meet(seed, lossy);
        const key = { cnpj: '1', orderId: order_id };
        const phases = ['Pago', 'AguardandoSeparacao', 'Enviado', 'Cancelado'];
        const moved = await all(8, (at) =>
          world.run(operations.changeOrderStatus, { ...key, from: 'Pendente', to: phases[at % 4] }),
        );
        const queues = ['SemEstoque', 'AguardandoSeparacao', 'Separado', 'Cancelado'];
        const queued = await all(8, (at) =>
          world.run(operations.changeItemStatus, { ...key, productId: 'P', from: 'AguardandoEstoque', to: queues[at % 4] }),
        );
        expect([applied(moved), applied(queued)]).to.deep.equal([1, 1]);
        const records = (await world.scan(orderManagement)).filter((item) => text(item, 'order_id') === order_id);
        const statuses = records.filter((item) => text(item, 'SK')?.startsWith('STATUS#'));
        expect(statuses.map((item) => text(item, 'order_status'))).to.deep.equal([
          phases[moved.findIndex(({ outcome }) => outcome === 'applied') % 4],
        ]);
        const item = records.find((one) => text(one, 'SK') === 'ITEM#P');
        expect(text(item, 'GSI2-PK')).to.equal(`ITEMSTATUS#${text(item, 'item_status')}`);
      }));

    for (const dropped of ['deactivate', 'delete'] as const) {
      it(`replaceScanCoins (${dropped}): rows say what the newest scan said, whatever the order in which scans arrive`, () =>
        holds(async (seed) => {
          const coins = ['A', 'B', 'C', 'D'].map((name) => fresh(name));
          // From now on: a server that deletes what has expired would take part in the test.
          const start = Math.floor(Date.now() / 1_000) + number * 1_000;
          for (const symbol of coins) await world.putRaw(backtestResults, resultItem(symbol, start));
          world.meet(seed, lossy);
          const scans = [
            { scanId: 's1', scanTimestamp: start + 10, selected: [coins[0], coins[1]], dropped },
            { scanId: 's2', scanTimestamp: start + 20, selected: [coins[1], coins[2]], dropped },
          ];
          // Each twice: a scan that is repeated counts once.
          await Promise.all([...scans, ...scans].map((scan) => world.run(operations.replaceScanCoins, scan)));
          await world.run(operations.replaceScanCoins, scans[0] as Params);
          const rows = new Map((await world.scan(activeCoins)).map((row) => [text(row, 'symbol') ?? '', row]));
          const shown = coins.map((symbol) => [rows.get(symbol)?.is_active, text(rows.get(symbol), 'last_scan_id')]);
          const [first, second, third] = shown;
          expect(first, 'chosen by the first, dropped by the second').to.deep.equal([{ BOOL: false }, 's2']);
          expect(second).to.deep.equal([{ BOOL: true }, 's2']);
          expect(third).to.deep.equal([{ BOOL: true }, 's2']);
          expect(Number(text(rows.get(coins[1] ?? ''), 'consecutive_scans'))).to.be.within(1, 2);
          const active = (await world.scan(backtestResults)).filter((item) => text(item, 'status') === 'active');
          const symbols = active.map((item) => text(item, 'symbol'));
          expect(symbols).not.to.include.members([coins[3] ?? '']);
        }));
    }

    it('positions of the OMS, with a token each that is sent twice: every change counts once or says that it was sent', () =>
      holds(async (seed) => {
        const symbol = fresh('SYM');
        const of = { client_id: 'c1', symbol, side: 'LONG' } as const;
        const rest = { avg_entry_price: '1', unrealized_pnl: '0', realized_pnl: '0', last_updated: brazil(1) };
        await world.put(omsTradingData, entities.position, { ...of, ...rest, product_id: 'p1', quantity: '0' });
        world.meet(seed, lossy);
        const writer = new Writer(world.environment);
        const add = (at: number) =>
          writer
            .update(entities.position, of, ({ quantity }) => ({ quantity: addDecimals(quantity, `${at}.1`) }), {
              token: `${symbol}-${at}`,
            })
            .catch((error: unknown) => {
              if (error instanceof TablewrightError && error.code === 'TOKEN_REUSED') return { outcome: 'sent before' };
              throw error;
            });
        const amounts = Array.from({ length: 6 }, (_, at) => at);
        await Promise.all([...amounts, ...amounts].map(add));
        const stored = (await world.scan(omsTradingData)).find((item) => text(item, 'symbol') === symbol);
        expect(text(stored, 'quantity')).to.equal(amounts.map((at) => `${at}.1`).reduce(addDecimals, '0'));
      }));

    it('answers were lost in these tests, and what they did counted once', () => {
      expect(world.lost).to.be.greaterThan(20);
    });

    it('every operation of the catalogue was tried by several at once', () => {
      const names = Object.values(operations).map(({ name }) => name);
      expect(names.filter((name) => (world.atOnce.get(name) ?? 0) < 2)).to.deep.equal([]);
    });
  });
}

const isCheckpoint = (item: Item): boolean => text(item, 'name') === 'indexer:checkpoint';

function resultItem(symbol: string, at: number): Item {
  const plain: InputOf<typeof result> = {
    symbol,
    scan_timestamp: at,
    volatility_24h: '1',
    turnover: '1',
    price: '1',
    price_change_24h: '1',
    timeframes: {},
    optimal_timeframe: '1m',
    optimal_pnl: '1',
    optimal_win_rate: '1',
    btc_correlation: '1',
    trend_analysis: { current_trend: 'UP', strength: '1', btc_trend: 'UP' },
    scan_id: 's0',
    analyzer_id: 'a',
    created_at: '2025-12-17T12:00:00Z',
    updated_at: '2025-12-17T12:00:00Z',
    version: 1,
    status: 'active',
  };
  return buildItem(backtestResults, result, plain);
}
