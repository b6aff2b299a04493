import { expect } from 'chai';
import { openReader } from '../../../engine/application.ts';
import { sleep } from '../../../engine/cli/read-environment.ts';
import { journalCodec } from '../../../engine/local/journal-codec.ts';
import { readState } from '../../../engine/run/cutover/change-state.ts';
import { revertCutover, shadowCutover } from '../../../engine/run/cutover/move-state.ts';
import { cutoverStatus } from '../../../engine/run/cutover/status.ts';
import { journalEntries } from '../../../engine/run/ledger/journal-entries.ts';
import { LedgerStore } from '../../../engine/run/ledger/ledger-store.ts';
import { SeedLedger } from '../../../engine/run/seed/seed-ledger.ts';
import { readImport } from '../../../engine/run/transfer/import-ledger.ts';
import { marketOrder, marketOrders } from '../../../tables/markets/orders.ts';
import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import type { JournalPart } from '../../../tables/model/ledger/journal-records.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import project from '../../../tablewright.config.ts';
import { failureOf } from '../../support/failure-of.ts';
import { ledgerOf, migrateEnvironment } from '../../support/migrate-engine.ts';
import { oldLedger, oldRecord } from '../../support/old-ledger.ts';
import { seedBench } from '../../support/seed-bench.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { orderInput } from '../cutover/legacy-world.ts';

const { bestAsks, bestBids } = marketOrders.patterns;
const imported = oldLedger.find(({ PK }) => scalarText(PK)?.startsWith('TRANSFER#') === true) ?? {};

describe('a ledger', () => {
  const engine = useEngine([marketOrders, ledger]);
  const migrations = () => ledgerOf(migrateEnvironment(engine(), { tables: [ledger] }));
  const cutover = () => ({ ...engine().environment, nowMs: () => Date.UTC(2026, 0, 1), by: 'a test' });
  const seeds = (set: string) => new SeedLedger(seedBench(engine()).environment, set);
  const store = () => new LedgerStore({ ...engine().environment, sleep });

  const chunks = async () => {
    const found: JournalPart[] = [];
    const journal = { migration: '0006-index-again', step: 0, segment: 0, generation: 1 };
    for await (const part of migrations().parts(journal)) found.push(part);
    return found;
  };

  /** What each part of the toolkit reads of it. */
  const reads: Readonly<Record<string, readonly [partition: string, sort: string, read: () => Promise<unknown>]>> = {
    states: ['MIGRATIONS', '', () => migrations().states()],
    state: ['MIGRATIONS', '0005', () => migrations().state('0005-be-picky')],
    step: ['MIGRATION#0003', 'STEP#', () => migrations().step('0003-do-own', 1, 0)],
    segments: ['MIGRATION#0006', 'SEGMENT#', () => migrations().allSegments('0006-index-again')],
    'dead letters': ['MIGRATION#0005', 'DEAD#', () => migrations().dead('0005-be-picky')],
    history: ['MIGRATION#0005', 'EVENT#', () => migrations().history('0005-be-picky')],
    timelines: ['MIGRATION#0005', 'TIMELINE#', () => migrations().timelines('0005-be-picky')],
    pause: ['CONTROL#', '', () => migrations().pause()],
    journal: ['JOURNAL#0006', '', () => chunks()],
    'seed set': ['SEED#one', 'SET', () => seeds('one').anchor()],
    'seed rows': ['SEED#one', 'ROW#', () => seeds('one').pages().next()],
    'seed volume': ['SEED#oms', 'VOLUME#1', () => seeds('oms').volume(1)],
    'cut-over state': ['CUTOVER#states', 'PATTERN#markets.orders.bestBids', () => readState(cutover(), bestBids)],
    'cut-over status': ['CUTOVER#markets.orders.bestBids', 'SHADOW#', () => cutoverStatus(cutover())],
    'a revert': ['CUTOVER#states', 'PATTERN#markets.orders.bestBids', () => revertCutover(cutover(), bestBids)],
    import: ['TRANSFER#', '', () => readImport({ ledger: store() }, 'old-target-test', scalarText(imported.SK) ?? '')],
  };

  beforeEach(() => engine().putRaw(ledger, oldLedger));

  it('of version 0.1.0 is read by every part of the toolkit', async () => {
    for (const [what, [, , read]] of Object.entries(reads)) {
      const found = await read();
      expect(found, what).not.to.equal(undefined);
      if (Array.isArray(found)) expect(found, what).not.to.have.length(0);
    }
    const [chunk] = await chunks();
    expect(journalEntries(journalCodec, chunk ?? expect.fail('no chunk'))).to.have.length(25);
    expect((await migrations().state('0004-do-fail'))?.error).to.deep.equal({
      code: 'MIGRATION_FAILED',
      message: '0004-do-fail: out of fingers',
    });
    expect((await migrations().step('0003-do-own', 1, 0))?.checkpoint).to.deep.equal({
      number: 3,
      half: 0.5,
      done: ['a', null, true],
    });
  });

  for (const [what, [partition, sort, read]] of Object.entries(reads)) {
    it(`of a newer version, or damaged, is refused by whoever reads it: ${what}`, async () => {
      const item = oldRecord(partition, sort);
      await engine().putRaw(ledger, [{ ...item, format: { N: '3' } }]);
      expect((await failureOf(read())).code).to.equal('LEDGER_NEWER');
      await engine().putRaw(ledger, [{ ...item, format: { BOOL: true } }]);
      const error = await failureOf(read());
      expect(error.code).to.equal('LEDGER_DAMAGED');
      expect(error.message).to.contain(`${scalarText(item.PK)} / ${scalarText(item.SK)}`);
    });
  }

  it('is written with the version of its form, also where an old record is changed', async () => {
    await shadowCutover(cutover(), bestBids, 0.5);
    const items = await Promise.all(
      [
        ['CUTOVER#states', 'PATTERN#markets.orders.bestBids'],
        ['CUTOVER#markets.orders.bestBids', 'EVENT#00000002'],
      ].map(([PK = '', SK = '']) => store().item({ PK: { S: PK }, SK: { S: SK } })),
    );
    expect(items.map((item) => item?.format)).to.deep.equal([{ N: '1' }, { N: '1' }]);
  });
});

