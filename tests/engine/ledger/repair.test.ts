import { expect } from 'chai';
import { inspectRecord, ledgerEntityOf, ledgerItem } from '../../../engine/core/ledger/ledger-codec.ts';
import { shownLedgerKey } from '../../../engine/core/ledger/ledger-errors.ts';
import { noCounts, noUnits } from '../../../engine/core/migrate/counts.ts';
import { custom, defineMigration, type Migration } from '../../../engine/core/migrate/define-migration.ts';
import { journalCodec } from '../../../engine/local/journal-codec.ts';
import { applyCutover } from '../../../engine/run/cutover/apply-cutover.ts';
import { readState } from '../../../engine/run/cutover/change-state.ts';
import { loadStates } from '../../../engine/run/cutover/read-states.ts';
import { type RepairReport, repairLedger } from '../../../engine/run/ledger/repair-ledger.ts';
import { loadVolume } from '../../../engine/run/seed/load-volume.ts';
import { omsVolume } from '../../../seeds/oms/volume.ts';
import { marketOrders } from '../../../tables/markets/orders.ts';
import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { cutoverState } from '../../../tables/model/ledger/cutover-records.ts';
import { headRecord, partRecord } from '../../../tables/model/ledger/journal-records.ts';
import { ledger, ledgerEntities } from '../../../tables/model/ledger/ledger.ts';
import { executionRecord, liveRecord } from '../../../tables/model/ledger/migration-records.ts';
import { bulkImportRecord, erasureRecord, exportSegmentRecord } from '../../../tables/model/ledger/transfer-records.ts';
import { omsConfig } from '../../../tables/oms/config.ts';
import { omsTradingData } from '../../../tables/oms/trading-data.ts';
import { failureOf } from '../../support/failure-of.ts';
import { contentOf, ledgerOf, migrate, migrateEnvironment, rollback, sourceOf } from '../../support/migrate-engine.ts';
import { oldLedger, oldRecord } from '../../support/old-ledger.ts';
import { seedBench } from '../../support/seed-bench.ts';
import { useEngine } from '../../support/test-engine.ts';
import { copyReds, indexColours, resetToys, someThings, things, toyTables } from '../../support/toy-table.ts';
import { itemsOf } from '../../support/transfer-bed.ts';

const signal = new AbortController().signal;
const at = '2026-01-01T00:00:00Z';

/** The migrations that the old ledger is of, as far as a repair has to know them. */
const named = (id: string): Migration => defineMigration({ ...indexColours, id });
const oldSources = [
  copyReds,
  defineMigration({ id: '0003-do-own', description: 'x', steps: [custom({ name: 'count', run: async () => undefined })] }),
  defineMigration({ id: '0004-do-fail', description: 'x', steps: [custom({ name: 'count', run: async () => undefined })] }),
  named('0005-be-picky'),
  named('0006-index-again'),
].map((migration) => sourceOf(migration, migration === copyReds ? 'checksum-2' : 'checksum-1'));

