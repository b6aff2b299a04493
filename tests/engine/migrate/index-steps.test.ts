import { UpdateItemCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { deleteIndex } from '../../../engine/aws/tables/delete-index.ts';
import {
  addIndex,
  cutOverTo,
  defineMigration,
  dropIndex,
  removeAttributes,
  type StoppedWriting,
} from '../../../engine/core/migrate/define-migration.ts';
import { derivedBackfill } from '../../../engine/core/migrate/derived-backfill.ts';
import type { MigrateEvent } from '../../../engine/core/migrate/migrate-event.ts';
import { checkMigrationSet } from '../../../engine/core/migrate/migration-set.ts';
import { naturalHints } from '../../../engine/core/migrate/plan-hints.ts';
import { applyCutover } from '../../../engine/run/cutover/apply-cutover.ts';
import { readState } from '../../../engine/run/cutover/change-state.ts';
import { revertCutover } from '../../../engine/run/cutover/move-state.ts';
import type { IndexMaker } from '../../../engine/run/migrate/environment.ts';
import { planRuns } from '../../../engine/run/migrate/plan.ts';
import { indexPlans, preflight } from '../../../engine/run/migrate/preflight.ts';
import { runVerify } from '../../../engine/run/migrate/run-verify.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { failureIn, failureOf } from '../../support/failure-of.ts';
import { migrate, migrateEnvironment, rollback, sourceOf } from '../../support/migrate-engine.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { after as afterwards, back, bareNote, before as formerly, note, noteOf, there } from '../cutover/moving-notes.ts';

const never = new AbortController().signal;
const TableName = physicalName(formerly, testConfig);

describe('steps that change indexes', () => {
  const engine = useEngine([formerly, ledger]);
  const indexes = (): IndexMaker => ({
    add: async (request) => void (await engine().client.send(new UpdateTableCommand(request))),
    drop: (tableName, index) => deleteIndex(engine().client, tableName, index),
  });
  const on = (table: Table, where: 'local' | 'deployed', events: MigrateEvent[] = []) =>
    migrateEnvironment(engine(), {
      tables: [table, ledger],
      events,
      overrides: where === 'local' ? { indexes: indexes() } : { indexProgress: async () => 41.7 },
    });
  const cutover = () => ({ ...engine().environment, tables: [there, ledger], nowMs: Date.now, by: 'a test' });
  const move = defineMigration({
    id: '0001-move',
    description: 'there',
    steps: [addIndex(there, 'ByTopic'), cutOverTo(there, 'ByTopic')],
  });
  const drop = defineMigration({ id: '0002-drop', description: 'drop', steps: [dropIndex(afterwards, 'ByMade')] });
  const remove = (watchMs: number) =>
    defineMigration({
      id: '0003-remove',
      description: 'remove',
      steps: removeAttributes({
        table: afterwards,
        entities: [bareNote],
        attributes: ['madePK', 'madeSK', 'topic'],
        proof: { watchMs },
      }),
    });
  const indexesThere = async () =>
    (await engine().environment.store.describeTable(TableName))?.indexes.map(({ name }) => name).toSorted();
  const errorOf = async (run: ReturnType<typeof migrate>) => {
    const [result] = (await run).results;
    return [result?.error?.code, result?.error?.message, result?.error?.next];
  };

  before(() =>
    engine().put(
      formerly,
      note,
      Array.from({ length: 20 }, (_, number) => noteOf(number)),
    ),
  );

  it('refuse an index that would make records unwritable, before it is made', async () => {
    const wrong = {
      Key: { id: { S: 'n0001' } },
      UpdateExpression: 'SET topic = :t',
      ExpressionAttributeValues: { ':t': { N: '1' } },
    };
    await engine().client.send(new UpdateItemCommand({ TableName, ...wrong }));
    const [code, message] = await errorOf(migrate(on(there, 'local'), [move]));
    expect([code, message]).to.deep.equal([
      'CHECK_FAILED',
      `${TableName}: index ByTopic makes 1 records unwritable\n  - topic: type N instead of S, 1 records, such as n0001`,
    ]);
    expect(await indexesThere()).to.deep.equal(['ByMade']);
    await engine().put(formerly, note, [noteOf(1)]);
  });

  it('stop on a deployed stack with the command that makes the index, and wait for it with how far it is', async () => {
    const [code, message, next] = await errorOf(migrate(on(there, 'deployed'), [move]));
    expect([code, message, next]).to.deep.equal([
      'INDEX_MISSING',
      `${TableName} has no index ByTopic`,
      "Make it with 'npx pulumi up -s test', then run 'tablewright migrate' again; it goes on here.",
    ]);
    const plans = indexPlans([move]);
    const checks = { callerAccount: async () => undefined, noPitrOk: true };
    await preflight(on(there, 'deployed'), [there], { ...checks, indexes: plans }, never);
    expect((await failureOf(preflight(on(there, 'deployed'), [there], checks, never))).message).to.contain('index ByTopic');
    const events: MigrateEvent[] = [];
    const environment = on(there, 'deployed', events);
    let looks = 0;
    const building = {
      ...environment,
      sleep: async () => undefined,
      data: {
        ...environment.data,
        describeTable: async (name: string) => {
          const found = await environment.data.describeTable(name);
          looks += 1;
          if (found === undefined || looks > 3) return found;
          return { ...found, indexes: [...found.indexes, { ...found.indexes[0], name: 'ByTopic', status: 'CREATING' } as never] };
        },
      },
    };
    await migrate(building, [move]);
    const said = events.flatMap((event) => (event.kind === 'message' ? [event.message] : []));
    expect(said).to.include(`${TableName}: ByTopic (41 % built) not ACTIVE yet`);
  });

  it('make the index on a local stack, prove parity and move the readers', async () => {
    expect((await migrate(on(there, 'local'), [move])).outcome).to.equal('done');
    expect(await indexesThere()).to.deep.equal(['ByMade', 'ByTopic']);
  });

  it('drop nothing while a pattern may be read by it, and stop on a deployed stack with the commands', async () => {
    await revertCutover(cutover(), there.patterns.ofTopic);
    const [code, message] = await errorOf(migrate(on(afterwards, 'local'), [move, drop]));
    expect([code, message]).to.deep.equal([
      'CHECK_FAILED',
      'notes: index ByMade cannot go, patterns may still be read by it\n  - notes.ofTopic: in state scan of index ByTopic',
    ]);
    await applyCutover(cutover(), there.patterns.ofTopic);
    const deployed = await errorOf(migrate(on(afterwards, 'deployed'), [move, drop]));
    expect(deployed.slice(0, 2)).to.deep.equal([
      'CHECK_FAILED',
      [
        `${TableName} still has index ByMade, which the catalogue no longer has`,
        '  - tables/allowed-changes.json: name the change notes/index/ByMade, with the reason',
        '  - npx pulumi up -s test',
        '  - tablewright migrate',
      ].join('\n'),
    ]);
    expect(await indexesThere()).to.deep.equal(['ByMade', 'ByTopic']);
  });

  it('are refused where the catalogue still has the index', async () => {
    const early = defineMigration({ ...drop, steps: [dropIndex(there, 'ByMade')] });
    const error = await failureOf(migrate(on(there, 'local'), [move, early]));
    expect([error.code, error.message]).to.deep.equal([
      'BAD_MIGRATION',
      'an index that the catalogue has cannot be dropped\n  - 0002-drop.ts: drops index ByMade, which notes still has in the catalogue',
    ]);
  });

  it('say in the plan of a drop what the way back costs afterwards', async () => {
    const environment = on(afterwards, 'local');
    const [plan] = await planRuns(environment, [{ source: sourceOf(drop), kind: 'fresh' }], undefined, never);
    expect(plan?.steps[0]?.hints.join()).to.match(/a backfill of 20 records and a new index: [\d.]+ RCU, 60 WCU, /);
  });

  it('drop the index on a local stack; from then on a rollback is refused, with the way back', async () => {
    expect((await migrate(on(afterwards, 'local'), [move, drop])).outcome).to.equal('done');
    expect(await indexesThere()).to.deep.equal(['ByTopic']);
    const error = await failureOf(rollback(on(afterwards, 'local'), [move, drop], '0'));
    expect(error.code).to.equal('BAD_MIGRATION');
    expect(error.message).to.contain('dropped an index: from there the way back is a migration with a backfill and a new index');
  });

  it('leave attributes alone that a settled backfill has filled and no rule makes any more', async () => {
    const filled = (table: Table, entity: typeof note) =>
      defineMigration({
        id: '0009-fill',
        description: 'fill',
        steps: [derivedBackfill({ name: 'keys', table, entities: [entity], attributes: ['madePK', 'madeSK'] })],
      });
    await migrate(on(back, 'local'), [move, drop, filled(back, note)]);
    const found = await runVerify(on(afterwards, 'local'), [sourceOf(filled(afterwards, bareNote))], '0009-fill', never);
    expect(found.map(({ state, leftovers }) => [state, leftovers])).to.deep.equal([['verified', 0]]);
  });

  it('remove no attribute that an index which is still there stands on, and prove nothing by a time to come', async () => {
    const early = (proof: StoppedWriting) =>
      defineMigration({
        id: '0003-remove',
        description: 'remove',
        steps: removeAttributes({ table: bare, entities: [bareNote], attributes: ['topic', 'madePK'], proof }),
      });
    // A catalogue that lost the index, on a table that has it.
    const bare = { ...afterwards, indexes: [] };
    const before = await engine().content(formerly);
    expect((await errorOf(migrate(on(bare, 'deployed'), [early({ watchMs: 1 })], { accept: true }))).slice(0, 2)).to.deep.equal([
      'CHECK_FAILED',
      `${TableName}: topic, madePK cannot be removed, a key still uses them\n  - index ByTopic stands on topic`,
    ]);
    const late = defineMigration({
      id: '0003-remove',
      description: 'remove',
      steps: removeAttributes({
        table: afterwards,
        entities: [bareNote],
        attributes: ['madePK'],
        proof: { createdAt: 'written', since: '2999-01-01T00:00:00Z' },
      }),
    });
    expect((await errorOf(migrate(on(afterwards, 'local'), [late], { accept: true }))).slice(0, 2)).to.deep.equal([
      'CHECK_FAILED',
      'proof.since: expected a time that has passed, found 2999-01-01T00:00:00Z',
    ]);
    expect(await engine().content(formerly)).to.deep.equal(before);
  });

  it('are refused with a proof that proves nothing, all that is wrong with it at once', () => {
    const removal = (proof: StoppedWriting) =>
      defineMigration({
        id: '0003-remove',
        description: 'remove',
        steps: removeAttributes({ table: afterwards, entities: [bareNote], attributes: ['madePK'], proof }),
      });
    const problemsOf = (proof: StoppedWriting) =>
      failureIn(() => checkMigrationSet([sourceOf(removal(proof))], [afterwards])).problems.map((problem) =>
        problem.replace(/^.*: proof/, 'proof'),
      );
    expect(problemsOf({ createdAt: 'made', since: 'soon' })).to.deep.equal([
      'proof.since: expected an ISO 8601 time, found soon',
      'proof.createdAt: NOTE has no attribute made',
    ]);
    expect(problemsOf({ watchMs: 0 })).to.deep.equal(['proof.watchMs: expected milliseconds above 0, found 0']);
  });

  it('remove no attribute while records are made with it, none that a key uses, and put them back in a rollback', async () => {
    let made = 100;
    const isBusy = { value: true };
    const busy = (async () => {
      for (; isBusy.value; made += 1) await engine().put(formerly, note, [noteOf(made)]);
    })();
    const set = [move, drop, remove(200)];
    try {
      const [code, message] = await errorOf(migrate(on(afterwards, 'local'), set, { accept: true }));
      expect(code).to.equal('CHECK_FAILED');
      expect(message).to.match(/^notes: madePK, madeSK are still written: \d+ records have them that had not 0\.2 s before/);
    } finally {
      isBusy.value = false;
      await busy;
    }
    // As many are deleted meanwhile as are made.
    const environment = on(afterwards, 'local');
    let looks = 0;
    const swapping = {
      ...environment,
      sleep: async (ms: number) => {
        if (ms < 100 || looks > 0) return;
        looks += 1;
        await engine().removeRaw(formerly, [{ id: { S: 'n0100' } }]);
        await engine().put(formerly, note, [noteOf(9_000)]);
      },
    };
    expect((await errorOf(migrate(swapping, set, { accept: true })))[1]).to.match(
      /: 1 records have them that had not 0\.2 s before/,
    );
    expect(looks).to.equal(1);
    const before = await engine().content(formerly);
    expect((await migrate(on(afterwards, 'local'), set, { accept: true })).outcome).to.equal('done');
    const names = new Set(Object.values(await engine().content(formerly)).flatMap((item) => Object.keys(item as object)));
    expect([...names].toSorted()).to.deep.equal(['id', 'topic', 'words', 'written']);
    await rollback(on(afterwards, 'local'), set, '0009');
    // The numbers decide the order: 0009 is older here than what is undone.
    await rollback(on(afterwards, 'local'), set, '0002');
    expect(await engine().content(formerly)).to.deep.equal(before);
  });

  it('may name indexes that later migrations drop or make again', () => {
    const again = defineMigration({ id: '0005-again', description: 'again', steps: [addIndex(back, 'ByMade')] });
    const gone = defineMigration({ id: '0006-gone', description: 'gone', steps: [dropIndex(formerly, 'ByTopic')] });
    const early = defineMigration({ id: '0001-move', description: 'there', steps: [addIndex(formerly, 'ByTopic')] });
    expect(
      checkMigrationSet(
        [early, again, gone].map((one) => sourceOf(one)),
        [formerly],
      ),
    ).to.have.length(3);
    expect(() => checkMigrationSet([sourceOf(early)], [formerly])).to.throw(/notes has no index ByTopic/);
    const misspelt = defineMigration({ id: '0001-move', description: 'there', steps: [cutOverTo(there, 'ByTopics')] });
    expect(() => checkMigrationSet([sourceOf(misspelt)], [there])).to.throw(
      /notes has no index ByTopics; expected one of ByMade, ByTopic/,
    );
    const moved = defineMigration({ id: '0001-move', description: 'there', steps: [cutOverTo(formerly, 'ByTopic')] });
    expect(checkMigrationSet([sourceOf(moved), sourceOf(gone)], [formerly])).to.have.length(2);
  });
});

describe('an index that is added without moving its readers', () => {
  const engine = useEngine([formerly, ledger]);
  const add = defineMigration({ id: '0001-add', description: 'add', steps: [addIndex(there, 'ByTopic')] });
  const drop = defineMigration({ id: '0002-drop', description: 'drop', steps: [dropIndex(afterwards, 'ByMade')] });

  it('keeps the one that they are on from being dropped, though the catalogue no longer knows of them', async () => {
    const on = (table: Table) => {
      const { client } = engine();
      const indexes: IndexMaker = {
        add: async (request) => void (await client.send(new UpdateTableCommand(request))),
        drop: (tableName, index) => deleteIndex(client, tableName, index),
      };
      return migrateEnvironment(engine(), { tables: [table, ledger], overrides: { indexes } });
    };
    expect((await migrate(on(there), [add])).outcome).to.equal('done');
    const cutover = { ...engine().environment, tables: [there, ledger], nowMs: Date.now, by: 'a test' };
    expect((await readState(cutover, there.patterns.ofTopic)).state).to.equal('scan');
    const [refused] = (await migrate(on(afterwards), [add, drop])).results;
    expect([refused?.error?.code, refused?.error?.message]).to.deep.equal([
      'CHECK_FAILED',
      'notes: index ByMade cannot go, patterns may still be read by it\n  - notes.ofTopic: in state scan of index ByTopic',
    ]);
    expect((await applyCutover(cutover, there.patterns.ofTopic)).outcome).to.equal('applied');
    expect((await migrate(on(afterwards), [add, drop])).outcome).to.equal('done');
  });
});

describe('the plan of a backfill', () => {
  it('says in one line which index could be natural', () => {
    const pending = derivedBackfill({ name: 'keys', table: formerly, entities: [note] });
    expect(naturalHints(pending)).to.deep.equal([
      "ByMade could stand on topic, written and need no backfill: 'tablewright advise indexes --table notes'",
    ]);
    expect(naturalHints(derivedBackfill({ name: 'keys', table: afterwards, entities: [bareNote] }))).to.deep.equal([]);
  });
});