describe('an application’s reader', () => {
  const engine = useEngine([marketOrders, ledger]);
  const place = { stack: testConfig.stack, region: testConfig.region };
  const damaged = (pattern: string): Item => ({
    ...oldRecord('CUTOVER#states', `PATTERN#${pattern}`),
    version: { S: 'three' },
  });
  const bids = { marketId: 'm2', n: 3 };
  const asks = { marketId: 'm1', n: 3 };

  before(() =>
    engine().put(
      marketOrders,
      marketOrder,
      Array.from({ length: 20 }, (_, number) => orderInput(number)),
    ),
  );
  beforeEach(() => engine().putRaw(ledger, oldLedger));

  it('fails for the pattern whose state is damaged, naming it, and for no other', async () => {
    await engine().putRaw(ledger, [damaged(bestAsks.name)]);
    const reader = openReader(project, { ...place, client: engine().client });
    const error = await failureOf(reader.read('markets.orders.bestAsks', asks).all());
    expect(error.code).to.equal('LEDGER_DAMAGED');
    expect(error.message).to.contain('CUTOVER#states / PATTERN#markets.orders.bestAsks');
    const other = reader.read('markets.orders.bestBids', bids);
    expect(await other.all()).not.to.have.length(0);
    await reader.close();
  });

  it('keeps to what it knew when a state is damaged later', async () => {
    const reader = openReader(project, { ...place, client: engine().client, refreshMs: 0 });
    const way = async () => {
      const reading = reader.read('markets.orders.bestAsks', asks);
      await reading.all();
      return reading.consumed.way;
    };
    expect(await way()).to.equal('query');
    await engine().putRaw(ledger, [damaged(bestAsks.name)]);
    expect(await way()).to.equal('query');
    await reader.close();
  });
});
