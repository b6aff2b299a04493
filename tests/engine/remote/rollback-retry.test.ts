import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { backfill, custom, defineMigration } from '../../../engine/core/migrate/define-migration.ts';
import { runRetry } from '../../../engine/run/migrate/run-retry.ts';
import { stopRuns } from '../../../engine/run/remote/stop-runs.ts';
import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { answerTask } from '../../support/answer-task.ts';
import { type Drive, driveExecution } from '../../support/drive-execution.ts';
import { Died, dyingEnvironment } from '../../support/dying-environment.ts';
import { contentOf, ledgerOf, migrate, migrateEnvironment, rollback, sourceOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { copyReds, indexColours, resetToys, someThings, thing, thingOf, things, toyTables } from '../../support/toy-table.ts';

const never = new AbortController().signal;
let undone = 0;
const counted = defineMigration({
  id: '0003-count',
  description: 'Custom code',
  steps: [
    custom({
      name: 'count',
      run: ({ save }) => save({ done: 1 }),
      undo: () => {
        undone += 1;
        return Promise.resolve();
      },
    }),
  ],
});
const all = [indexColours, copyReds, counted];
const sources = all.map((migration) => sourceOf(migration));

describe('rollback and retry by many workers', () => {
  const engine = useEngine(toyTables);
  const environment = () => migrateEnvironment(engine(), { tables: toyTables, tuning: { heartbeatMs: 50 } });
  const request = { accept: false, acceptGaps: false, includeExpired: false };
  const drive = (name: string, command: 'migrate' | 'rollback' | 'retry' | 'verify', more: Partial<Drive> = {}, to?: string) =>
    driveExecution({ sources, environment, name, order: { command, request: { ...request, to } }, ...more });
  const states = async () => (await ledgerOf(environment()).states()).map(({ id, state }) => `${id} ${state}`);
  /** What is left of a migration in the ledger, but for its history. */
  const traces = async () => {
    const kept = (await engine().content(ledger)) as Readonly<Record<string, Item>>;
    return Object.values(kept)
      .map((item) => `${scalarText(item.PK)} ${scalarText(item.SK)}`)
      .filter((key) => /^(UNIT|JOURNAL)#|^MIGRATION#.* (STEP|SEGMENT|DEAD)#/.test(key));
  };

  it('undoes what workers or one process did, all of it, and leaves nothing behind', async () => {
    for (const by of ['workers', 'one process'] as const) {
      await resetToys(engine(), someThings(120));
      const initial = await contentOf(engine(), things);
      if (by === 'workers') await drive(`up-${by.length}`, 'migrate');
      else await migrate(environment(), all);
      undone = 0;
      const { answer, kinds } = await drive(`down-${by.length}`, 'rollback', {}, '0');
      expect(answer, by).to.deep.equal({ kind: 'done', outcome: 'done' });
      expect(kinds, by).to.include('inline');
      expect(undone, by).to.equal(1);
      expect(await contentOf(engine(), things), by).to.deep.equal(initial);
      expect(await states(), by).to.deep.equal(all.map(({ id }) => `${id} rolled-back`));
      expect(await traces(), by).to.deep.equal([]);
    }
  });

  it('without a target undoes the last one alone, however often it comes by', async () => {
    await resetToys(engine(), someThings(60));
    await migrate(environment(), [indexColours, copyReds]);
    const own = sources.slice(0, 2);
    const { answer } = await drive('last', 'rollback', { sources: own });
    expect(answer).to.deep.equal({ kind: 'done', outcome: 'done' });
    expect(await states()).to.deep.equal([`${indexColours.id} verified`, `${copyReds.id} rolled-back`]);
  });

  it('loses and doubles nothing when workers die and units are invoked twice, and tells as one process does', async () => {
    await resetToys(engine(), someThings(120));
    const initial = await contentOf(engine(), things);
    const own = [sourceOf(indexColours)];
    await migrate(environment(), [indexColours]);
    let calls = 0;
    const mortal = () => {
      calls += 1;
      return calls % 2 === 0 ? dyingEnvironment(environment(), 1 + (calls % 5), 'half').environment : environment();
    };
    const { answer } = await drive('mortal', 'rollback', {
      sources: own,
      workers: mortal,
      again: (error) => error instanceof Died,
    });
    expect(answer).to.deep.equal({ kind: 'done', outcome: 'done' });
    expect(await contentOf(engine(), things)).to.deep.equal(initial);
    const last = (await ledgerOf(environment()).history(indexColours.id)).at(-1);
    expect(last?.detail).to.equal('120 restored, 0 kept because they were changed since');
  });

  it('refuses a journal that lacks a part before it touches anything', async () => {
    await resetToys(engine(), someThings(60));
    await drive('up', 'migrate', { sources: [sourceOf(indexColours)] });
    const before = await contentOf(engine(), things);
    const kept = Object.values((await engine().content(ledger)) as Readonly<Record<string, Item>>);
    const part = kept.find(({ SK }) => scalarText(SK)?.startsWith('PART#') === true);
    const Key = { PK: part?.PK ?? { S: '' }, SK: part?.SK ?? { S: '' } };
    await engine().client.send(new DeleteItemCommand({ TableName: physicalName(ledger, engine().config), Key }));
    const { answer } = await drive('torn', 'rollback', { sources: [sourceOf(indexColours)] });
    expect(answer).to.include({ kind: 'failed', error: 'JOURNAL_GAP' });
    expect(await contentOf(engine(), things)).to.deep.equal(before);
    expect(await states()).to.deep.equal([`${indexColours.id} verified`]);
  });

  it('stopped half-way, is gone on with by one process', async () => {
    await resetToys(engine(), someThings(120));
    const initial = await contentOf(engine(), things);
    const own = [sourceOf(indexColours)];
    await drive('up', 'migrate', { sources: own });
    let units = 0;
    const { answer } = await drive('stopped', 'rollback', {
      sources: own,
      beside: ({ pass }) => {
        units += pass.survey === true ? 0 : 1;
        return units === 3 ? stopRuns(environment()) : undefined;
      },
    });
    expect(answer).to.deep.equal({ kind: 'done', outcome: 'interrupted' });
    expect(await states()).to.deep.equal([`${indexColours.id} rolling-back`]);
    await rollback(environment(), [indexColours]);
    expect(await contentOf(engine(), things)).to.deep.equal(initial);
    expect(await traces()).to.deep.equal([]);
  });

  it('retries dead letters once, as one process does, and proves the whole', async () => {
    const counts: unknown[] = [];
    for (const by of ['workers', 'one process'] as const) {
      let cured = false;
      const change = (item: Item) => {
        if (scalarText(item.colour) === 'poison' && !cured) throw new Error('no such colour');
        if (scalarText(item.colour) === 'venom') throw new Error('never');
        return { set: { 'colour-key': { S: `COLOUR#${scalarText(item.colour)}` } } };
      };
      const picky = defineMigration({
        ...indexColours,
        steps: [backfill({ name: 'keys', table: things, entities: [thing], reads: ['colour'], writes: ['colour-key'], change })],
      });
      const own = [sourceOf(picky)];
      await resetToys(engine(), [...someThings(40), ...[40, 41, 42].map((at) => thingOf(at, { colour: { S: 'poison' } }))]);
      await engine().putRaw(things, [thingOf(43, { colour: { S: 'venom' } })]);
      await drive(`up-${by.length}`, 'migrate', { sources: own });
      cured = true;
      if (by === 'workers') {
        const order = { command: 'retry', request: { ...request, id: picky.id } } as const;
        // The time of the first of them is up while it reads the letters' items: the next one does it.
        let calls = 0;
        const invoke: Drive['invoke'] = (task) => {
          calls += task.task === 'inline' ? 1 : 0;
          if (task.task !== 'inline' || calls > 1) return answerTask(environment(), own, task);
          const late = new AbortController();
          const base = environment();
          const batchGet: typeof base.data.batchGet = (...given) => {
            late.abort();
            return base.data.batchGet(...given);
          };
          return answerTask({ ...base, data: { ...base.data, batchGet } }, own, task, late.signal);
        };
        const { answer, kinds } = await driveExecution({ sources: own, environment, name: 'again', order, invoke });
        expect(answer).to.include({ kind: 'failed', error: 'INCOMPLETE' });
        expect(kinds.filter((kind) => kind === 'inline')).to.have.length(2);
      } else expect(await runRetry(environment(), sourceOf(picky), never)).to.include({ tried: 4, dead: 1 });
      const [state] = await ledgerOf(environment()).states();
      counts.push({ state: state?.state, counts: state?.counts, dead: state?.dead, data: await contentOf(engine(), things) });
      await rollback(environment(), [picky]);
      const left = Object.values((await contentOf(engine(), things)) as Readonly<Record<string, Item>>);
      expect(left.filter((item) => item['colour-key'] !== undefined)).to.deep.equal([]);
    }
    expect(counts[0]).to.deep.equal(counts[1]);
  });
});
