import { expect } from 'chai';
import { custom, defineMigration } from '../../../engine/core/migrate/define-migration.ts';
import { runMigrations } from '../../../engine/run/migrate/run-migrations.ts';
import { nextTask } from '../../../engine/run/remote/next-task.ts';
import { remoteProgress } from '../../../engine/run/remote/read-progress.ts';
import { runUnit } from '../../../engine/run/remote/run-unit.ts';
import { stopRuns } from '../../../engine/run/remote/stop-runs.ts';
import type { TaskOf } from '../../../tables/model/runner/order.ts';
import { driveExecution, orderOf } from '../../support/drive-execution.ts';
import { Died, dyingEnvironment } from '../../support/dying-environment.ts';
import { failureOf } from '../../support/failure-of.ts';
import { contentOf, ledgerOf, migrate, migrateEnvironment, rollback, sourceOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { copyReds, indexColours, resetToys, someThings, things, toyTables } from '../../support/toy-table.ts';

const never = new AbortController().signal;
const counted = defineMigration({
  id: '0003-count',
  description: 'Custom code',
  steps: [custom({ name: 'count', run: ({ save }) => save({ done: 1 }), undo: () => Promise.resolve() })],
});
const all = [indexColours, copyReds, counted];
const sources = all.map((migration) => sourceOf(migration));

describe('an execution by many workers', () => {
  const engine = useEngine(toyTables);
  // Short, so that what others did is seen with the next beat.
  const environment = () => migrateEnvironment(engine(), { tables: toyTables, tuning: { heartbeatMs: 50 } });
  const states = async () => (await ledgerOf(environment()).states()).map(({ id, state, counts }) => ({ id, state, counts }));
  /** How many of its own new items a scan meets is a matter of their order. */
  const comparable = async () =>
    (await states()).map((one) => (one.id === copyReds.id ? { ...one, counts: { ...one.counts, right: 0, scanned: 0 } } : one));
  /** Every entry of the journal that counts, of all segments together. */
  const entries = async () => {
    let sum = 0;
    for (const { migration, generation, step, segments } of await ledgerOf(environment()).steps(indexColours.id)) {
      for (let segment = 0; segment <= segments; segment += 1) {
        for await (const part of ledgerOf(environment()).parts({ migration, generation, step, segment })) {
          sum += ('count' in part ? part.count : 0) - (part.skipped?.length ?? 0);
        }
      }
    }
    return sum;
  };

  it('leaves data, journal and counts as one process does, and is rolled back exactly', async () => {
    await resetToys(engine(), someThings(150));
    const initial = await contentOf(engine(), things);
    await migrate(environment(), all);
    const local = { data: await contentOf(engine(), things), states: await comparable(), entries: await entries() };
    await resetToys(engine(), someThings(150));
    const { answer, kinds, execution } = await driveExecution({ sources, environment, name: 'same' });
    expect(answer).to.deep.equal({ kind: 'done', outcome: 'done' });
    expect(kinds).to.deep.equal(['pass', 'pass', 'pass', 'pass', 'inline', 'done']);
    expect(await contentOf(engine(), things)).to.deep.equal(local.data);
    expect(await comparable()).to.deep.equal(local.states);
    expect(await entries()).to.equal(local.entries);
    const progress = await remoteProgress(environment(), execution.Id);
    expect(progress.running).to.equal(false);
    expect(progress.migrations.map(({ state }) => state)).to.deep.equal(['verified', 'verified', 'verified']);
    // Without a target it is the last one alone.
    for (const _ of all) await rollback(environment(), all);
    expect(await contentOf(engine(), things)).to.deep.equal(initial);
  });

  it('loses and doubles nothing when units are invoked twice at once and workers die', async () => {
    await resetToys(engine(), someThings(150));
    const initial = await contentOf(engine(), things);
    let calls = 0;
    const mortal = () => {
      calls += 1;
      return calls % 2 === 0 ? dyingEnvironment(environment(), 1 + (calls % 7), 'half').environment : environment();
    };
    const { answer } = await driveExecution({
      sources: [sourceOf(indexColours)],
      environment,
      workers: mortal,
      name: 'mortal',
      beside: (task) => runUnit(environment(), [sourceOf(indexColours)], task, never).catch(() => undefined),
      again: (error) => error instanceof Died,
    });
    expect(answer).to.deep.equal({ kind: 'done', outcome: 'done' });
    expect((await states())[0]?.counts).to.include({ scanned: 150, changed: 150, dead: 0 });
    expect(await entries()).to.equal(150);
    await rollback(environment(), [indexColours]);
    expect(await contentOf(engine(), things)).to.deep.equal(initial);
  });

  it('that is stopped ends in order, and a local run goes on with it; a late worker changes nothing', async () => {
    await resetToys(engine(), someThings(150));
    const initial = await contentOf(engine(), things);
    const own = [sourceOf(indexColours)];
    let first: TaskOf<'unit'> | undefined;
    const { answer } = await driveExecution({
      sources: own,
      environment,
      name: 'stopped',
      beside: (task) => {
        if (first !== undefined) return undefined;
        first = task;
        return stopRuns(environment());
      },
    });
    expect(answer).to.deep.equal({ kind: 'done', outcome: 'interrupted' });
    expect((await states())[0]?.state).to.equal('interrupted');
    const report = await runMigrations(environment(), own, { accept: false }, never);
    expect(report.outcome).to.equal('done');
    expect((await states())[0]?.counts).to.include({ scanned: 150, changed: 150 });
    const before = await engine().content(toyTables[1] ?? things);
    if (first === undefined) throw new TypeError('no unit was handed out');
    const late = await failureOf(runUnit(environment(), own, first, never));
    expect(late).to.have.property('code', 'LOCK_LOST');
    expect(await engine().content(toyTables[1] ?? things)).to.deep.equal(before);
    await rollback(environment(), [indexColours]);
    expect(await contentOf(engine(), things)).to.deep.equal(initial);
  });

  it('refuses a redriven execution, other migrations, and runs beside a local one', async () => {
    await resetToys(engine(), someThings(10));
    const order = orderOf(sources);
    const execution = { Id: 'arn:x', Name: 'x' };
    const ask = (more: object, with_ = sources) =>
      nextTask(environment(), with_, { task: 'next', execution: { ...execution, ...more }, order }, never);
    const redriven = await ask({ RedriveCount: 1 });
    expect(redriven).to.include({ kind: 'failed', error: 'BAD_ARGUMENT' });
    expect(redriven).to.have.property('cause').that.contains("\nNext: Run 'tablewright migrate --on aws' instead");
    expect(await ask({}, sources.slice(1))).to.include({ kind: 'failed', error: 'LEDGER_MISMATCH' });
    expect(await ledgerOf(environment()).states()).to.deep.equal([]);
    expect(await ask({})).to.include({ kind: 'pass' });
    expect(await failureOf(migrate(environment(), all))).to.have.property('code', 'LOCKED');
    expect(await ask({ Id: 'arn:y' })).to.include({ kind: 'failed', error: 'LOCKED' });
  });
});
