import { expect } from 'chai';
import { openReader } from '../../../engine/application.ts';
import { CapacityGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { applyCutover } from '../../../engine/run/cutover/apply-cutover.ts';
import { readState } from '../../../engine/run/cutover/change-state.ts';
import { checkParity } from '../../../engine/run/cutover/check-parity.ts';
import type { CutoverEnvironment } from '../../../engine/run/cutover/environment.ts';
import { revertCutover, shadowCutover } from '../../../engine/run/cutover/move-state.ts';
import { cutoverPatterns, cutoverStatus } from '../../../engine/run/cutover/status.ts';
import { runRollback } from '../../../engine/run/migrate/rollback/run-rollback.ts';
import m1 from '../../../migrations/0001-index-oms-config.ts';
import m5 from '../../../migrations/0005-index-markets.ts';
import m6 from '../../../migrations/0006-index-order-book.ts';
import m7 from '../../../migrations/0007-index-trades.ts';
import m8 from '../../../migrations/0008-index-positions.ts';
import m11 from '../../../migrations/0011-cut-over-reads.ts';
import { marketOrders } from '../../../tables/markets/orders.ts';
import { trades } from '../../../tables/markets/trades.ts';
import project from '../../../tablewright.config.ts';
import { migrate, migrateEnvironment, sourceOf } from '../../support/migrate-engine.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { cutoverTables, fill } from './legacy-world.ts';

describe('cut-over from Scan to Query', () => {
  const engine = useEngine(cutoverTables);
  const environment = (): CutoverEnvironment => ({
    ...engine().environment,
    nowMs: () => Date.parse('2026-01-01T00:00:00.000Z'),
    by: 'a test',
  });
  const patterns = cutoverPatterns(cutoverTables);
  const { bestBids, byId } = marketOrders.patterns;

  before(() => fill(engine(), 'legacy'));

  it('names every pattern of the markets system and the listings of OMS config, each with its backfill', () => {
    expect(patterns.map((pattern) => pattern.name)).to.deep.equal([
      'oms.config.allProducts',
      'oms.config.allClients',
      'oms.config.allSettings',
      'markets.control.checkpoint',
      'markets.control.lock',
      'markets.control.claimOf',
      'markets.markets.byStatus',
      'markets.orders.byId',
      'markets.orders.bestBids',
      'markets.orders.bestAsks',
      'markets.orders.byOwner',
      'markets.positions.byOwner',
      'markets.positions.byMarket',
      'markets.positions.ofOwnerInMarket',
      'markets.trades.byMarket',
      'markets.trades.byPosition',
    ]);
    const migrations = [m1, m5, m6, m7, m8].map(({ id }) => id);
    const named = patterns.filter((pattern) => pattern.index !== undefined).map((pattern) => pattern.legacy?.backfill);
    expect(new Set(named)).to.deep.equal(new Set(migrations));
  });

  it('finds before the migration that nothing was backfilled, record by record', async () => {
    for (const pattern of patterns) {
      const report = await checkParity(environment(), pattern);
      if (pattern.index === undefined) {
        expect(report.outcome, pattern.name).to.equal('holds');
        continue;
      }
      expect(report.outcome, pattern.name).to.equal('differs');
      expect(report.differences, pattern.name).to.have.length(report.records);
      expect(new Set(report.differences.map(({ kind, cause }) => `${kind} ${cause}`))).to.deep.equal(
        new Set(['missing not-backfilled']),
      );
    }
    const { differences } = await checkParity(environment(), bestBids);
    expect(differences.find(({ key }) => key === 'o0002')).to.deep.equal({
      kind: 'missing',
      value: { marketId: 'm2' },
      key: 'o0002',
      cause: 'not-backfilled',
      detail: 'gsi1pk, gsi1sk missing',
    });
  });

  it('refuses to apply before the backfill is verified, and the reader goes on scanning with the right answer', async () => {
    const refused = await applyCutover(environment(), bestBids);
    expect(refused).to.deep.equal({
      outcome: 'refused',
      pattern: 'markets.orders.bestBids',
      state: 'scan',
      reasons: ['its backfill 0006-index-order-book is not run, expected verified'],
      report: undefined,
    });
    const reader = openReader(project, { stack: testConfig.stack, region: testConfig.region, client: engine().client });
    const reading = reader.read('markets.orders.bestBids', { marketId: 'm2', n: 3 });
    const found = await reading.all();
    expect(found).to.have.length(3);
    expect(found.map(({ price }) => Number(price))).to.deep.equal(
      found.map(({ price }) => Number(price)).toSorted((a, b) => b - a),
    );
    expect(reading.consumed.way).to.equal('scan');
    await reader.close();
  });

  it('refuses the migration that cuts over while a backfill is missing, with every pattern named', async () => {
    const report = await migrate(
      migrateEnvironment(engine(), { tables: cutoverTables }),
      [m1, m5, m6, m7, m11].map(withoutNeeds),
    );
    expect(report.outcome).to.equal('failed');
    const { error } = report.results.at(-1) ?? {};
    expect(error?.code).to.equal('CHECK_FAILED');
    expect(error?.problems).to.deep.equal([
      'markets.positions.byOwner: its backfill 0008-index-positions is not run, expected verified',
      'markets.positions.byMarket: its backfill 0008-index-positions is not run, expected verified',
      'markets.positions.ofOwnerInMarket: its backfill 0008-index-positions is not run, expected verified',
    ]);
    expect((await readState(environment(), bestBids)).state).to.equal('query');
  });

  it('cuts all patterns over by migration once the backfills are verified, and parity holds for each', async () => {
    const report = await migrate(
      migrateEnvironment(engine(), { tables: cutoverTables }),
      [m1, m5, m6, m7, m8, m11].map(withoutNeeds),
    );
    expect(report.outcome).to.equal('done');
    expect(report.results.at(-1)).to.deep.include({ id: '0011-cut-over-reads', state: 'verified' });
    const status = await cutoverStatus(environment());
    expect(status.map(({ state }) => state)).to.deep.equal(patterns.map(() => 'query'));
    for (const pattern of patterns) {
      const parity = await checkParity(environment(), pattern);
      expect([pattern.name, parity.outcome, parity.differences]).to.deep.equal([pattern.name, 'holds', []]);
      expect((await applyCutover(environment(), pattern)).outcome).to.equal('already');
    }
  });

  it('checks every value, those of other markets and of dead orders too, and says what a read costs each way', async () => {
    const bids = await checkParity(environment(), bestBids);
    expect([bids.values, bids.records]).to.deep.equal([4, 20]);
    const single = await checkParity(environment(), byId);
    expect([single.values, single.records]).to.deep.equal([60, 60]);
    expect(single.cost.query).to.equal(0.5);
    expect(single.cost.scan).to.be.greaterThan(single.cost.query);
  });

  it('takes the time of one read each way, without what its budget made it wait, and keeps it as evidence', async () => {
    let now = 0;
    // By this clock a Scan takes 40 ms a page and everything else 2 ms; the budget's waits are none of the requests'.
    const { store } = environment();
    const slowed =
      <Given extends readonly unknown[], Answer>(ms: number, send: (...given: Given) => Promise<Answer>) =>
      async (...given: Given): Promise<Answer> => {
        now += ms;
        return send(...given);
      };
    const slow = {
      ...environment(),
      store: { ...store, scan: slowed(40, store.scan), query: slowed(2, store.query), getItem: slowed(2, store.getItem) },
      gates: new CapacityGates({ unitsPerSecond: 200 }),
    };
    const steadyMs = () => now;
    const { latency } = await checkParity(slow, byId, { steadyMs, concurrency: 1 });
    const isWholePages = (ms = 0) => ms > 0 && ms % 40 === 0;
    expect([isWholePages(latency?.scan), latency?.query]).to.deep.equal([true, 2]);
    const { units } = await checkParity(environment(), byId, { steadyMs });
    expect(units - (await checkParity(environment(), byId)).units).to.equal(1.5);
    expect((await checkParity(environment(), byId)).latency).to.equal(null);
    await revertCutover(environment(), byId);
    await applyCutover(slow, byId, { steadyMs, concurrency: 1 });
    const { scanMs, queryMs } = (await readState(environment(), byId)).evidence ?? {};
    expect([isWholePages(scanMs), queryMs]).to.deep.equal([true, 2]);
  });

  it('reverts at once: readers scan again, cursors of the query are refused, scans of before go on', async () => {
    const reader = openReader(project, {
      stack: testConfig.stack,
      region: testConfig.region,
      client: engine().client,
      refreshMs: 0,
    });
    const way = async () => {
      const reading = reader.read('markets.trades.byMarket', { marketId: 'm1' });
      await reading.all();
      return reading.consumed.way;
    };
    const all = (await reader.read('markets.trades.byMarket', { marketId: 'm1' }).all()).map(({ id }) => id);
    expect(await way()).to.equal('query');
    const first = await reader.page('markets.trades.byMarket', { marketId: 'm1' }, { size: 5 });
    expect(await revertCutover(environment(), trades.patterns.byMarket)).to.deep.include({
      from: 'query',
      to: 'scan',
      changed: true,
    });
    expect(await revertCutover(environment(), trades.patterns.byMarket)).to.deep.include({ changed: false });
    expect(await way()).to.equal('scan');
    const late = await reader
      .page('markets.trades.byMarket', { marketId: 'm1' }, { size: 5, cursor: first.cursor })
      .catch((error: { code: string }) => error.code);
    expect(late).to.equal('BAD_CURSOR');
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await reader.page('markets.trades.byMarket', { marketId: 'm1' }, { size: 5, cursor });
      found.push(...page.records.map(({ id }) => id));
      cursor = page.cursor;
      // In the middle of the list the pattern is cut over; the list goes on as it began.
      if (found.length === 5) await applyCutover(environment(), trades.patterns.byMarket);
    } while (cursor !== undefined);
    expect(found).to.deep.equal(all);
    expect(await way()).to.equal('query');
    await reader.close();
  });

  it('lets one of two commands that change a state at once go through', async () => {
    const shares = [0.2, 0.3, 0.4, 0.5];
    const before = await readState(environment(), trades.patterns.byPosition);
    await Promise.all(shares.map((share) => shadowCutover(environment(), trades.patterns.byPosition, share)));
    const after = await readState(environment(), trades.patterns.byPosition);
    expect(after.version).to.equal(before.version + shares.length);
    expect(after.state).to.equal('shadow');
    expect((await applyCutover(environment(), trades.patterns.byPosition)).outcome).to.equal('applied');
  });

  it('does not apply when the state is changed while it checks', async () => {
    const pattern = trades.patterns.byPosition;
    await revertCutover(environment(), pattern);
    const { store } = engine().environment;
    let meddled = false;
    const slow: CutoverEnvironment = {
      ...environment(),
      store: {
        ...store,
        scan: async (request, signal) => {
          if (!meddled) await shadowCutover(environment(), pattern, 1);
          meddled = true;
          return store.scan(request, signal);
        },
      },
    };
    const outcome = await applyCutover(slow, pattern);
    expect(outcome.outcome === 'refused' ? outcome.reasons : []).to.have.length(1);
    expect((await readState(environment(), pattern)).state).to.equal('shadow');
  });

  it('does not apply while the index is not ACTIVE', async () => {
    const { store } = engine().environment;
    const building: CutoverEnvironment = {
      ...environment(),
      store: {
        ...store,
        describeTable: async (name, signal) => {
          const found = await store.describeTable(name, signal);
          return found && { ...found, indexes: found.indexes.map((index) => ({ ...index, status: 'CREATING' })) };
        },
      },
    };
    const report = await checkParity(building, bestBids);
    expect([report.outcome, report.indexStatus]).to.deep.equal(['not-readable', 'CREATING']);
    const outcome = await applyCutover(building, bestBids);
    expect(outcome).to.deep.include({ outcome: 'refused', reasons: ['index orders_by_market_buy is CREATING, expected ACTIVE'] });
  });
});

describe('rolling the cut-over back', () => {
  const engine = useEngine(cutoverTables);

  it('reverts the patterns, and a second run cuts them over again', async () => {
    await fill(engine(), 'legacy');
    const environment = migrateEnvironment(engine(), { tables: cutoverTables });
    const migrations = [m1, m5, m6, m7, m8, m11];
    const states = async () => new Set((await cutoverStatus(engine().environment)).map(({ state }) => state));
    expect((await migrate(environment, migrations)).outcome).to.equal('done');
    expect(await states()).to.deep.equal(new Set(['query']));
    const sources = migrations.map((migration) => sourceOf(migration));
    await runRollback(environment, sources, undefined, new AbortController().signal);
    expect(await states()).to.deep.equal(new Set(['scan']));
    expect((await migrate(environment, migrations)).outcome).to.equal('done');
    expect(await states()).to.deep.equal(new Set(['query']));
  });
});

/** The tests run parts of the set; what each needs is checked by the patterns themselves. */
function withoutNeeds<M extends { readonly needs: { readonly indexes: readonly unknown[] } }>(migration: M): M {
  return { ...migration, needs: { ...migration.needs, migrations: [] } };
}
