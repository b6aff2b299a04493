import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { backfill, custom, defineMigration, type Migration, type Step } from '../../../engine/core/migrate/define-migration.ts';
import { runRollback } from '../../../engine/run/migrate/rollback/run-rollback.ts';
import { runMigrations } from '../../../engine/run/migrate/run-migrations.ts';
import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { keyOf } from '../../../tables/model/item.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { defineTable } from '../../../tables/model/table.ts';
import { type Death, Died, dyingEnvironment } from '../../support/dying-environment.ts';
import { failureOf } from '../../support/failure-of.ts';
import { contentOf, ledgerOf, migrateEnvironment, rollback, sourceOf } from '../../support/migrate-engine.ts';
import { oldLedger } from '../../support/old-ledger.ts';
import { useEngine } from '../../support/test-engine.ts';
import { copyReds, indexColours, resetToys, someThings, thingOf, things, toyTables } from '../../support/toy-table.ts';
import { itemsOf } from '../../support/transfer-bed.ts';

const signal = new AbortController().signal;

/** A second table beside the toy things. */
const trades = defineTable({
  name: 'toy-trades',
  system: 'toys',
  namespace: 'toys.trades',
  description: 'Trades',
  hash: 'id',
  entities: [],
});
const tables = [...toyTables, trades];
const tradeOf = (number: number): Item => ({ id: { S: `trade-${number}` }, colour: { S: 'red' } });

const mark = (table: typeof things | typeof trades): Step =>
  backfill({
    name: `mark ${table.name}`,
    table,
    reads: ['colour'],
    change: (item) => ({ set: { marked: { S: `by ${scalarText(item.colour)}` } } }),
  });

const both: Migration = defineMigration({
  id: '0001-mark-both',
  description: 'Things and trades are marked',
  steps: [mark(things), mark(trades)],
});

