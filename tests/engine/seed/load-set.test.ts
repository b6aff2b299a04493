import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { backfill, defineMigration } from '../../../engine/core/migrate/define-migration.ts';
import type { DeclaredRecord, DeclaredRow } from '../../../engine/core/seed/declared-record.ts';
import type { BatchStore } from '../../../engine/core/write/batch-outcome.ts';
import { type LoadSetOptions, loadSet, type SetReport } from '../../../engine/run/seed/load-set.ts';
import { control, idempotency } from '../../../tables/markets/control.ts';
import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { showKey } from '../../../tables/model/item.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { client, omsConfig } from '../../../tables/oms/config.ts';
import { omsTradingData, order } from '../../../tables/oms/trading-data.ts';
import { migrate, migrateEnvironment } from '../../support/migrate-engine.ts';
import { type SeedBench, seedBench } from '../../support/seed-bench.ts';
import { startEngine, type TestEngine } from '../../support/test-engine.ts';

const tables: readonly Table[] = [omsConfig, omsTradingData, control, ledger];
const day = 86_400;

function record(table: Table, entity: Entity, values: Readonly<Record<string, unknown>>, ttl?: string): DeclaredRecord {
  const place = { file: 'seeds/one/x.json', line: () => 1, number: 1 };
  return { place, table, entity, values, textual: false, ...(ttl === undefined ? {} : { ttl }) };
}

const clientRow = (id: string, name = 'One') => record(omsConfig, client, { client_id: id, name, status: 'ACTIVE' });
const orderRow = (id: string, at: string, status = 'NEW') =>
  record(omsTradingData, order, {
    order_id: id,
    client_id: 'c1',
    product_id: 'p1',
    symbol: 'S',
    side: 'BUY',
    quantity: '1',
    status,
    order_type: 'LIMIT',
    created_at: at,
    updated_at: at,
  });
const claimRow = (signature: string, ttl: string) => record(control, idempotency, { signature, ttl });