describe('repair of an old ledger', () => {
  const engine = useEngine(toyTables);
  const environment = () => migrateEnvironment(engine(), { tables: toyTables });
  const repair = (): Promise<RepairReport> => repairLedger(environment(), oldSources, signal);
  /** Nobody holds the lock any more. */
  const freed: readonly Item[] = oldLedger.map((item) =>
    item.leaseUntil === undefined ? item : { ...item, leaseUntil: { N: '0' } },
  );
  const place = { migration: '0002-copy-reds', generation: 1, step: 0, pass: 'apply' } as const;
  const execution = { ...place, executionArn: 'arn', startedAt: at, token: 1 };
  const live = {
    ...{
      migration: '0002-copy-reds',
      token: 12,
      at,
      pass: 'apply' as const,
      step: 'copy',
      table: 'toy-things',
      elapsedMs: 1_000,
    },
    ...{ counts: noCounts, expected: 40, itemsPerSecond: 20, unitsPerSecond: noUnits, budget: noUnits },
    ...{ throttles: 0, segments: 8, segmentsDone: 0 },
  } as const;
  const writer = { migration: '0002-copy-reds', step: 0, segment: 0, generation: 2, token: 12, attempt: 0 };
  const part = { ...writer, sequence: 0, table: 'toy-things', entries: journalCodec.pack('[]'), count: 0, before: 0 };
  const later = [
    ledgerItem(executionRecord, execution),
    ledgerItem(partRecord, part),
    ledgerItem(headRecord, { ...writer, parts: 1, entries: 0 }),
    ledgerItem(exportSegmentRecord, { table: 'things', export: '0179-ab', segment: 3, progress: '{}' }),
    ledgerItem(erasureRecord, { at, id: 'ab', state: 'complete', by: 'me', removed: {}, left: 0, updatedAt: at }),
    ledgerItem(liveRecord, live),
    ledgerItem(bulkImportRecord, {
      ...{ table: 'things', identity: 'ab', source: 's3://b/x', options: '{}', state: 'staged', version: 1 },
      ...{ clientToken: 'token', bucket: 'b', prefix: 'bulk/ab/', rejected: 0, updatedAt: at },
    }),
  ] as const;

  beforeEach(async () => {
    await resetToys(engine(), []);
    await engine().putRaw(ledger, [...freed, ...later]);
  });

  it('finds nothing damaged in it', async () => {
    expect(await repair()).to.deep.equal({ damaged: [], repaired: [], strange: [], left: [] });
  });

  /** One of each kind with the last of its attributes of another type, and what becomes of it. */
  const expected: Readonly<Record<string, readonly [Item, 'rebuilt' | 'dropped']>> = {
    PAUSE: [damage('CONTROL#', '', 'at'), 'rebuilt'],
    STATE: [damage('MIGRATIONS', '0002', 'counts'), 'rebuilt'],
    STEP: [damage('MIGRATION#0005', 'STEP#0002', 'segments'), 'rebuilt'],
    SEGMENT: [damage('MIGRATION#0006', 'SEGMENT#', 'cursor'), 'dropped'],
    DEAD_LETTER: [damage('MIGRATION#0005', 'DEAD#', 'reason'), 'rebuilt'],
    EVENT: [damage('MIGRATION#0002', 'EVENT#', 'kind'), 'dropped'],
    TIMELINE: [damage('MIGRATION#0002', 'TIMELINE#', 'samples'), 'dropped'],
    LIVE: [{ ...later[5], throttles: { S: 'x' } }, 'dropped'],
    JOURNAL_PART: [{ ...later[1], entries: { B: new Uint8Array([7]) } }, 'dropped'],
    JOURNAL_HEAD: [{ ...later[2], parts: { S: '1' } }, 'rebuilt'],
    JOURNAL_CHUNK: [damage('JOURNAL#0006', '', 'entries'), 'dropped'],
    EXECUTION: [{ ...later[0], token: { S: 'x' } }, 'dropped'],
    SEED_SET: [damage('SEED#one', 'SET', 'loadedAt'), 'rebuilt'],
    SEED_ROW: [damage('SEED#one', 'ROW#', 'copies'), 'dropped'],
    SEED_VOLUME: [damage('SEED#oms', 'VOLUME#1', 'stored'), 'rebuilt'],
    CUTOVER_STATE: [damage('CUTOVER#states', '', 'state'), 'rebuilt'],
    CUTOVER_EVENT: [damage('CUTOVER#markets.orders.bestAsks', 'EVENT#00000003', 'to'), 'rebuilt'],
    SHADOW_COUNTS: [damage('CUTOVER#', 'SHADOW#', 'reads'), 'dropped'],
    SHADOW_DIFFERENCE: [damage('CUTOVER#', 'DIFFERENCE#', 'cause'), 'dropped'],
    IMPORT: [damage('TRANSFER#', '', 'position'), 'dropped'],
    EXPORT_SEGMENT: [{ ...later[3], progress: { BOOL: true } }, 'dropped'],
    ERASURE: [{ ...later[4], left: { BOOL: true } }, 'dropped'],
    STOP: [{ PK: { S: 'CONTROL#migrate' }, SK: { S: 'STOP' }, token: { BOOL: true } }, 'dropped'],
    CLAIM: [{ PK: { S: 'UNIT#0002-copy-reds#000#00003' }, SK: { S: 'CLAIM' }, token: { BOOL: true } }, 'dropped'],
    UNIT: [{ PK: { S: 'UNIT#0002-copy-reds#000#00003' }, SK: { S: 'SEGMENT#0001#apply' }, token: { BOOL: true } }, 'dropped'],
    BULK_IMPORT: [{ ...later[6], version: { S: 'x' } }, 'dropped'],
  };

  function damage(partition: string, sort: string, attribute: string): Item {
    const item = oldRecord(partition, sort);
    if (item[attribute] === undefined) throw new Error(`${partition} ${sort} has no ${attribute}`);
    return { ...item, [attribute]: { BOOL: true } };
  }

  it('knows what to do with every kind but the lock, which it replaces first', () => {
    const kinds = ledgerEntities.map(({ name }) => name).filter((name) => name !== 'LOCK');
    expect(Object.keys(expected)).to.have.members(kinds);
  });

  for (const [kind, [item, outcome]] of Object.entries(expected)) {
    it(`${outcome === 'rebuilt' ? 'rebuilds' : 'drops'} a damaged ${kind}, says so, and leaves a ledger that can be read`, async () => {
      await engine().putRaw(ledger, [item]);
      const { damaged, left } = await repair();
      expect(damaged.map((one) => [one.key, one.record, one.outcome])).to.deep.equal([[shownLedgerKey(item), kind, outcome]]);
      expect(damaged[0]?.means.length).to.be.greaterThan(10);
      expect(damaged[0]?.problems).not.to.have.length(0);
      expect(left).to.deep.equal([]);
      for (const stored of await itemsOf(engine(), ledger)) {
        const entity = ledgerEntityOf(stored) ?? expect.fail(shownLedgerKey(stored));
        expect(inspectRecord(entity, stored).kind, shownLedgerKey(stored)).to.equal('sound');
      }
      expect((await repair()).damaged).to.deep.equal([]);
    });
  }

  it('rebuilds or drops them all when every record of the ledger has lost everything but its key', async () => {
    await engine().putRaw(
      ledger,
      freed.filter(({ leaseUntil }) => leaseUntil === undefined).map(({ PK, SK }) => ({ PK, SK }) as Item),
    );
    const { damaged, left } = await repair();
    // Of these nothing is asked but what their keys say: they are not damaged.
    expect(damaged.length).to.equal(freed.length - 1);
    expect(left).to.deep.equal([]);
    expect(await repair()).to.deep.include({ damaged: [], left: [] });
  });

  it('leaves alone what is no record, and refuses to touch a ledger of a newer version', async () => {
    await engine().putRaw(ledger, [{ PK: { S: 'NOTES' }, SK: { S: 'x' } }, damage('CONTROL#', '', 'at')]);
    expect((await repair()).strange).to.deep.equal(['NOTES / x']);
    await engine().putRaw(ledger, [damage('CONTROL#', '', 'at'), { ...oldRecord('SEED#one', 'SET'), format: { N: '2' } }]);
    const refused = await failureOf(repair());
    expect(refused.code).to.equal('LEDGER_NEWER');
    expect(refused.message).to.contain('SEED#one / SET is of format 2');
    expect((await failureOf(ledgerOf(environment()).pause())).code).to.equal('LEDGER_DAMAGED');
  });

  it('leaves alone what somebody writes in that moment, and says so', async () => {
    const item = damage('SEED#one', 'SET', 'anchor');
    await engine().putRaw(ledger, [item]);
    const base = environment();
    const meddling = {
      ...base,
      ledger: {
        ...base.ledger,
        scan: async (...given: Parameters<typeof base.ledger.scan>) => {
          const page = await base.ledger.scan(...given);
          await engine().putRaw(ledger, [{ ...item, anchor: { N: '5' } }]);
          return page;
        },
      },
    };
    const { damaged, left } = await repairLedger(meddling, oldSources, signal);
    expect(damaged.map(({ outcome }) => outcome)).to.deep.equal(['changed']);
    expect(left).to.deep.equal(["SEED#one / SET: somebody wrote it in this moment; run 'tablewright repair' again"]);
  });
});