describe('a rollback', function () {
  this.timeout(60_000);
  const engine = useEngine(tables);
  const environment = (later = 0) =>
    migrateEnvironment(engine(), { tables, overrides: { nowMs: () => Date.now() + later * 30_001 } });
  const run = (migration: Migration, checksum = 'checksum-1') =>
    runMigrations(environment(), [sourceOf(migration, checksum)], { accept: true }, signal);
  const undo = (migrations: readonly Migration[], checksum = 'edited', options = {}) =>
    runRollback(
      environment(),
      migrations.map((migration) => sourceOf(migration, checksum)),
      undefined,
      signal,
      options,
    );
  const contents = async () => [await contentOf(engine(), things), await contentOf(engine(), trades)];
  const journal = async (sort: string) =>
    (await itemsOf(engine(), ledger)).filter(
      ({ PK, SK }) => scalarText(PK)?.startsWith('JOURNAL#') === true && scalarText(SK)?.startsWith(sort) === true,
    );
  const drop = async (...items: readonly Item[]) => {
    const TableName = physicalName(ledger, engine().config);
    for (const item of items) await engine().client.send(new DeleteItemCommand({ TableName, Key: keyOf(ledger, item) }));
  };

  let initial: readonly unknown[];
  beforeEach(async () => {
    await resetToys(engine(), someThings(40));
    await engine().putRaw(
      trades,
      Array.from({ length: 30 }, (_, at) => tradeOf(at)),
    );
    initial = await contents();
  });
  afterEach(async () => {
    for (const item of await itemsOf(engine(), trades)) {
      const TableName = physicalName(trades, engine().config);
      await engine().client.send(new DeleteItemCommand({ TableName, Key: keyOf(trades, item) }));
    }
  });

  describe('of an edited file', () => {
    const edited: Readonly<Record<string, readonly Migration[]>> = {
      'with a step removed': [{ ...both, steps: both.steps.slice(0, 1) }],
      'with the steps swapped': [{ ...both, steps: both.steps.toReversed() }],
      'with another table in the step': [{ ...both, steps: [mark(trades), mark(trades)] }],
      'that is gone': [],
    };
    for (const [how, migrations] of Object.entries(edited)) {
      it(`${how} restores all that the journal has`, async () => {
        await run(both);
        const { outcome, results } = await undo(migrations);
        expect(outcome).to.equal('done');
        expect(results.map(({ id, counts }) => [id, counts.changed, counts.kept])).to.deep.equal([[both.id, 70, 0]]);
        expect(await contents()).to.deep.equal(initial);
        expect(await journal('')).to.deep.equal([]);
        expect((await ledgerOf(environment()).state(both.id))?.state).to.equal('rolled-back');
      });
    }

    it('is refused where only the file can undo a step, and says which and why; nothing is touched', async () => {
      const undone: string[] = [];
      const own = (undo: boolean): Migration => ({
        ...both,
        steps: [
          mark(things),
          custom({ name: 'count', run: async () => undefined, ...(undo ? { undo: async () => void undone.push('x') } : {}) }),
        ],
      });
      await run(own(true));
      const marked = await contents();
      const cases: readonly (readonly [readonly Migration[], string, string])[] = [
        [
          [own(true)],
          'edited',
          'step count is undone by code of its own, and its file was changed since: expected checksum checksum-1, found edited',
        ],
        [[], 'checksum-1', 'step count is undone by code of its own, and its file is not in migrations/, or cannot be loaded'],
        [
          [{ ...both, steps: both.steps }],
          'checksum-1',
          'step count is undone by code of its own, and its file has no such step any more',
        ],
        [[own(false)], 'checksum-1', 'step count has no undo'],
      ];
      for (const [migrations, checksum, why] of cases) {
        const refused = await failureOf(undo(migrations, checksum));
        expect([refused.code, refused.problems]).to.deep.equal(['BAD_MIGRATION', [`${both.id}: ${why}`]]);
        expect(await contents()).to.deep.equal(marked);
      }
      expect((await undo([own(true)], 'checksum-1')).outcome).to.equal('done');
      expect(undone).to.deep.equal(['x']);
      expect(await contents()).to.deep.equal(initial);
    });
  });

  describe('whose journal is not whole', () => {
    const small = () => migrateEnvironment(engine(), { tables, tuning: { segments: 2, pageItems: 5 } });
    const migrated = () => runMigrations(small(), [sourceOf(indexColours)], { accept: true }, signal);
    const keyed = async () => (await itemsOf(engine(), things)).filter((item) => item['colour-key'] !== undefined).length;

    it('is refused, whichever part or head is missing, with the number of items that it held', async () => {
      await migrated();
      const changed = await contents();
      const records = [...(await journal('PART#')), ...(await journal('HEAD#'))];
      expect(records.length).to.be.greaterThan(6);
      for (const record of records) {
        await drop(record);
        const refused = await failureOf(undo([indexColours]));
        expect(refused.code, scalarText(record.SK)).to.equal('JOURNAL_GAP');
        const count = scalarText(record.count);
        const held = count === undefined ? 'how many items it held cannot be told' : `it may hold ${count} item`;
        expect(refused.problems.join(), scalarText(record.SK)).to.contain(held);
        expect(refused.problems[0]).to.match(/^0001-index-colours, step colour keys, segment \d: token \d+: /);
        expect(await contents()).to.deep.equal(changed);
        await engine().putRaw(ledger, [record]);
      }
      expect((await undo([indexColours])).results[0]?.counts).to.include({ changed: 40, kept: 0 });
      expect(await contents()).to.deep.equal(initial);
    });

    it('stops when a part is lost after it was looked at, before an older one is settled; what it held stays known', async () => {
      await migrated();
      const lost = (await journal('PART#')).find(({ SK }) => scalarText(SK)?.endsWith('#00000001') === true) ?? {};
      const held = Number(scalarText(lost.count));
      const where = environment();
      const { transact } = where.ledger;
      let looked = false;
      const losing: typeof where.ledger.transact = async (request) => {
        const answer = await transact(request);
        if (!looked && JSON.stringify(request).includes('rollback-started')) await drop(lost).then(() => (looked = true));
        return answer;
      };
      const torn = { ...where, ledger: { ...where.ledger, transact: losing } };
      const refused = await failureOf(runRollback(torn, [sourceOf(indexColours)], undefined, signal));
      expect(looked).to.equal(true);
      expect(refused.code).to.equal('JOURNAL_GAP');
      expect(refused.problems.join()).to.contain(`part 2 is missing: it may hold ${held} items`);
      expect((await failureOf(undo([indexColours]))).problems).to.deep.equal(refused.problems);
      const { results } = await undo([indexColours], 'edited', { acceptGaps: true });
      expect(results[0]).to.deep.include({ outcome: 'rolled-back', missing: held });
      expect(results[0]?.counts).to.include({ changed: 40 - held, kept: 0 });
      expect(await keyed()).to.equal(held);
    });

    it('misses nothing when the checkpoint of a rollback that was killed is lost', async () => {
      await migrated();
      const { environment: dying } = dyingEnvironment(environment(), 24, 'after');
      await runRollback(dying, [sourceOf(indexColours)], undefined, signal).catch((error: unknown) =>
        expect(error).to.be.instanceOf(Died),
      );
      const own = (await itemsOf(engine(), ledger)).filter(({ SK }) => scalarText(SK)?.includes('#rollback#') === true);
      const settled = own.filter(({ counts }) => !JSON.stringify(counts).includes('"scanned":{"N":"0"}'));
      expect(settled.length, JSON.stringify(own)).to.be.greaterThan(0);
      await drop(...own);
      const { outcome } = await runRollback(environment(1), [sourceOf(indexColours)], undefined, signal);
      expect(outcome).to.equal('done');
      expect(await contents()).to.deep.equal(initial);
    });

    it('is refused when the journals are gone with their heads, or all steps with them', async () => {
      await migrated();
      await drop(...(await journal('')));
      const refused = await failureOf(undo([indexColours]));
      expect(refused.problems.map((problem) => problem.replace(/.*: it/, 'it')).toSorted()).to.have.length(2);
      const counted = refused.problems.map((problem) => Number(/it may hold (\d+) items/.exec(problem)?.[1] ?? Number.NaN));
      // A head that its checkpoint names is missing, or changes that it counts are: both say that it is gone.
      expect(counted.length).to.equal(2);
      const rest = (await itemsOf(engine(), ledger)).filter(({ PK }) => scalarText(PK) === `MIGRATION#${indexColours.id}`);
      await drop(...rest);
      expect((await failureOf(undo([indexColours]))).problems).to.deep.equal([
        `${indexColours.id}: the ledger knows no step of it, and changes were counted: it may hold 40 items`,
      ]);
    });

    it('restores the rest when it is told to accept that, says how many it left, and counts on when it is cut off', async () => {
      await migrated();
      const [one, two] = (await journal('PART#')).filter((_, at) => at % 3 === 1);
      await drop(one ?? {}, two ?? {});
      const missing = Number(scalarText(one?.count)) + Number(scalarText(two?.count));
      const { results } = await undo([indexColours], 'edited', { acceptGaps: true });
      expect(results[0]).to.deep.include({ outcome: 'rolled-back', missing });
      expect(results[0]?.counts).to.include({ changed: 40 - missing, kept: 0 });
      expect(await keyed()).to.equal(missing);
      const told = (await ledgerOf(environment()).history(indexColours.id)).map(({ detail }) => detail);
      expect(told).to.include(`${missing} items are missing in its journal`);
      expect(await journal('')).to.deep.equal([]);
    });
  });

  it('that goes past a missing head, and is killed at any write, can be gone on with', async () => {
    const small = (number: number) =>
      migrateEnvironment(engine(), {
        tables,
        tuning: { segments: 2, pageItems: 5, batchesInFlight: 1, heartbeatMs: 60_000 },
        overrides: { nowMs: () => Date.now() + number * 30_001 },
      });
    const headless = async () => {
      await resetToys(engine(), someThings(12));
      await runMigrations(small(0), [sourceOf(indexColours)], { accept: true }, signal);
      await drop(...(await journal('HEAD#')).slice(0, 1));
    };
    const accept = { acceptGaps: true };
    await headless();
    const before = await contentOf(engine(), things);
    const counting = dyingEnvironment(small(1));
    await rollback(counting.environment, [indexColours], undefined, signal, accept);
    const restored = await contentOf(engine(), things);
    expect(restored).to.not.deep.equal(before);
    for (let at = 1; at <= counting.writes.length; at += 1) {
      await headless();
      const { environment: dying } = dyingEnvironment(small(1), at, 'after');
      await rollback(dying, [indexColours], undefined, signal, accept).catch((error: unknown) =>
        expect(error).to.be.instanceOf(Died),
      );
      const state = (await ledgerOf(small(2)).state(indexColours.id))?.state;
      const { results } = await rollback(small(2), [indexColours], undefined, signal, accept);
      const where = `write ${at} (${counting.writes[at - 1]})`;
      if (state !== 'rolled-back') expect(results[0]?.counts, where).to.include({ changed: 12, kept: 0 });
      expect(await contentOf(engine(), things), where).to.deep.equal(restored);
      expect(await journal(''), where).to.deep.equal([]);
    }
  });

  describe('after kills', () => {
    const tuning = { segments: 2, pageItems: 5, batchesInFlight: 1, heartbeatMs: 60_000 };
    const process = (number: number) =>
      migrateEnvironment(engine(), { tables, tuning, overrides: { nowMs: () => Date.now() + number * 30_001 } });
    const migrateIn = (number: number, migration: Migration) =>
      runMigrations(process(number), [sourceOf(migration)], { accept: true }, signal);
    const few = [...someThings(11).map((item, at) => (at % 4 === 0 ? { ...item, old: { S: 'x' } } : item)), thingOf(12)];

    const countsOf = (migration: Migration, report: Awaited<ReturnType<typeof rollback>>) => {
      const { scanned: _, ...counts } = report.results.find(({ id }) => id === migration.id)?.counts ?? {};
      return counts;
    };

    for (const migration of [indexColours, copyReds]) {
      it(`counts as if it had not been disturbed: ${migration.id}`, async () => {
        await resetToys(engine(), few);
        const before = await contentOf(engine(), things);
        await migrateIn(0, migration);
        const counting = dyingEnvironment(process(1));
        const undisturbed = countsOf(migration, await rollback(counting.environment, [migration]));
        expect(undisturbed).to.include({ kept: 0, right: 0, gone: 0 });
        for (let at = 1; at <= counting.writes.length; at += 1) {
          for (const death of ['after', 'half'] as const) {
            if (death === 'half' && counting.writes[at - 1] === 'ledger') continue;
            await resetToys(engine(), few);
            await migrateIn(0, migration);
            const { environment: dying } = dyingEnvironment(process(1), at, death);
            const died = await rollback(dying, [migration]).then(
              () => false,
              (error: unknown) => error instanceof Died,
            );
            const state = (await ledgerOf(process(2)).state(migration.id))?.state;
            const report = await rollback(process(2), [migration]);
            const where = `write ${at} (${counting.writes[at - 1]}), ${death}, ${died}`;
            // Killed in the moment when all was done, it has nothing left to say.
            if (state !== 'rolled-back') expect(countsOf(migration, report), where).to.deep.equal(undisturbed);
            expect(await contentOf(engine(), things), where).to.deep.equal(before);
          }
        }
      });

      it(`calls nothing "changed since" that a killed run of ${migration.id} journalled and never wrote, or wrote twice`, async () => {
        await resetToys(engine(), few);
        const before = await contentOf(engine(), things);
        const counting = dyingEnvironment(process(0));
        await migrateIn2(counting.environment, migration);
        for (const deaths of killings(counting.writes.length)) {
          await resetToys(engine(), few);
          for (const [number, [at, death]] of deaths.entries()) {
            const { environment: dying } = dyingEnvironment(process(number), at, death);
            await migrateIn2(dying, migration).catch((error: unknown) => expect(error).to.be.instanceOf(Died));
          }
          const where = JSON.stringify(deaths);
          const written = await changedIn(before);
          const { results } = await rollback(process(deaths.length), [migration]);
          const { changed = 0, kept = 0, gone = 0 } = results[0]?.counts ?? {};
          expect({ changed, kept, gone }, where).to.deep.equal({ changed: written, kept: 0, gone: 0 });
          expect(await contentOf(engine(), things), where).to.deep.equal(before);
        }
      });
    }

    const migrateIn2 = (where: ReturnType<typeof process>, migration: Migration) =>
      runMigrations(where, [sourceOf(migration)], { accept: true }, signal);

    /** Items that are not as they were. */
    const changedIn = async (before: Readonly<Record<string, unknown>>): Promise<number> => {
      const now = await contentOf(engine(), things);
      return Object.entries(now).filter(([key, item]) => JSON.stringify(item) !== JSON.stringify(before[key])).length;
    };

    /** One death at every third write, and two and three in a row at some. */
    function killings(writes: number): readonly (readonly (readonly [number, Death])[])[] {
      const deaths: readonly Death[] = ['half', 'after', 'before'];
      const one = Array.from({ length: writes }, (_, at) => [[at + 1, deaths[at % 3] ?? 'half'] as const]);
      const more = [
        [
          [5, 'half'],
          [4, 'after'],
          [5, 'half'],
        ],
        [
          [5, 'after'],
          [5, 'before'],
          [6, 'half'],
        ],
        [
          [6, 'half'],
          [6, 'half'],
          [6, 'half'],
        ],
      ] as const;
      return [...one.filter((_, at) => at > 2), ...more];
    }
  });

  it('of a ledger from before format 2 uses the unchanged file, and is refused without it', async () => {
    const id = '0006-index-again';
    const old = oldLedger.filter(({ PK, SK }) => scalarText(PK)?.includes(id) === true || scalarText(SK) === id);
    await resetToys(engine(), []);
    await engine().putRaw(ledger, old);
    const [step] = await ledgerOf(environment()).steps(id);
    const sizes = backfill({ name: step?.name ?? '', table: things, reads: [], change: () => undefined });
    const source = sourceOf({ ...indexColours, id, steps: [sizes] });
    const refused = await failureOf(runRollback(environment(), [], undefined, signal));
    expect(refused.problems).to.deep.equal([
      `${id}: step ${step?.name} has a journal of an earlier version, which needs its file, and its file is not in migrations/, or cannot be loaded`,
    ]);
    const { results } = await runRollback(environment(), [source], undefined, signal);
    expect(results[0]?.outcome).to.equal('rolled-back');
    // None of its things is here any more.
    expect(results[0]?.counts.gone).to.be.greaterThan(20);
    expect(await journal('')).to.deep.equal([]);
  });

  it('keeps what somebody changed since, counts what somebody deleted, and names the first few', async () => {
    await run(indexColours);
    await engine().putRaw(things, [thingOf(3, { 'colour-key': { S: 'COLOUR#mine' } })]);
    const TableName = physicalName(things, engine().config);
    await engine().client.send(new DeleteItemCommand({ TableName, Key: { id: { S: 'thing-0004' } } }));
    const { results } = await undo([indexColours]);
    expect(results[0]?.counts).to.include({ changed: 38, kept: 1, gone: 1 });
    expect(results[0]?.keptKeys).to.deep.equal(['thing-0003']);
  });
});