describe('loading a seed set', () => {
  let engine: TestEngine;
  let bench: SeedBench;
  beforeEach(async () => {
    engine = await startEngine(tables);
    bench = seedBench(engine);
  });
  afterEach(async () => {
    bench.close();
    await engine.close();
  });

  const load = (declared: readonly DeclaredRow[], options: Partial<LoadSetOptions> = {}): Promise<SetReport> =>
    loadSet(bench.environment, {
      name: 'one',
      times: 'follow',
      declared,
      overwrite: false,
      prune: false,
      dryRun: false,
      ...options,
    });
  const keys = async (table: Table) => (await bench.scan(table)).map((item) => showKey(table, item)).toSorted();
  const put = (table: Table, item: Item) =>
    engine.client.send(new PutItemCommand({ TableName: physicalName(table, engine.config), Item: item }));
  const nameOf = async (id: string) => (await bench.scan(omsConfig)).find((item) => scalarText(item.PK) === `CLIENT#${id}`)?.name;

  it('calls a row that migrations changed neither edited nor strange, and knows an edit beside their change', async () => {
    const marking = (number: number) =>
      defineMigration({
        id: `000${number}-mark-clients`,
        description: 'Clients are marked',
        steps: [
          backfill({
            name: 'marks',
            table: omsConfig,
            reads: ['name'],
            change: (item) => ({ set: { [`mark${number}`]: { S: scalarText(item.name) ?? '' } }, remove: [`mark${number - 1}`] }),
          }),
        ],
      });
    const rows = [clientRow('c1'), clientRow('c2'), clientRow('c3')];
    await load(rows);
    const report = await migrate(migrateEnvironment(engine, { tables }), [marking(1), marking(2)]);
    expect(report.outcome, JSON.stringify(report.results)).to.equal('done');
    const again = await load(rows);
    expect([again.counts, again.kept, again.written]).to.deep.equal([{ unchanged: 3 }, [], 0]);
    expect((await load(rows, { overwrite: true })).counts).to.deep.equal({ unchanged: 3 });
    // One that somebody edited as well, one that the file changed as well, one that left the files.
    const [edited] = (await bench.scan(omsConfig)).filter((item) => scalarText(item.PK) === 'CLIENT#c1');
    await put(omsConfig, { ...edited, name: { S: 'Mine' } });
    const mixed = await load([clientRow('c1'), clientRow('c2', 'Two')]);
    expect(mixed.counts).to.deep.equal({ edited: 1, migrated: 1, leftover: 1 });
    expect((await load([clientRow('c1'), clientRow('c2', 'Two')], { prune: true })).counts).to.include({ pruned: 1 });
    expect((await load([clientRow('c2', 'Two')], { overwrite: true })).counts).to.include({ updated: 1 });
  });

  it('writes what is new and what changed, and nothing else', async () => {
    expect((await load([clientRow('c1'), clientRow('c2')])).counts).to.deep.equal({ created: 2 });
    const again = await load([clientRow('c1'), clientRow('c2')]);
    expect(again.counts).to.deep.equal({ unchanged: 2 });
    expect(again.written).to.equal(0);
    expect(again.units).to.equal(0);
    const changed = await load([clientRow('c1', 'Uno'), clientRow('c2'), clientRow('c3')]);
    expect(changed.counts).to.deep.equal({ updated: 1, unchanged: 1, created: 1 });
    expect(changed.written).to.equal(2);
    expect(await nameOf('c1')).to.deep.equal({ S: 'Uno' });
  });

  it('writes nothing in a dry run, not even the anchor', async () => {
    const report = await load([clientRow('c1')], { dryRun: true });
    expect(report.outcome).to.equal('planned');
    expect(report.counts).to.deep.equal({ created: 1 });
    expect(await bench.scan(omsConfig)).to.deep.equal([]);
    expect(await bench.scan(ledger)).to.deep.equal([]);
  });

  it('keeps a row that somebody edited and says so; overwrite writes it', async () => {
    await load([clientRow('c1'), clientRow('c2')]);
    const [item] = (await bench.scan(omsConfig)).filter((row) => scalarText(row.PK) === 'CLIENT#c1');
    await put(omsConfig, { ...item, name: { S: 'Edited' } });
    const kept = await load([clientRow('c1', 'Uno'), clientRow('c2')]);
    expect(kept.counts).to.deep.equal({ edited: 1, unchanged: 1 });
    expect(kept.kept).to.deep.equal([{ table: 'oms_config', key: 'CLIENT#c1 / CONFIG', verdict: 'edited' }]);
    expect(await nameOf('c1')).to.deep.equal({ S: 'Edited' });
    expect((await load([clientRow('c1', 'Uno'), clientRow('c2')], { overwrite: true })).counts).to.deep.equal({
      updated: 1,
      unchanged: 1,
    });
    expect(await nameOf('c1')).to.deep.equal({ S: 'Uno' });
  });

  it('does not take another spelling of the same numbers and attributes for an edit', async () => {
    await load([orderRow('o1', '14/11/2025 10:30:00')]);
    const [item] = await bench.scan(omsTradingData);
    await put(omsTradingData, Object.fromEntries(Object.entries({ ...item, quantity: { N: '1.00' } }).toReversed()));
    expect((await load([orderRow('o1', '14/11/2025 10:30:00')])).counts).to.deep.equal({ unchanged: 1 });
  });

  it('keeps a row that it never wrote, takes over one that is as wanted, and brings back one that is gone', async () => {
    const [row] = [{ PK: { S: 'CLIENT#c1' }, SK: { S: 'CONFIG' }, name: { S: 'Theirs' } }];
    await put(omsConfig, row as Item);
    expect((await load([clientRow('c1'), clientRow('c2')])).counts).to.deep.equal({ foreign: 1, created: 1 });
    expect(await nameOf('c1')).to.deep.equal({ S: 'Theirs' });
    await engine.put(omsConfig, client, [{ client_id: 'c1', name: 'One', status: 'ACTIVE' }]);
    expect((await load([clientRow('c1'), clientRow('c2')])).counts).to.deep.equal({ adopted: 1, unchanged: 1 });
    const Key = { PK: { S: 'CLIENT#c2' }, SK: { S: 'CONFIG' } };
    await engine.client.send(new DeleteItemCommand({ TableName: physicalName(omsConfig, engine.config), Key }));
    expect((await load([clientRow('c1'), clientRow('c2')])).counts).to.deep.equal({ unchanged: 1, created: 1 });
  });

  it('deletes rows that left the files only when told, and edited ones only when told twice', async () => {
    await load([clientRow('c1'), clientRow('c2'), clientRow('c3')]);
    const [item] = (await bench.scan(omsConfig)).filter((row) => scalarText(row.PK) === 'CLIENT#c2');
    await put(omsConfig, { ...item, name: { S: 'Edited' } });
    expect((await load([clientRow('c1')])).counts).to.deep.equal({ unchanged: 1, leftover: 1, 'leftover-edited': 1 });
    expect((await load([clientRow('c1')], { prune: true })).counts).to.deep.equal({
      unchanged: 1,
      pruned: 1,
      'leftover-edited': 1,
    });
    expect(await keys(omsConfig)).to.deep.equal(['CLIENT#c1 / CONFIG', 'CLIENT#c2 / CONFIG']);
    expect((await load([clientRow('c1')], { prune: true, overwrite: true })).counts).to.deep.equal({ unchanged: 1, pruned: 1 });
    expect(await keys(omsConfig)).to.deep.equal(['CLIENT#c1 / CONFIG']);
    expect((await bench.scan(ledger)).filter((row) => scalarText(row.SK)?.startsWith('ROW#'))).to.have.length(1);
  });

  it('does not take the time that went by for a change', async () => {
    const rows = [orderRow('o1', 'now-2h'), claimRow('s', 'now+7d')];
    await load(rows);
    const before = await keys(omsTradingData);
    bench.now += 600;
    expect((await load(rows)).counts).to.deep.equal({ unchanged: 2 });
    bench.now += 5 * day;
    expect((await load(rows)).counts).to.deep.equal({ unchanged: 2 });
    expect(await keys(omsTradingData)).to.deep.equal(before);
  });

  it('counts from the present again when a ttl is nearly over, and moves rows whose key holds the time', async () => {
    const rows = [orderRow('o1', 'now-2h'), clientRow('c1'), claimRow('s', 'now+7d')];
    await load(rows);
    const [before] = await keys(omsTradingData);
    bench.now += Math.floor(6.5 * day);
    expect((await load(rows)).counts).to.deep.equal({ updated: 2, unchanged: 1 });
    const after = await keys(omsTradingData);
    expect(after).to.have.length(1);
    expect(after[0]).not.to.equal(before);
    const [claim] = await bench.scan(control);
    expect(claim?.ttl).to.deep.equal({ N: String(bench.now + 7 * day) });
  });

  it('never counts anew where times are counted once', async () => {
    const rows = [orderRow('o1', 'now-2h'), claimRow('s', 'now+7d')];
    await load(rows, { times: 'once' });
    const before = await keys(omsTradingData);
    bench.now += 30 * day;
    expect((await load(rows, { times: 'once' })).counts).to.deep.equal({ unchanged: 2 });
    expect(await keys(omsTradingData)).to.deep.equal(before);
  });

  it('gives two first runs at once one meaning of now', async () => {
    const rows = [orderRow('o1', 'now-2h'), orderRow('o2', 'now-1h')];
    const other = seedBench(engine);
    other.now = bench.now + 3;
    const plain = { name: 'one', times: 'follow', declared: rows, overwrite: false, prune: false, dryRun: false } as const;
    await Promise.all([load(rows), loadSet(other.environment, plain)]);
    other.close();
    expect(await keys(omsTradingData)).to.have.length(2);
  });

  it('refuses a production stack whatever is asked for', async () => {
    const environment = { ...bench.environment, config: { ...engine.config, production: true } };
    const options = { name: 'one', times: 'follow', declared: [], overwrite: true, prune: true, dryRun: true } as const;
    const error = await loadSet(environment, options).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(TablewrightError);
    expect((error as TablewrightError).code).to.equal('REFUSED_IN_PRODUCTION');
    expect((error as TablewrightError).exitCode).to.equal(2);
  });

  it('ends as if nothing had happened when it is killed before any one of its writes', async () => {
    const first = [clientRow('c1'), clientRow('c2'), orderRow('o1', 'now-2h'), claimRow('s', 'now+1d')];
    // o1 moves with the anchor, c1 changes, c3 is new, c2 leaves the files.
    const second = [clientRow('c1', 'Uno'), clientRow('c3'), orderRow('o1', 'now-2h', 'FILLED'), claimRow('s', 'now+1d')];
    const third = [clientRow('c1', 'Un'), clientRow('c3', 'Trois'), orderRow('o1', 'now-2h', 'FILLED'), claimRow('s', 'now+1d')];
    for (let allowed = 0; ; allowed += 1) {
      const name = `set${allowed}`;
      await load(first, { name });
      bench.now += 2 * day;
      const killed = killAfter(bench.environment.batches, allowed);
      const crashed = await loadSet(
        { ...bench.environment, batches: killed.store },
        { ...plainOptions(second), name, prune: true },
      ).then(
        () => false,
        () => true,
      );
      const report = await load(third, { name, prune: true });
      expect(report.kept, `killed after ${allowed} writes`).to.deep.equal([]);
      expect(await nameOf('c1')).to.deep.equal({ S: 'Un' });
      expect(await keys(omsConfig)).to.deep.equal(['CLIENT#c1 / CONFIG', 'CLIENT#c3 / CONFIG']);
      expect(await keys(omsTradingData)).to.have.length(1);
      expect((await load(third, { name, prune: true })).counts).to.deep.equal({ unchanged: 4 });
      await load([], { name, prune: true });
      expect(await keys(omsConfig)).to.deep.equal([]);
      if (!crashed) {
        expect(allowed).to.be.greaterThan(8);
        return;
      }
    }
  });
});

function plainOptions(declared: readonly DeclaredRow[]) {
  return { times: 'follow', declared, overwrite: false, dryRun: false } as const;
}

/** A store that carries out so many requests and then is gone, in the middle of a batch too. */
function killAfter(real: BatchStore, allowed: number): { readonly store: BatchStore } {
  let left = allowed;
  const gone = { kind: 'fatal', error: new TablewrightError('STORE_FAILED', 'killed by the test') } as const;
  return {
    store: {
      async send(table, requests) {
        const taken = requests.slice(0, left);
        left -= taken.length;
        const answer = taken.length === 0 ? undefined : await real.send(table, taken);
        return taken.length === requests.length && answer !== undefined ? answer : gone;
      },
    },
  };
}
