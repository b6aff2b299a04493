import { expect } from 'chai';
import { extendLease, readLease, releaseLock, takeLock } from '../../../engine/run/ledger/lock.ts';
import { remoteEnvironment } from '../../../engine/run/remote/adopt-lock.ts';
import { functionTimeoutSeconds } from '../../../tables/model/runner/machine.ts';
import { orderOf } from '../../support/drive-execution.ts';
import { migrateEnvironment } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { resetToys, toyTables } from '../../support/toy-table.ts';

const minuteMs = 60_000;
const execution = { Id: 'arn:shared', Name: 'shared' };

describe('the lease that workers share', () => {
  const engine = useEngine(toyTables);
  const startMs = Date.now();
  let sent = 0;
  /** As a function has it, so long after the start. */
  const later = (ms: number) => {
    const here = migrateEnvironment(engine(), {
      tables: toyTables,
      tuning: { leaseMs: minuteMs / 2 },
      overrides: { nowMs: () => startMs + ms },
    });
    const transact: typeof here.ledger.transact = (...given) => {
      sent += 1;
      expect(given[0].TransactItems, 'nothing else goes with the lease').to.have.length(1);
      return here.ledger.transact(...given);
    };
    const task = { task: 'next', execution, order: orderOf([]) } as const;
    return remoteEnvironment({ ...here, ledger: { ...here.ledger, transact } }, task);
  };
  const untilMs = async () => ((await readLease(later(0)))?.leaseUntil ?? 0) - startMs;

  beforeEach(() => resetToys(engine(), []));

  it('lasts 20 minutes, longer than an invocation, and is extended by one of all and once a minute', async () => {
    const lease = await takeLock(later(0), 'x', execution.Id);
    expect(await untilMs())
      .to.equal(20 * minuteMs)
      .and.to.be.above(functionTimeoutSeconds * 1_000);
    sent = 0;
    for (const ms of [1_000, 30_000, 59_000]) expect(await extendLease(later(ms), lease)).to.equal(true);
    expect([sent, await untilMs()]).to.deep.equal([0, 20 * minuteMs]);
    const all = await Promise.all(Array.from({ length: 8 }, () => extendLease(later(61_000), { ...lease })));
    expect(all).to.deep.equal(all.map(() => true));
    expect(await untilMs()).to.equal(20 * minuteMs + 61_000);
    sent = 0;
    expect(await extendLease(later(100_000), lease)).to.equal(true);
    expect(sent).to.equal(0);
  });

  it('is not extended once it has passed, was given back or is another’s', async () => {
    const lease = await takeLock(later(0), 'x', execution.Id);
    sent = 0;
    expect(await extendLease(later(21 * minuteMs), { ...lease })).to.equal(false);
    const next = await takeLock(later(21 * minuteMs), 'y', 'arn:another');
    sent = 0;
    expect(await extendLease(later(22 * minuteMs), lease)).to.equal(false);
    await releaseLock(later(22 * minuteMs), next);
    sent = 0;
    expect(await extendLease(later(22 * minuteMs), next)).to.equal(false);
    expect(sent).to.equal(0);
  });
});
