import { expect } from 'chai';
import type { Migration } from '../../engine/core/migrate/define-migration.ts';
import type { MigrateEnvironment } from '../../engine/run/migrate/environment.ts';
import { proveMigration } from '../../engine/testing.ts';
import m0001 from '../../migrations/0001-index-oms-config.ts';
import m0002 from '../../migrations/0002-repair-trading-ttl.ts';
import m0003 from '../../migrations/0003-index-oms-trading.ts';
import m0004 from '../../migrations/0004-link-analyst-orders.ts';
import m0005 from '../../migrations/0005-index-markets.ts';
import m0006 from '../../migrations/0006-index-order-book.ts';
import m0007 from '../../migrations/0007-index-trades.ts';
import m0008 from '../../migrations/0008-index-positions.ts';
import m0009 from '../../migrations/0009-fill-result-status.ts';
import m0010 from '../../migrations/0010-index-order-management.ts';
import m0012 from '../../migrations/0012-claim-order-ids.ts';
import {
  backtestResults,
  marketOrders,
  marketPositions,
  markets,
  omsConfig,
  omsTradingData,
  orderManagement,
  trades,
} from '../../tables/catalogue.ts';
import type { Pattern } from '../../tables/model/pattern.ts';
import { epochSecondsOf } from '../../tables/model/time.ts';
import { loadLegacy } from '../support/load-legacy.ts';
import { contentOf, migrate, migrateEnvironment, rollback } from '../support/migrate-engine.ts';
import { useEngine } from '../support/test-engine.ts';

type Params = Readonly<Record<string, unknown>>;

