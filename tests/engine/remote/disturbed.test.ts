import { expect } from 'chai';
import { ledgerItem } from '../../../engine/core/ledger/ledger-codec.ts';
import { backfill, custom, defineMigration, waitForIndexes } from '../../../engine/core/migrate/define-migration.ts';
import { breakLock, inspectLock } from '../../../engine/run/ledger/lock.ts';
import type { MigrateEnvironment } from '../../../engine/run/migrate/environment.ts';
import { pauseRuns, resumeRuns } from '../../../engine/run/migrate/pause-runs.ts';
import { endExecution } from '../../../engine/run/remote/end-execution.ts';
import { nextTask } from '../../../engine/run/remote/next-task.ts';
import { remoteProgress } from '../../../engine/run/remote/read-progress.ts';
import { runInline } from '../../../engine/run/remote/run-inline.ts';
import { runUnit } from '../../../engine/run/remote/run-unit.ts';
import { stopRuns } from '../../../engine/run/remote/stop-runs.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { claimRecord } from '../../../tables/model/ledger/lock-records.ts';
import type { NextAnswer, TaskOf } from '../../../tables/model/runner/order.ts';
import { driveExecution, orderOf } from '../../support/drive-execution.ts';
import { failureOf } from '../../support/failure-of.ts';
import { contentOf, ledgerOf, migrate, migrateEnvironment, sourceOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, resetToys, someThings, thing, things, toyTables } from '../../support/toy-table.ts';

const never = new AbortController().signal;

