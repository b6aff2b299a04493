import { expect } from 'chai';
import { findSets } from '../../engine/cli/seed/find-sets.ts';
import { readSets } from '../../engine/cli/seed/read-sets.ts';
import { volumeItems } from '../../engine/core/seed/volume-items.ts';
import { tryPatterns } from '../../engine/run/read/try-patterns.ts';
import type { AttributeValue } from '../../tables/model/attribute-value.ts';
import { entityOf, keyOf, showKey } from '../../tables/model/item.ts';
import type { Table } from '../../tables/model/table.ts';
import { omsTradingData } from '../../tables/oms/trading-data.ts';
import { documentedOrder } from '../support/documented-order.ts';
import { tables as catalogue, project } from '../support/project.ts';
import { repository, type SeedBench, seedBench } from '../support/seed-bench.ts';
import { rowsOf as declaredOf, resolveRows } from '../support/seed-rows.ts';
import { useEngine } from '../support/test-engine.ts';

const anchor = 1_794_800_000;

async function rowsOf(names: (name: string) => boolean) {
  const all = await findSets({ root: repository, project });
  const sets = await readSets(
    repository,
    all.filter((set) => names(set.name)),
    all,
    anchor,
  );
  const rows = await Promise.all(sets.map(({ declared }) => declaredOf(declared)));
  return resolveRows(rows.flat(), anchor).rows;
}

function significantDigits(value: AttributeValue): number {
  if ('N' in value) return value.N.replace(/[-.]/g, '').replace(/^0+/, '').length;
  if ('M' in value) return Math.max(0, ...Object.values(value.M).map(significantDigits));
  return 0;
}

describe('the fixtures', () => {
  const engine = useEngine();
  let bench: SeedBench;
  before(async () => {
    bench = seedBench(engine());
    for (const name of ['oms', 'markets', 'backtest', 'order-management']) await bench.load(repository, name);
  });
  after(() => bench.close());

  it('are valid, and every reference is met', async () => {
    expect(await rowsOf(() => true)).to.have.length.greaterThan(100);
  });

  it('have every entity of the four systems', async () => {
    const rows = await rowsOf((name) => name !== 'legacy');
    const have = new Set(rows.map((row) => `${row.table.name}/${row.entity?.name}`));
    const wanted = catalogue
      .filter((table) => table.system !== 'tablewright')
      .flatMap((table) => table.entities.map((entity) => `${table.name}/${entity.name}`));
    expect(wanted.filter((entity) => !have.has(entity))).to.deep.equal([]);
  });

  it('answer every access pattern of the catalogue by its example', async () => {
    const empty: string[] = [];
    for await (const trial of tryPatterns(engine().environment)) if (trial.error !== null) empty.push(trial.pattern);
    expect(empty).to.deep.equal([]);
  });

  it('hold the documented order under its documented key, with its documented values and a ttl to come', async () => {
    const items = await bench.scan(omsTradingData as Table);
    const found = items.find(
      (item) => showKey(omsTradingData, item) === 'CLIENT#client_123 / ORDER#2025-11-14T10:30:00Z#order_456',
    );
    const { ttl, ...rest } = found ?? {};
    expect(rest).to.deep.equal(documentedOrder);
    expect(ttl).to.deep.equal({ N: String(bench.now + 90 * 86_400) });
  });

  it('have no ttl in the past', async () => {
    const rows = await rowsOf((name) => name !== 'legacy');
    const expired = rows.filter(({ table, item }) => {
      const value = table.ttl === undefined ? undefined : item[table.ttl];
      return value !== undefined && 'N' in value && Number(value.N) <= anchor;
    });
    expect(expired.map((row) => showKey(row.table, row.item))).to.deep.equal([]);
  });

  it('hold numbers of 38 digits', async () => {
    const rows = await rowsOf((name) => name !== 'legacy');
    const most = rows.flatMap((row) => Object.values(row.item).map(significantDigits));
    expect(most.filter((digits) => digits === 38)).to.have.length.greaterThan(2);
  });

  it('have no key in common with volume data', async () => {
    const own = new Set((await rowsOf(() => true)).map((row) => `${row.table.name} ${showKey(row.table, row.key)}`));
    const keyed = new Map(catalogue.map((table) => [table.name, table]));
    for (const set of await findSets({ root: repository, project })) {
      if (set.volume === undefined) continue;
      const items = [...volumeItems(set.name, set.volume, { count: 2_000, seed: 1, base: anchor }, 0)];
      const keys = items.map(({ table, item }) => `${table} ${showKey(keyed.get(table) as Table, item)}`);
      expect(
        keys.filter((key) => own.has(key)),
        set.name,
      ).to.deep.equal([]);
    }
  });

  it('keep the legacy records apart by key, in shapes that the migrations look for', async () => {
    const usual = new Set(
      (await rowsOf((name) => name !== 'legacy')).map((row) => `${row.table.name} ${showKey(row.table, row.key)}`),
    );
    const legacy = await rowsOf((name) => name === 'legacy');
    expect(legacy.map((row) => `${row.table.name} ${showKey(row.table, row.key)}`).filter((key) => usual.has(key))).to.deep.equal(
      [],
    );
    expect([...new Set(legacy.map((row) => row.table.system))]).to.have.members([
      'oms',
      'markets',
      'backtest',
      'order-management',
    ]);
    const strange = legacy.filter((row) => entityOf(row.table as Table, row.item) === undefined);
    expect(strange.map((row) => showKey(row.table, keyOf(row.table, row.item)))).to.deep.equal([]);
    const orders = legacy.filter((row) => row.item.entity_type !== undefined && 'analyst_id' in row.item);
    expect(orders).to.have.length(3);
    const ttls = legacy.filter((row) => row.table.name === 'oms_trading_data').map((row) => row.item.ttl);
    const milliseconds = ttls.filter((ttl) => ttl !== undefined && 'N' in ttl && ttl.N.length === 13);
    expect(milliseconds).to.have.length.greaterThan(2);
    expect(ttls.filter((ttl) => ttl === undefined)).to.have.length.greaterThan(2);
    expect(legacy.filter((row) => row.table.name === 'crypto-backtest-results' && 'status' in row.item)).to.deep.equal([]);
  });
});