describe('the migrations on legacy records', () => {
  const engine = useEngine();
  let environment: MigrateEnvironment;
  const all = [m0001, m0002, m0003, m0004, m0005, m0006, m0007, m0008, m0009, m0010, m0012];
  const migrations = new Map<string, Migration>(all.map((migration) => [migration.id, migration]));

  before(async () => {
    await loadLegacy(engine());
    environment = migrateEnvironment(engine());
  });

  const found = async (pattern: Pattern, params: Params, attribute: string) =>
    (await engine().read(pattern, params)).map((record) => record[attribute]);

  /** Before the migration the pattern does not find what it finds after it; then the whole proof. */
  const prove = async (id: string, checks: readonly (readonly [Pattern, Params, string, readonly unknown[]])[]) => {
    const migration = migrations.get(id);
    if (migration === undefined) throw new Error(`there is no migration ${id}`);
    for (const [pattern, params, attribute, wanted] of checks) {
      expect(await found(pattern, params, attribute), `${pattern.name} before`).not.to.include.members([...wanted]);
    }
    await proveMigration(engine(), migration, async () => {
      for (const [pattern, params, attribute, wanted] of checks) {
        const values = await found(pattern, params, attribute);
        expect(
          values.filter((value) => wanted.includes(value)),
          `${pattern.name} after`,
        ).to.deep.equal(wanted);
      }
    });
  };

  it('0001: products, clients and settings are listed by Query', () =>
    prove('0001-index-oms-config', [
      [omsConfig.patterns.allProducts, {}, 'product_id', ['legacy_prod_01', 'legacy_prod_02', 'legacy_prod_03']],
      [omsConfig.patterns.allClients, {}, 'client_id', ['legacy_client_01', 'legacy_client_02']],
      [omsConfig.patterns.allSettings, {}, 'name', ['legacy_order_window']],
    ]));

  it('0002: a ttl that is missing or in milliseconds becomes the record’s own time and 90 days, in seconds', async () => {
    const ttls = async () => {
      const items = Object.values(await contentOf(engine(), omsTradingData)) as Record<string, Record<string, string>>[];
      const legacy = items.filter((item) => item.SK?.S?.includes('legacy_'));
      return new Map(legacy.map((item) => [item.SK?.S?.split('#')[2], item.ttl?.N]));
    };
    const before = await ttls();
    expect(before.get('legacy_order_03')).to.equal(undefined);
    expect(Number(before.get('legacy_order_01'))).to.be.greaterThan(1e12);
    await prove('0002-repair-trading-ttl', []);
    const migration = migrations.get('0002-repair-trading-ttl') as Migration;
    await migrate(environment, [migration]);
    const after = await ttls();
    const items = Object.values(await contentOf(engine(), omsTradingData)) as Record<string, Record<string, string>>[];
    for (const item of items.filter(({ SK }) => /^(ORDER|EXECUTION)#.*legacy_/.test(SK?.S ?? ''))) {
      const [, time = '', id = ''] = (item.SK?.S ?? '').split('#');
      expect(Number(after.get(id)), id).to.equal(Date.parse(time) / 1_000 + 90 * 86_400);
    }
    // A sensible ttl that somebody chose stays: legacy_order_04 had one in seconds.
    expect(after.get('legacy_order_04')).to.equal(before.get('legacy_order_04'));
    await rollback(environment, [migration]);
    expect(await ttls()).to.deep.equal(before);
  });

  it('0003: orders and executions are found by product, master order and id, positions by product', () =>
    prove('0003-index-oms-trading', [
      [omsTradingData.patterns.ordersByProduct, { productId: 'legacy_prod_03' }, 'order_id', ['legacy_order_07']],
      [omsTradingData.patterns.orderById, { orderId: 'legacy_order_07' }, 'order_id', ['legacy_order_07']],
      [omsTradingData.patterns.executionsOfOrder, { orderId: 'legacy_order_07' }, 'execution_id', ['legacy_exec_05']],
    ]));

  it('0004: orders with an analyst are found by the analyst, and the links are gone after a rollback', () =>
    prove('0004-link-analyst-orders', [
      [omsTradingData.patterns.ordersByAnalyst, { analystId: 'analyst_901' }, 'order_id', ['legacy_order_04', 'legacy_order_05']],
    ]));

  it('0005: markets are found by status, newest first', () =>
    prove('0005-index-markets', [[markets.patterns.byStatus, { status: 'Active' }, 'id', ['legacy-mkt-1']]]));

  it('0006: the book has only orders that can trade, best price first, exact to the last digit; owners find all theirs', () =>
    prove('0006-index-order-book', [
      [
        marketOrders.patterns.bestBids,
        { marketId: 'legacy-mkt-1' },
        'price',
        ['0.61', '0.6000000000000000000000000000000000001'],
      ],
      [
        marketOrders.patterns.bestBids,
        { marketId: 'legacy-mkt-1' },
        'gsi1sk',
        ['-0.61', '-0.6000000000000000000000000000000000001'],
      ],
      [marketOrders.patterns.bestAsks, { marketId: 'legacy-mkt-1' }, 'price', ['0.64', '0.66']],
      [
        marketOrders.patterns.byOwner,
        { owner: '8HsDkQpWn3ZcTr6VxLmY1JgFa9EoUi5BtXvKr2C7NyMq' },
        'id',
        ['legacy-mkt-1:order:0006', 'legacy-mkt-1:order:0003', 'legacy-mkt-1:order:0002'],
      ],
    ]));

  it('0007: trades are found by market and by position', () =>
    prove('0007-index-trades', [
      [trades.patterns.byMarket, { marketId: 'legacy-mkt-1' }, 'id', ['legacy-mkt-1:trade:0001']],
      [trades.patterns.byPosition, { positionId: 'legacy-mkt-1:pos:0002' }, 'id', ['legacy-mkt-1:trade:0002']],
    ]));

  it('0008: positions are found by owner and by market', () =>
    prove('0008-index-positions', [
      [
        marketPositions.patterns.byOwner,
        { owner: '2LgcYb7WnXkPq5RtVsJd9HmEa4UoZi8TfCrKx1Q6GyBv' },
        'id',
        ['legacy-mkt-1:pos:0002'],
      ],
      [marketPositions.patterns.byMarket, { marketId: 'legacy-mkt-1' }, 'id', ['legacy-mkt-1:pos:0002', 'legacy-mkt-1:pos:0001']],
    ]));

  it('0009: results of coins that are active now are active, those of dropped coins inactive', async () => {
    await prove('0009-fill-result-status', [[backtestResults.patterns.active, {}, 'symbol', ['EOSUSDT', 'EOSUSDT', 'TRXUSDT']]]);
    const migration = migrations.get('0009-fill-result-status') as Migration;
    await migrate(environment, [migration]);
    const items = Object.values(await contentOf(engine(), backtestResults)) as Record<string, Record<string, string>>[];
    const dropped = items.filter(({ symbol }) => symbol?.S === 'XLMUSDT');
    expect(dropped.map(({ status }) => status?.S)).to.deep.equal(['inactive']);
    await rollback(environment, [migration]);
  });

  it('0010: items are found by their status, orders by city', () =>
    prove('0010-index-order-management', [
      [orderManagement.patterns.itemsByStatus, { status: 'SemEstoque' }, 'product_id', ['PRD-L003']],
      [orderManagement.patterns.itemsByStatus, { status: 'Separado' }, 'product_id', ['PRD-L001', 'PRD-L002']],
      [orderManagement.patterns.ordersByCity, { city: 'Curitiba' }, 'order_id', ['ORD-LEGADO-0001']],
    ]));

  it('0012: every order has the record of its id, with its ttl, and those that were added are gone after a rollback', async () => {
    type Shown = Record<string, Record<string, string>>;
    const ids = async () => {
      const items = Object.values(await contentOf(engine(), omsTradingData)) as Shown[];
      const of = (type: string) => items.filter((item) => item.entity_type?.S === type);
      // Where 0002 has not given an order its ttl, the record has what the rule says.
      const ttlOf = ({ ttl, created_at }: Shown) => ttl?.N ?? String((epochSecondsOf(created_at?.S ?? '') ?? 0) + 90 * 86_400);
      const shown = (item: Shown) => [item.order_id?.S, item.client_id?.S, item.created_at?.S, ttlOf(item)];
      return { orders: of('ORDER').map(shown), ids: of('ORDER_ID').map(shown) };
    };
    const before = await ids();
    expect(before.ids).to.have.length(before.orders.length - 7);
    await proveMigration(engine(), m0012, async () => {
      const after = await ids();
      expect(after.ids).to.have.deep.members(after.orders);
    });
    expect((await ids()).ids).to.deep.equal(before.ids);
  });
});