describe('an execution that is disturbed', () => {
  const engine = useEngine(toyTables);
  const environment = (nowMs = Date.now) =>
    migrateEnvironment(engine(), { tables: toyTables, tuning: { heartbeatMs: 50, maxDeadLetters: 5 }, overrides: { nowMs } });
  const states = async () => (await ledgerOf(environment()).states()).map(({ id, state }) => `${id} ${state}`);
  const own = [sourceOf(indexColours)];
  const asked = (name: string, sources = own) => ({ execution: { Id: `arn:${name}`, Name: name }, order: orderOf(sources) });
  const firstPass = async (name: string): Promise<Extract<NextAnswer, { readonly kind: 'pass' }>> => {
    const answer = await nextTask(environment(), own, { task: 'next', ...asked(name) }, never);
    if (answer.kind !== 'pass') throw new TypeError(`expected a pass, found ${answer.kind}`);
    return answer;
  };

  it('by a pause ends in order, and is gone on with by another', async () => {
    await resetToys(engine(), someThings(80));
    let units = 0;
    const { answer } = await driveExecution({
      ...{ sources: own, environment, name: 'paused' },
      beside: () => {
        units += 1;
        return units === 2 ? pauseRuns(environment()) : undefined;
      },
    });
    expect(answer).to.deep.equal({ kind: 'done', outcome: 'interrupted' });
    expect(await states()).to.deep.equal([`${indexColours.id} interrupted`]);
    const refused = await nextTask(environment(), own, { task: 'next', ...asked('while-paused') }, never);
    expect(refused).to.include({ kind: 'failed', error: 'LOCKED' });
    await resumeRuns(environment());
    const resumed = await driveExecution({ sources: own, environment, name: 'resumed' });
    expect(resumed.answer).to.deep.equal({ kind: 'done', outcome: 'done' });
    expect((await ledgerOf(environment()).state(indexColours.id))?.counts).to.include({ scanned: 80, changed: 80 });
  });

  it('by an alarm holds still until it no longer rings, and loses nothing', async () => {
    await resetToys(engine(), someThings(150));
    let looks = 0;
    let waits = 0;
    const ringing = () => {
      looks += 1;
      return looks >= 4 && waits < 2 ? [{ name: 'shop-throttled', reason: '' }] : [];
    };
    // Every beat is quick, and each of two workers asks; each of the three that were asked for would not.
    const order = { workers: 3, budget: { read: 0, write: 200 } };
    const alarmed = () => ({
      ...environment(),
      random: () => 0.4,
      alarms: { names: ['shop-throttled'], look: async () => ({ ringing: ringing(), missing: [] }) },
    });
    const slow = () => {
      const { data, ...rest } = alarmed();
      const scan: typeof data.scan = async (...given) => {
        await rest.sleep(120);
        return data.scan(...given);
      };
      return { ...rest, data: { ...data, scan } };
    };
    const onAnswer = async ({ kind }: NextAnswer): Promise<void> => {
      if (kind === 'wait') waits += 1;
    };
    const named = { sources: own, name: 'alarmed', onAnswer, order };
    const { answer, kinds } = await driveExecution({ ...named, environment: alarmed, workers: slow });
    expect(answer).to.deep.equal({ kind: 'done', outcome: 'done' });
    expect(kinds).to.deep.equal(['pass', 'wait', 'wait', 'pass', 'pass', 'done']);
    expect((await ledgerOf(environment()).state(indexColours.id))?.counts).to.include({ scanned: 150, changed: 150 });
  });

  it('and has ended gives the answer that was lost once more, also one that no state tells', async () => {
    await resetToys(engine(), someThings(20));
    const cut = () => {
      const real = environment();
      const transact: typeof real.ledger.transact = (...given) => {
        // The lock's own writes get through, and nothing of the migration.
        if ((given[0].TransactItems?.length ?? 0) > 1) throw new TablewrightError('STORE_FAILED', 'no state is written');
        return real.ledger.transact(...given);
      };
      return { ...real, ledger: { ...real.ledger, transact } };
    };
    const ask = (name: string, by = environment()) => nextTask(by, own, { task: 'next', ...asked(name) }, never);
    const failed = await ask('stateless', cut());
    expect(failed).to.deep.equal({ kind: 'failed', error: 'STORE_FAILED', cause: 'no state is written' });
    expect(await states()).to.deep.equal([]);
    expect(await ask('stateless')).to.deep.equal(failed);
    const beside = () => stopRuns(environment());
    const { answer, execution, order } = await driveExecution({ sources: own, environment, name: 'ended', beside });
    expect(answer).to.deep.equal({ kind: 'done', outcome: 'interrupted' });
    expect(await nextTask(environment(), own, { task: 'next', execution, order }, never)).to.deep.equal(answer);
  });

  it('by unlock --force has failed: nothing of it is taken for done', async () => {
    await resetToys(engine(), someThings(20));
    const task = await firstPass('forced');
    expect(await breakLock(environment(), await inspectLock(environment()), 'unlock --force')).to.equal(true);
    const unit: TaskOf<'unit'> = { task: 'unit', ...asked('forced'), pass: task.pass, unit: task.units[0] ?? 0 };
    expect(await failureOf(runUnit(environment(), own, unit, never))).to.have.property('code', 'LOCK_LOST');
    expect(await nextTask(environment(), own, { task: 'next', ...asked('forced') }, never)).to.include({
      ...{ kind: 'failed', error: 'LOCK_LOST' },
    });
    expect((await migrate(environment(), [indexColours])).outcome).to.equal('done');
  });

  it('and given up leaves no migration running, and the lock free', async () => {
    await resetToys(engine(), someThings(20));
    await firstPass('given-up');
    const cause = { Error: 'Lambda.Unknown', Cause: JSON.stringify({ errorMessage: 'out of memory' }) };
    const answer = await endExecution(environment(), own, { task: 'end', ...asked('given-up'), cause });
    expect(answer).to.deep.equal({ kind: 'failed', error: 'Lambda.Unknown', cause: 'out of memory' });
    expect(await states()).to.deep.equal([`${indexColours.id} interrupted`]);
    expect((await migrate(environment(), [indexColours])).outcome).to.equal('done');
  });

  it('and given up says what to do next, also where Step Functions says nothing of use', async () => {
    await resetToys(engine(), someThings(20));
    const cause = {
      Error: 'States.ExceedToleratedFailureThreshold',
      Cause: 'The specified tolerated failure threshold was exceeded',
    };
    const end = (more: object) => {
      const { execution, order } = asked('no-use');
      return endExecution(environment(), own, { task: 'end', execution: { ...execution, ...more }, order, cause });
    };
    const map = await end({});
    expect(map).to.include({ kind: 'failed', error: 'MIGRATION_FAILED' });
    expect(map).to.have.property('cause').that.contains('no-use was killed again and again').and.contains('\nNext: See its log');
    const again = await end({ RedriveCount: 1 });
    expect(again).to.include({ kind: 'failed', error: 'BAD_ARGUMENT' });
    expect(again).to.have.property('cause').that.contains("\nNext: Run 'tablewright migrate --on aws' instead");
  });

  it('refuses units of a redriven execution and of other code, and they write nothing', async () => {
    await resetToys(engine(), someThings(20));
    const { pass, units } = await firstPass('redriven');
    const task: TaskOf<'unit'> = { task: 'unit', ...asked('redriven'), pass, unit: units[0] ?? 0 };
    // A heartbeat of `next` may still be under way, and moves the end of the lease and nothing else.
    const kept = async () => {
      const records = Object.entries((await engine().content(toyTables[1] ?? things)) as Readonly<Record<string, object>>);
      return records.map(([key, record]) => [key, { ...record, leaseUntil: undefined }]);
    };
    const before = await kept();
    const redriven = { ...task, execution: { ...task.execution, RedriveCount: 1 } };
    const first = await failureOf(runUnit(environment(), own, redriven, never));
    expect(first).to.have.property('code', 'BAD_ARGUMENT');
    expect(first.next).to.include('tablewright migrate --on aws');
    const other = await failureOf(runUnit(environment(), [sourceOf(indexColours, 'other')], task, never));
    expect(other).to.have.property('code', 'LEDGER_MISMATCH');
    expect(await kept()).to.deep.equal(before);
  });

  it('goes on with a unit that others have claimed: neither losing it nor failing beside it ends the execution', async () => {
    await resetToys(engine(), someThings(20));
    const { pass, units } = await firstPass('claimed');
    const task: TaskOf<'unit'> = { task: 'unit', ...asked('claimed'), pass, unit: units[0] ?? 0 };
    let attempt = 0;
    const claimByAnother = async (real: MigrateEnvironment) => {
      attempt += 10;
      const { migration, step, token } = pass;
      const item = ledgerItem(claimRecord, { migration, step, segment: task.unit, token, attempt, by: 'another', over: true });
      await engine().putRaw(ledger, [item]);
      return real;
    };
    const outrun = () => {
      const real = environment();
      const transact: typeof real.ledger.transact = async (...given) => (await claimByAnother(real)).ledger.transact(...given);
      return { ...real, ledger: { ...real.ledger, transact } };
    };
    expect(await runUnit(outrun(), own, task, never)).to.deep.equal({ done: false });
    const failing = () => {
      const real = environment();
      const scan = async () => {
        await claimByAnother(real);
        throw new Error('broken');
      };
      return { ...real, data: { ...real.data, scan } };
    };
    expect(await runUnit(failing(), own, task, never)).to.deep.equal({ done: false });
    expect((await ledgerOf(environment()).execution(pass))?.error).to.equal(undefined);
    expect(await runUnit(environment(), own, task, never)).to.deep.equal({ done: true });
  });

  it('counts dead letters over all workers: no more than what was under way beyond the limit', async () => {
    await resetToys(engine(), someThings(200));
    const change = (): never => {
      throw new Error('poison');
    };
    const broken = defineMigration({
      ...indexColours,
      steps: [backfill({ name: 'broken', table: things, entities: [thing], reads: ['colour'], writes: ['x'], change })],
    });
    const { answer } = await driveExecution({ sources: [sourceOf(broken)], environment, name: 'poisoned' });
    expect(answer).to.include({ kind: 'failed', error: 'TOO_MANY_DEAD_LETTERS' });
    expect(await states()).to.deep.equal([`${broken.id} failed`]);
    // Three workers with two pages of ten under way each, none of which goes on behind the fifth of all.
    const dead = await ledgerOf(environment()).dead(broken.id);
    expect(dead.length).to.be.within(6, 3 * 2 * 10);
  });

  it('waits for an index no longer than it may, however often it comes by', async () => {
    await resetToys(engine(), []);
    const maxWaitMs = 60_000;
    const wait = defineMigration({ ...indexColours, steps: [{ ...waitForIndexes(things, 'by_colour'), maxWaitMs }] });
    const sources = [sourceOf(wait)];
    let now = Date.now();
    const creating = () => {
      const real = environment(() => now);
      const describeTable: typeof real.data.describeTable = async (...given) => {
        const found = await real.data.describeTable(...given);
        if (found === undefined) return found;
        return { ...found, indexes: found.indexes.map((index) => ({ ...index, status: 'CREATING' })) };
      };
      return { ...real, data: { ...real.data, describeTable } };
    };
    const answers: string[] = [];
    for (let looks = 0; looks < 4; looks += 1) {
      answers.push((await nextTask(creating(), sources, { task: 'next', ...asked('waiting', sources) }, never)).kind);
      now += 25_000;
    }
    expect(answers).to.deep.equal(['wait', 'wait', 'wait', 'failed']);
    expect(await states()).to.deep.equal([`${wait.id} failed`]);
  });

  it('waits for an index as long as that takes: the lease is kept, and the reason is told', async () => {
    await resetToys(engine(), []);
    const wait = defineMigration({ ...indexColours, steps: [waitForIndexes(things, 'by_colour')] });
    const sources = [sourceOf(wait)];
    const startMs = Date.now();
    let now = startMs;
    let status = 'CREATING';
    const waiting = () => {
      const real = environment(() => now);
      const describeTable: typeof real.data.describeTable = async (...given) => {
        const found = await real.data.describeTable(...given);
        if (found === undefined) return found;
        return { ...found, indexes: found.indexes.map((index) => ({ ...index, status })) };
      };
      // No heartbeat comes in the moment that such a look takes.
      return { ...real, data: { ...real.data, describeTable }, every: () => () => undefined };
    };
    const ask = () => nextTask(waiting(), sources, { task: 'next', ...asked('patient', sources) }, never);
    for (let answer = await ask(); now - startMs < 45 * 60_000; answer = await ask()) {
      if (answer.kind !== 'wait') throw new Error(`after ${(now - startMs) / 1_000} s: ${JSON.stringify(answer)}`);
      now += answer.seconds * 1_000;
    }
    const told = await remoteProgress(waiting(), 'arn:patient');
    expect(told).to.deep.include({ waiting: 'toy-things-test: by_colour not ACTIVE yet', step: wait.steps[0]?.name });
    status = 'ACTIVE';
    expect(await ask()).to.deep.equal({ kind: 'done', outcome: 'done' });
    expect(await states()).to.deep.equal([`${wait.id} verified`]);
  });

  for (const [how, ends] of Object.entries({
    'that fails': { runs: 1, error: 'MIGRATION_FAILED', state: 'failed' },
    'that leaves something over': { runs: 3, error: 'INCOMPLETE', state: 'incomplete' },
  })) {
    it(`ends with custom code ${how}: it is not run again and again`, async () => {
      await resetToys(engine(), []);
      let runs = 0;
      const count = custom({
        name: 'count',
        run: async () => {
          runs += 1;
          if (ends.runs === 1) throw new Error('out of fingers');
        },
        verify: async () => 2,
      });
      const counting = defineMigration({ ...indexColours, steps: [count] });
      let inlines = 0;
      const { answer } = await driveExecution({
        ...{ sources: [sourceOf(counting)], environment, name: `counting-${ends.state}` },
        onAnswer: async ({ kind }) => {
          if (kind === 'inline') inlines += 1;
          expect(inlines).to.be.lessThan(4);
        },
      });
      expect(answer).to.include({ kind: 'failed', error: ends.error });
      expect(runs).to.equal(ends.runs);
      expect(await states()).to.deep.equal([`${counting.id} ${ends.state}`]);
    });
  }

  it('runs custom code by one invocation at a time: of two, the first writes nothing more', async () => {
    await resetToys(engine(), []);
    const running: string[] = [];
    let begun = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = defineMigration({
      ...indexColours,
      steps: [
        custom({
          name: 'slow',
          run: async ({ save, signal }) => {
            running.push('begun');
            begun();
            // Frozen for a while, unless somebody tells it.
            if (running.length === 1) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
            running.push('ended');
            await save({ by: running.length });
          },
        }),
      ],
    });
    const sources = [sourceOf(slow)];
    const task = asked('doubled', sources);
    expect(await nextTask(environment(), sources, { task: 'next', ...task }, never)).to.deep.equal({ kind: 'inline' });
    const first = runInline(environment(), sources, { task: 'inline', ...task }, never);
    await hasBegun;
    await runInline(environment(), sources, { task: 'inline', ...task }, never);
    await first;
    // The first was told to stop before the second began.
    expect(running).to.deep.equal(['begun', 'ended', 'begun', 'ended']);
    expect((await ledgerOf(environment()).steps(slow.id))[0]?.checkpoint).to.deep.equal({ by: 4 });
    expect(await nextTask(environment(), sources, { task: 'next', ...task }, never)).to.deep.equal({
      kind: 'done',
      outcome: 'done',
    });
    expect(await contentOf(engine(), things)).to.deep.equal({});
  });
});
