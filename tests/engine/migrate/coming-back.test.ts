import { DeleteItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { backfill, custom, defineMigration, type Migration } from '../../../engine/core/migrate/define-migration.ts';
import type { MigrateEvent } from '../../../engine/core/migrate/migrate-event.ts';
import type { MigrationSource } from '../../../engine/core/migrate/migration-set.ts';
import { repairLedger } from '../../../engine/run/ledger/repair-ledger.ts';
import { runRollback } from '../../../engine/run/migrate/rollback/run-rollback.ts';
import { runMigrations } from '../../../engine/run/migrate/run-migrations.ts';
import { runRetry } from '../../../engine/run/migrate/run-retry.ts';
import { runVerify } from '../../../engine/run/migrate/run-verify.ts';
import { scalarText } from '../../../tables/model/attribute-value.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { failureOf } from '../../support/failure-of.ts';
import { contentOf, ledgerOf, migrateEnvironment, sourceOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { copyReds, indexColours, resetToys, someThings, thing, things, toyTables } from '../../support/toy-table.ts';

const signal = new AbortController().signal;

describe('a migration that is taken up again', () => {
  const engine = useEngine(toyTables);
  const environment = () => migrateEnvironment(engine(), { tables: toyTables });
  const run = (sources: readonly MigrationSource[], accept = false) => runMigrations(environment(), sources, { accept }, signal);
  const state = (id: string) => ledgerOf(environment()).state(id);
  const did: string[] = [];
  const counted = (by: string): Migration =>
    defineMigration({
      id: '0001-index-colours',
      description: 'Colour keys, and something of its own',
      steps: [
        custom({
          name: 'count',
          run: async () => void did.push(`run ${by}`),
          verify: async () => 0,
          undo: async () => void did.push(`undo ${by}`),
        }),
        backfill({
          name: 'colour keys',
          table: things,
          entities: [thing],
          reads: ['colour'],
          writes: ['colour-key'],
          change: (item) => {
            if (scalarText(item.id)?.startsWith('thing-') !== true) return undefined;
            return { set: { 'colour-key': { S: `${by}#${scalarText(item.colour)}` } } };
          },
        }),
      ],
    });
  const spoil = async (...ids: readonly string[]) => {
    for (const id of ids) {
      const update = {
        TableName: physicalName(things, engine().config),
        Key: { id: { S: id } },
        UpdateExpression: 'SET #key = :wrong',
        ExpressionAttributeNames: { '#key': 'colour-key' },
        ExpressionAttributeValues: { ':wrong': { S: 'COLOUR#wrong' } },
      };
      await engine().client.send(new UpdateItemCommand(update));
    }
  };

  beforeEach(async () => {
    did.length = 0;
    await resetToys(engine(), someThings(30));
  });

  it('because verify found wrong keys is repaired by migrate, in one command and a new generation, also under later ones', async () => {
    const sources = [sourceOf(counted('A')), sourceOf(copyReds)];
    const initial = await contentOf(engine(), things);
    await run(sources);
    const right = await contentOf(engine(), things);
    await spoil('thing-0003', 'thing-0007');
    const [found] = await runVerify(environment(), sources, undefined, signal);
    expect(found).to.deep.include({ state: 'incomplete', leftovers: 2 });
    expect((await state('0001-index-colours'))?.state).to.equal('incomplete');
    const report = await run(sources);
    expect(report.results.map(({ id, state: how }) => [id, how])).to.deep.equal([['0001-index-colours', 'verified']]);
    expect(await contentOf(engine(), things)).to.deep.equal(right);
    expect((await state('0001-index-colours'))?.generation).to.equal(2);
    // What nothing was left over of was not run again, and is undone once.
    expect(did).to.deep.equal(['run A']);
    expect((await run(sources)).results).to.deep.equal([]);
    await runRollback(environment(), sources, '0', signal);
    expect(did).to.deep.equal(['run A', 'undo A']);
    // The keys that somebody had spoilt are what they were before the second generation.
    const left = await contentOf(engine(), things);
    const differing = Object.keys(left).filter((key) => JSON.stringify(left[key]) !== JSON.stringify(initial[key]));
    expect(differing).to.deep.equal(['{"S":"thing-0003"},', '{"S":"thing-0007"},']);
  });

  it('because verify found an item that its function fails on: migrate makes a dead letter of it, with the reason', async () => {
    const picky = defineMigration({
      id: '0001-index-colours',
      description: 'Colour keys of what has a colour',
      steps: [
        backfill({
          name: 'colour keys',
          table: things,
          entities: [thing],
          reads: ['colour'],
          writes: ['colour-key'],
          change: (item) => {
            if (scalarText(item.id)?.startsWith('thing-') !== true) return undefined;
            if (item.colour === undefined) throw new Error('it has no colour');
            return { set: { 'colour-key': { S: `COLOUR#${scalarText(item.colour)}` } } };
          },
        }),
      ],
    });
    const sources = [sourceOf(picky), sourceOf(copyReds)];
    await run(sources);
    await engine().putRaw(things, [{ id: { S: 'thing-0099' } }]);
    const results = await runVerify(environment(), sources, undefined, signal);
    expect(results.map(({ state: how, leftovers, leftoverKeys }) => [how, leftovers, leftoverKeys])).to.deep.equal([
      ['incomplete', 1, ['thing-0099']],
      ['verified', 0, []],
    ]);
    for (let time = 1; time <= 2; time += 1) {
      const { outcome, results: again } = await run(sources);
      expect(outcome).to.equal('incomplete');
      expect(again.map(({ dead, deadLetters }) => [dead, deadLetters])).to.deep.equal([
        [1, [{ key: 'thing-0099', reason: 'it has no colour' }]],
      ]);
      // Looked at again, it is known: no further pass.
      expect((await state(picky.id))?.generation).to.equal(2);
    }
    await engine().putRaw(things, [{ id: { S: 'thing-0099' }, colour: { S: 'red' } }]);
    const retried = await runRetry(environment(), sourceOf(picky), signal);
    expect([retried.tried, retried.dead, retried.result.state]).to.deep.equal([1, 0, 'verified']);
  });

  it('after its file was gone and repaired: with another source it is run, with the same one it is proven', async () => {
    await run([sourceOf(counted('A'), 'first')]);
    const gone = await repairLedger(environment(), [], signal);
    expect(gone.repaired).to.deep.equal([
      {
        id: '0001-index-colours',
        what: 'its file is gone: forgotten; should it come back with another source, it is run again',
      },
    ]);
    expect(gone.left).to.deep.equal([]);
    expect((await repairLedger(environment(), [], signal)).repaired).to.deep.equal([]);
    expect((await runRollback(environment(), [], undefined, signal)).results).to.deep.equal([]);

    expect((await run([sourceOf(counted('A'), 'first')])).results.map((one) => one.state)).to.deep.equal(['verified']);
    expect(did).to.deep.equal(['run A']);

    await repairLedger(environment(), [], signal);
    const report = await run([sourceOf(counted('B'), 'second')]);
    expect(report.results.map((one) => one.state)).to.deep.equal(['verified']);
    expect(did).to.deep.equal(['run A', 'run B']);
    const keys = Object.values(await contentOf(engine(), things)) as { 'colour-key': { S: string } }[];
    expect(keys.every((item) => item['colour-key'].S.startsWith('B#'))).to.equal(true);
    expect((await state('0001-index-colours'))?.generation).to.equal(2);
  });

  it('after its state was lost begins anew, whatever its old checkpoints say', async () => {
    await run([sourceOf(counted('A'))]);
    const Key = { PK: { S: 'MIGRATIONS' }, SK: { S: '0001-index-colours' } };
    await engine().client.send(new DeleteItemCommand({ TableName: physicalName(ledger, engine().config), Key }));
    const report = await run([sourceOf(counted('B'))]);
    expect(report.results.map((one) => one.state)).to.deep.equal(['verified']);
    expect(did).to.deep.equal(['run A', 'run B']);
    expect((await state('0001-index-colours'))?.generation).to.equal(2);
  });

  it('with a changed source that is accepted is proven by that source, and what is left over of it is taken in', async () => {
    for (const accept of [
      () => run([sourceOf(counted('A'), 'second')], true),
      async () => {
        const { repaired } = await repairLedger(environment(), [sourceOf(counted('B'), 'third')], signal);
        expect(repaired).to.deep.equal([
          { id: '0001-index-colours', what: "its changed source was accepted; 'tablewright migrate' proves it" },
        ]);
        expect((await state('0001-index-colours'))?.state).to.equal('applied');
        return run([sourceOf(counted('B'), 'third')]);
      },
    ]) {
      await resetToys(engine(), someThings(30));
      await run([sourceOf(counted('A'), 'first')]);
      const before = await state('0001-index-colours');
      const report = await accept();
      expect(report.results.map(({ id, state: how }) => [id, how])).to.deep.equal([['0001-index-colours', 'verified']]);
      const after = await state('0001-index-colours');
      expect((after?.verifiedAt ?? '') > (before?.verifiedAt ?? '')).to.equal(true);
    }
    const keys = Object.values(await contentOf(engine(), things)) as { 'colour-key': { S: string } }[];
    expect(keys.every((item) => item['colour-key'].S.startsWith('B#'))).to.equal(true);
  });

  describe('with a step of its own code', () => {
    /** Its first step gives up on an item, its second fails once. */
    const halting = (how: { fails: boolean; left: unknown; picky: boolean }, verify = true) =>
      defineMigration({
        id: '0001-index-colours',
        description: 'Colour keys, and something behind them',
        steps: [
          backfill({
            name: 'colour keys',
            table: things,
            reads: ['colour'],
            writes: ['colour-key'],
            change: (item) => {
              if (how.picky && scalarText(item.id) === 'thing-0003') throw new Error('not this one');
              return { set: { 'colour-key': { S: `COLOUR#${scalarText(item.colour)}` } } };
            },
          }),
          custom({
            name: 'count',
            run: async () => {
              if (how.fails) throw new Error('out of fingers');
              did.push('run');
            },
            ...(verify ? { verify: async () => how.left as number } : {}),
          }),
        ],
      });

    for (const verify of [true, false]) {
      it(`that never got to its end is not verified by a retry of its dead letters${verify ? '' : ', also without a verify'}`, async () => {
        const how = { fails: true, left: 0, picky: true };
        const source = sourceOf(halting(how, verify));
        expect((await run([source])).results.map((one) => [one.state, one.dead])).to.deep.equal([['failed', 1]]);
        how.picky = false;
        const { result, ...counts } = await runRetry(environment(), source, signal);
        expect([counts, result.state, result.leftovers, result.leftoverKeys]).to.deep.equal([
          { tried: 1, dead: 0 },
          'incomplete',
          1,
          ['step count, which was not run to its end'],
        ]);
        const [looked] = await runVerify(environment(), [source], source.migration.id, signal);
        expect([looked?.state, looked?.leftovers]).to.deep.equal(['incomplete', 1]);
        how.fails = false;
        expect((await run([source])).results.map((one) => one.state)).to.deep.equal(['verified']);
        expect(did).to.deep.equal(['run']);
      });
    }

    for (const left of [undefined, null, false, '0', Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY]) {
      it(`is not verified by a verify that gives ${left === '0' ? 'a text' : left}`, async () => {
        const source = sourceOf(halting({ fails: false, left, picky: false }));
        const report = await run([source]);
        const found =
          typeof left === 'number' ? String(left) : left === '0' ? 'a string' : left === false ? 'a boolean' : String(left);
        expect([report.results[0]?.state, report.results[0]?.error?.code, report.results[0]?.error?.message]).to.deep.equal([
          'failed',
          'BAD_MIGRATION',
          `0001-index-colours: step count: its verify gave ${found}`,
        ]);
      });
    }

    it('and no verify says that nothing else proves it', async () => {
      const events: MigrateEvent[] = [];
      const where = { ...environment(), emit: (event: MigrateEvent) => void events.push(event) };
      const source = sourceOf(halting({ fails: false, left: 0, picky: false }, false));
      const report = await runMigrations(where, [source], { accept: false }, signal);
      expect(report.results.map((one) => one.state)).to.deep.equal(['verified']);
      expect(events).to.deep.include({
        kind: 'message',
        migration: '0001-index-colours',
        step: 'count',
        message: 'it has no verify, so nobody but itself says that it is complete',
      });
    });
  });

  it('is not verified by a source that is another than the one that was run', async () => {
    await run([sourceOf(indexColours, 'first')]);
    const refused = await failureOf(runVerify(environment(), [sourceOf(indexColours, 'second')], undefined, signal));
    expect(refused.code).to.equal('LEDGER_MISMATCH');
    expect(refused.problems).to.deep.equal([
      '0001-index-colours: its source was changed after it was verified: expected checksum first, found second',
    ]);
    expect(await state('0001-index-colours')).to.include({ state: 'verified', checksum: 'first' });
  });

  for (const [what, lookup] of Object.entries({
    'its pages': {},
    'its lookup': { lookup: { table: things, reads: ['colour'] } },
  })) {
    it(`stays what it was when a verify is stopped while it reads ${what}`, async () => {
      const migration = {
        ...indexColours,
        steps: indexColours.steps.map((step) => (step.kind === 'backfill' ? { ...step, ...lookup } : step)),
      };
      await run([sourceOf(migration)]);
      const stop = new AbortController();
      const base = environment();
      const data = {
        ...base.data,
        scan: (...given: Parameters<typeof base.data.scan>) => {
          stop.abort();
          return base.data.scan(...given);
        },
      };
      const results = await runVerify({ ...base, data }, [sourceOf(migration)], undefined, stop.signal);
      expect(results.map((one) => one.state)).to.deep.equal(['interrupted']);
      expect((await state('0001-index-colours'))?.state).to.equal('verified');
    });
  }

  it('is not called verified with others when a verify is stopped between them, or before the first', async () => {
    const sources = [sourceOf(counted('A')), sourceOf(copyReds)];
    await run(sources);
    const stop = new AbortController();
    const base = environment();
    const emit: typeof base.emit = (event) => {
      if (event.kind === 'migration-done') stop.abort();
    };
    const results = await runVerify({ ...base, emit }, sources, undefined, stop.signal);
    expect(results.map((one) => one.state)).to.deep.equal(['verified', 'interrupted']);
    const none = await runVerify(base, sources, undefined, stop.signal);
    expect(none.map((one) => one.state)).to.deep.equal(['interrupted', 'interrupted']);
  });
});
