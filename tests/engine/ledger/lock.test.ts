import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { put } from '../../../engine/core/ledger/ledger-write.ts';
import { FencedLedger, leaseFence } from '../../../engine/run/ledger/fenced-ledger.ts';
import { breakLock, inspectLock, readLease, releaseLock, takeLock } from '../../../engine/run/ledger/lock.ts';
import { withLock } from '../../../engine/run/ledger/session.ts';
import { runVerify } from '../../../engine/run/migrate/run-verify.ts';
import type { TablewrightError } from '../../../tables/model/error.ts';
import { ledger as ledgerTable } from '../../../tables/model/ledger/ledger.ts';
import { pauseRecord } from '../../../tables/model/ledger/lock-records.ts';
import { failureOf } from '../../support/failure-of.ts';
import { contentOf, ledgerOf, migrate, migrateEnvironment, rollback, sourceOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, resetToys, someThings, things, toyTables } from '../../support/toy-table.ts';

describe('the lock of the migrations', () => {
  const engine = useEngine(toyTables);
  const environment = (who: string, laterMs = 0) =>
    migrateEnvironment(engine(), {
      tables: toyTables,
      overrides: { actor: { who, host: 'h:1' }, nowMs: () => Date.now() + laterMs },
    });

  beforeEach(() => resetToys(engine(), someThings(40)));

  it('is one runner’s: of two at once one runs everything and the other is told who does', async () => {
    const outcomes = await Promise.allSettled([
      migrate(environment('ana'), [indexColours]),
      migrate(environment('bia'), [indexColours]),
    ]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).to.have.length(1);
    const error = refused[0]?.reason as TablewrightError;
    expect(error.code).to.equal('LOCKED');
    expect(error.exitCode).to.equal(3);
    expect(error.message).to.match(/^the migrations of this stack are locked by (ana|bia)@h:1 since .* \(migrate\)$/);
    expect((await ledgerOf(environment('ana')).state(indexColours.id))?.state).to.equal('verified');
  });

  it('names an execution that holds it as people do, and not by its ARN', async () => {
    await takeLock(
      environment('ana'),
      'migrate, by 2 workers',
      'arn:aws:states:eu-west-1:1:execution:shop-dev-runner:migrate-17-1',
    );
    const { message } = await failureOf(takeLock(environment('bia'), 'x'));
    expect(message).to.match(
      /^the migrations of this stack are locked by the execution migrate-17-1 since .* \(migrate, by 2 workers\)$/,
    );
  });

  it('has a token that only grows, also when it is given back or broken', async () => {
    const tokens: number[] = [];
    for (const laterMs of [0, 40_000, 80_000]) tokens.push((await takeLock(environment('ana', laterMs), 'x')).token);
    expect(await breakLock(environment('ana'), await inspectLock(environment('ana')), 'x')).to.equal(true);
    tokens.push((await takeLock(environment('ana', 120_000), 'x')).token);
    await withLock(environment('ana', 200_000), 'x', new AbortController().signal, async ({ ledger }) =>
      tokens.push(ledger.lease.token),
    );
    const [first = 0] = tokens;
    expect(first).to.be.above(1_700_000_000);
    expect(tokens.map((token) => token - first)).to.deep.equal([0, 1, 2, 4, 5]);
  });

  it('gives no token twice where its record was lost, and fences whoever had it', async () => {
    const note = put(pauseRecord, { scope: 'x', by: 'ana', at: '2026-01-01T00:00:00Z' });
    const lost = () => engine().removeRaw(ledgerTable, [{ PK: { S: 'LOCK#migrate' }, SK: { S: 'LEASE' } }]);
    // Before any run has left its token behind.
    const ana = new FencedLedger(environment('ana'), leaseFence(await takeLock(environment('ana'), 'x')));
    await lost();
    const bia = new FencedLedger(environment('bia'), leaseFence(await takeLock(environment('bia'), 'x')));
    expect((await failureOf(ana.commit([note]))).code).to.equal('LOCK_LOST');
    await bia.commit([note]);
    await lost();
    await migrate(environment('ana'), [indexColours]);
    const { token = 0 } = (await ledgerOf(environment('ana')).state(indexColours.id)) ?? {};
    await lost();
    // Also where the clock is far behind.
    const tokens = [await takeLock(environment('bia', -10 * 365 * 86_400_000), 'x'), await takeLock(environment('bia'), 'x')];
    expect(tokens[0]?.token).to.be.above(token);
    expect(tokens[1]?.token).to.equal((tokens[0]?.token ?? 0) + 1);
  });

  it('gives no token twice after a rollback or a verify was the last to write, and its record was lost', async () => {
    const lost = () => engine().removeRaw(ledgerTable, [{ PK: { S: 'LOCK#migrate' }, SK: { S: 'LEASE' } }]);
    const behind = -10 * 365 * 86_400_000;
    const [ana, ours] = [environment('ana'), [sourceOf(indexColours)]];
    const last = async () => (await readLease(ana))?.token ?? 0;
    await migrate(ana, [indexColours]);
    const stop = new AbortController().signal;
    for (const work of [() => runVerify(ana, ours, undefined, stop), () => rollback(ana, [indexColours])]) {
      await work();
      const token = await last();
      await lost();
      const taken = await takeLock(environment('bia', behind), 'x');
      expect(taken.token).to.be.above(token);
      await releaseLock(environment('bia', behind), taken);
    }
  });

  it('lets nothing pass that is delivered again behind a later write of its own holder', async () => {
    const note = (by: string) => put(pauseRecord, { scope: 'x', by, at: '2026-01-01T00:00:00Z' });
    const ana = environment('ana');
    const sent: Parameters<typeof ana.ledger.transact>[0][] = [];
    const transact: typeof ana.ledger.transact = (request) => {
      sent.push(request);
      return ana.ledger.transact(request);
    };
    const ledger = new FencedLedger({ ...ana, ledger: { ...ana.ledger, transact } }, leaseFence(await takeLock(ana, 'x')));
    await ledger.commit([note('first')]);
    await ledger.commit([note('second')]);
    const [first] = sent;
    if (first === undefined) throw new Error('nothing was sent');
    // As if the first had not been carried out, which a token of its own would tell.
    const again = await ana.ledger.transact({ ...first, ClientRequestToken: 'another' });
    expect(again.done).to.equal(false);
    const content = await contentOf(engine(), toyTables[1] ?? things);
    expect(Object.values(content).flatMap((record) => (record as { by?: { S: string } }).by?.S ?? [])).to.deep.equal(['second']);
    await ledger.heartbeat();
  });

  it('fences every ledger write: after a takeover, after its end, and after it was broken', async () => {
    const note = (by: string) => put(pauseRecord, { scope: 'x', by, at: '2026-01-01T00:00:00Z' });
    const ana = environment('ana');
    const ledger = new FencedLedger(ana, leaseFence(await takeLock(ana, 'x')));
    await ledger.commit([note('ana')]);
    const taker = environment('bia', 31_000);
    const taken = await takeLock(taker, 'x');
    expect(taken.takenOver).to.equal('ana@h:1');
    expect((await failureOf(ledger.commit([note('ana, too late')]))).code).to.equal('LOCK_LOST');
    expect((await failureOf(ledger.heartbeat())).exitCode).to.equal(3);
    // Nobody took it, but its time is over: not even then.
    const late = new FencedLedger(environment('bia', 31_000 + 31_000), leaseFence(taken));
    expect((await failureOf(late.commit([note('bia, too late')]))).code).to.equal('LOCK_LOST');
    const content = await contentOf(engine(), toyTables[1] ?? things);
    expect(Object.values(content).flatMap((record) => (record as { by?: { S: string } }).by?.S ?? [])).to.deep.equal(['ana']);
  });

  it('is not given back by somebody who has lost it', async () => {
    const ana = environment('ana');
    const work = withLock(ana, 'x', new AbortController().signal, async ({ ledger }) => {
      await takeLock(environment('bia', 31_000), 'y');
      await ledger.commit([put(pauseRecord, { scope: 'x', by: '', at: '2026-01-01T00:00:00Z' })]);
    });
    expect((await failureOf(work)).code).to.equal('LOCK_LOST');
    expect((await readLease(ana))?.holder).to.equal('bia@h:1');
    expect((await readLease(ana))?.leaseUntil).to.be.greaterThan(Date.now());
  });

  describe('held by a process that freezes past its lease', () => {
    const children: ChildProcess[] = [];
    afterEach(() => {
      for (const child of children.splice(0)) child.kill('SIGKILL');
    });

    it('is taken over; the frozen one wakes up, changes nothing in the ledger and ends with exit 3', async () => {
      // Long enough for a busy machine: a heartbeat that comes late would lose the lock before anything is frozen.
      const leaseMs = 4_000;
      const script = fileURLToPath(new URL('../../support/migrate-process.ts', import.meta.url));
      const child = spawn(process.execPath, ['--import', 'tsx', script, engine().endpoint, String(leaseMs), '12'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      const ended = once(child, 'close').then(() => expect.fail(`ended before it was frozen, after: ${said}`));
      while (!said.includes('apply')) await Promise.race([sleep(10), ended]);
      ended.catch(() => undefined);
      await sleep(300);
      child.kill('SIGSTOP');
      await sleep(leaseMs + 300);
      const report = await migrate(environment('bia'), [indexColours]);
      expect(report.outcome).to.equal('done');
      expect(report.results[0]?.counts.changed).to.equal(40);
      const ledger = await contentOf(engine(), toyTables[1] ?? things);
      const closed = once(child, 'close');
      child.kill('SIGCONT');
      expect((await closed)[0]).to.equal(3);
      expect(said).to.equal('apply\nLOCK_LOST\n');
      expect(await contentOf(engine(), toyTables[1] ?? things)).to.deep.equal(ledger);
    });

    it('or is killed: its lease passes, and the next run goes on from its checkpoints', async () => {
      const script = fileURLToPath(new URL('../../support/migrate-process.ts', import.meta.url));
      const child = spawn(process.execPath, ['--import', 'tsx', script, engine().endpoint, '1000', '20'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      await once(child.stdout, 'data');
      await sleep(1_200);
      child.kill('SIGKILL');
      expect((await failureOf(migrate(environment('bia'), [indexColours]))).code).to.equal('LOCKED');
      await sleep(1_100);
      const report = await migrate(environment('bia'), [indexColours]);
      expect(report.results[0]?.counts.changed).to.equal(40);
      const items = Object.values(await contentOf(engine(), things)) as Record<string, unknown>[];
      expect(items.every((item) => 'colour-key' in item)).to.equal(true);
    });
  });
});