describe('after a repair', () => {
  const engine = useEngine([...toyTables, marketOrders, omsConfig, omsTradingData]);
  const environment = () => migrateEnvironment(engine(), { tables: toyTables });
  const sources = [sourceOf(indexColours)];
  const repair = () => repairLedger(environment(), sources, signal);
  const state = async () => (await ledgerOf(environment()).state(indexColours.id))?.state;
  const ledgerItems = async (partition: string, sort: string): Promise<readonly Item[]> =>
    (await itemsOf(engine(), ledger)).filter(
      ({ PK, SK }) => scalarText(PK)?.startsWith(partition) === true && scalarText(SK)?.startsWith(sort) === true,
    );
  beforeEach(() => resetToys(engine(), someThings(40)));

  it('a migration whose state was lost is applied, is verified by the next run only, and can be rolled back', async () => {
    const before = await contentOf(engine(), things);
    await migrate(environment(), [indexColours]);
    const done = await contentOf(engine(), things);
    const [item] = await ledgerItems('MIGRATIONS', '');
    for (const attribute of Object.keys(item ?? {}).filter((name) => !['PK', 'SK', 'id', 'format'].includes(name))) {
      await engine().putRaw(ledger, [{ ...item, [attribute]: { NULL: true } }]);
      for (const work of [() => migrate(environment(), [indexColours]), () => rollback(environment(), [indexColours])]) {
        expect((await failureOf(work())).code, attribute).to.equal('LEDGER_DAMAGED');
      }
      const { damaged } = await repair();
      expect(
        damaged.map(({ outcome }) => outcome),
        attribute,
      ).to.deep.equal(['rebuilt']);
      expect(await state(), attribute).to.equal('applied');
    }
    const report = await migrate(environment(), [indexColours]);
    expect(report.results.map((result) => [result.state, result.counts.changed])).to.deep.equal([['verified', 40]]);
    expect(await contentOf(engine(), things)).to.deep.equal(done);
    await rollback(environment(), [indexColours]);
    expect(await contentOf(engine(), things)).to.deep.equal(before);
  });

  it('a migration that was cut off goes on, whichever of its records was damaged', async () => {
    for (const sort of ['STEP#', 'SEGMENT#']) {
      await resetToys(engine(), someThings(40));
      const stop = new AbortController();
      const base = environment();
      const data = {
        ...base.data,
        execute: async (...given: Parameters<typeof base.data.execute>) => {
          stop.abort();
          return base.data.execute(...given);
        },
      };
      const cut = await migrate({ ...base, data }, [indexColours], { signal: stop.signal });
      expect(cut.outcome).to.equal('interrupted');
      for (const item of await ledgerItems(`MIGRATION#${indexColours.id}`, sort)) {
        const { segments: _, ...rest } = item;
        await engine().putRaw(ledger, [rest]);
      }
      expect((await failureOf(migrate(environment(), [indexColours]).then(thrown))).code, sort).to.equal('LEDGER_DAMAGED');
      await repair();
      const report = await migrate(environment(), [indexColours]);
      expect(
        report.results.map((result) => [result.state, result.counts.changed]),
        sort,
      ).to.deep.equal([['verified', 40]]);
    }
  });

  it('a rollback refuses to pass over a lost part of the journal, and leaves just its items when it is told to', async () => {
    await migrate(environment(), [indexColours]);
    const [part] = await ledgerItems(`JOURNAL#${indexColours.id}`, 'PART#');
    for (const entries of [{ S: 'x' }, { B: new Uint8Array([1, 2, 3]) }]) {
      await engine().putRaw(ledger, [{ ...part, entries } as Item]);
      const refused = await failureOf(rollback(environment(), [indexColours]));
      expect(refused.code).to.equal('LEDGER_DAMAGED');
      expect(refused.message).to.contain(`JOURNAL#${indexColours.id}#000#00000 / PART#`);
    }
    const { damaged } = await repair();
    expect(damaged[0]).to.include({ record: 'JOURNAL_PART', outcome: 'dropped' });
    expect(damaged[0]?.means).to.equal(
      'what it kept of the items of 0001-index-colours, step 0, segment 0, is lost: a rollback refuses to go past it unless --accept-gaps is given, and leaves those items as they are',
    );
    const lost = Number(scalarText(part?.count));
    const refused = await failureOf(rollback(environment(), [indexColours]));
    expect(refused.code).to.equal('JOURNAL_GAP');
    expect(refused.problems[0]).to.contain(`it may hold ${lost} items`);
    const { outcome, results } = await rollback(environment(), [indexColours], undefined, signal, { acceptGaps: true });
    expect([outcome, results[0]?.missing, results[0]?.counts.changed]).to.deep.equal(['done', lost, 40 - lost]);
    const left = (await itemsOf(engine(), things)).filter((item) => item['colour-key'] !== undefined).length;
    expect(left).to.equal(lost);
    expect((await ledgerOf(environment()).history(indexColours.id)).map(({ kind }) => kind)).to.include('repaired');
  });

  it('readers of a pattern follow its history, and those of others never noticed', async () => {
    const { bestAsks, bestBids } = marketOrders.patterns;
    const cutover = { ...engine().environment, tables: [marketOrders], nowMs: Date.now, by: 'a test' };
    const states = oldLedger.filter(({ PK }) => shownLedgerKey({ PK } as Item).startsWith('CUTOVER#'));
    await engine().putRaw(ledger, states);
    const { share: _, ...item } = oldRecord('CUTOVER#states', 'PATTERN#markets.orders.bestAsks');
    await engine().putRaw(ledger, [item]);
    for (const work of [() => readState(cutover, bestAsks), () => applyCutover(cutover, bestAsks), () => loadStates(cutover)]) {
      expect((await failureOf(work())).code).to.equal('LEDGER_DAMAGED');
    }
    expect((await readState(cutover, bestBids)).state).to.equal('shadow');
    await repair();
    expect(await readState(cutover, bestAsks)).to.deep.include({ state: 'query', version: 3 });
    // Without the event of its version nobody knows what it was; the scan is always right, and versions go on growing.
    const without = states.filter(({ SK }) => SK === undefined || !('S' in SK) || SK.S !== 'EVENT#00000003');
    await resetToys(engine(), []);
    await engine().putRaw(ledger, [...without.filter(({ version }) => version === undefined), item]);
    const { damaged } = await repair();
    expect(damaged.map(({ record, outcome }) => [record, outcome])).to.deep.equal([[cutoverState.name, 'rebuilt']]);
    expect(await readState(cutover, bestAsks)).to.deep.include({ state: 'scan', version: 3 });
  });

  it('a volume goes on with the rows that it is known to have', async () => {
    const bench = seedBench(engine());
    const options = { set: 'oms', volume: omsVolume, count: 50, seed: 1, overwrite: false, prune: false, dryRun: false };
    await loadVolume(bench.environment, options);
    const [item] = await ledgerItems('SEED#oms', 'VOLUME#1');
    const { stored: _, ...rest } = item ?? {};
    await engine().putRaw(ledger, [rest]);
    expect((await failureOf(loadVolume(bench.environment, options))).code).to.equal('LEDGER_DAMAGED');
    await repair();
    expect(await loadVolume(bench.environment, options)).to.include({ outcome: 'complete', from: 0, written: 50 });
    bench.close();
  });
});

/** A run that failed says so in its report; here its error is wanted. */
function thrown({ results }: Awaited<ReturnType<typeof migrate>>): void {
  const error = results.at(-1)?.error;
  if (error !== undefined) throw error;
}
