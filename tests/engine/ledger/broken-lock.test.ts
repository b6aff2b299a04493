import { expect } from 'chai';
import { put } from '../../../engine/core/ledger/ledger-write.ts';
import { FencedLedger, leaseFence } from '../../../engine/run/ledger/fenced-ledger.ts';
import { breakLock, inspectLock, readLease, takeLock } from '../../../engine/run/ledger/lock.ts';
import { repairLedger } from '../../../engine/run/ledger/repair-ledger.ts';
import { pauseRuns, resumeRuns } from '../../../engine/run/migrate/pause-runs.ts';
import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { pauseRecord } from '../../../tables/model/ledger/lock-records.ts';
import { failureOf } from '../../support/failure-of.ts';
import { ledgerOf, migrate, migrateEnvironment } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, resetToys, someThings, toyTables } from '../../support/toy-table.ts';

const key: Item = { PK: { S: 'LOCK#migrate' }, SK: { S: 'LEASE' } };
const future = () => ({ N: String(Date.now() + 60_000) });

/** Locks that say nothing that can be relied on, and whether a runner could still be writing under them. */
const broken: readonly (readonly [string, () => Item, boolean])[] = [
  ['nothing but its key', () => ({}), false],
  ['a token that is a text', () => lock({ token: { S: '7' } }), false],
  ['no token', () => without('token'), false],
  ['a token that is no whole number', () => lock({ token: { N: '1.5' } }), false],
  ['a lease that is a text', () => lock({ leaseUntil: { S: 'soon' } }), false],
  ['no end', () => without('leaseUntil'), false],
  ['no holder', () => without('holder'), true],
  ['a holder that is a list', () => lock({ holder: { L: [{ S: 'ana' }] } }), true],
  ['a version that is none', () => lock({ format: { S: 'x' } }), true],
];

const oddValues: readonly AttributeValue[] = [
  { S: '' },
  { S: '2' },
  { N: '-1' },
  { N: '0.5' },
  { N: '9999999998' },
  { N: '9999999999' },
  { N: '9007199254740991' },
  { N: '1E+125' },
  { B: new Uint8Array([1]) },
  { BOOL: true },
  { NULL: true },
  { L: [] },
  { M: {} },
  { SS: ['a'] },
  { NS: ['1'] },
];

function lock(change: Item = {}): Item {
  const since = { S: '2026-01-01T00:00:00.000Z' };
  return { token: { N: '7' }, holder: { S: 'ana@h:1' }, since, leaseUntil: future(), doing: { S: 'migrate' }, ...change };
}

function without(name: string): Item {
  return Object.fromEntries(Object.entries(lock()).filter(([own]) => own !== name));
}

describe('a broken lock', () => {
  const engine = useEngine(toyTables);
  const environment = () => migrateEnvironment(engine(), { tables: toyTables });
  const signal = new AbortController().signal;
  beforeEach(() => resetToys(engine(), someThings(5)));

  for (const [what, item, mayBeHeld] of broken) {
    it(`with ${what} keeps everybody out, is shown, and is ended by force`, async () => {
      await engine().putRaw(ledger, [{ ...key, ...item() }]);
      const refused = await failureOf(migrate(environment(), [indexColours]));
      expect(refused.code).to.equal('LEDGER_DAMAGED');
      expect(refused.message).to.contain('LOCK#migrate / LEASE');
      expect(refused.next).to.contain("'tablewright unlock --force'");
      const view = await inspectLock(environment());
      expect(view.kind).to.equal('damaged');
      expect(await breakLock(environment(), view, 'unlock --force')).to.equal(true);
      const freed = await readLease(environment());
      expect(freed).to.include({ leaseUntil: 0, doing: 'unlock --force', holder: 'tester@test:1' });
      expect(freed?.token).to.be.greaterThan(1_700_000_000);
      expect((await migrate(environment(), [indexColours])).outcome).to.equal('done');
    });

    it(`with ${what} is ${mayBeHeld ? 'left by a repair, since somebody may hold it' : 'replaced by a repair'}`, async () => {
      await engine().putRaw(ledger, [{ ...key, ...item() }]);
      if (mayBeHeld) {
        expect((await failureOf(repairLedger(environment(), [], signal))).code).to.equal('LEDGER_DAMAGED');
        return;
      }
      const { damaged } = await repairLedger(environment(), [], signal);
      expect(damaged.map(({ key: named, outcome }) => [named, outcome])).to.deep.equal([['LOCK#migrate / LEASE', 'rebuilt']]);
      expect((await migrate(environment(), [indexColours])).outcome).to.equal('done');
    });
  }

  it('is ended by force whatever any of its attributes holds, and can be taken then', async () => {
    for (const name of ['token', 'holder', 'since', 'leaseUntil', 'doing', 'format']) {
      for (const value of oddValues) {
        await engine().putRaw(ledger, [{ ...key, ...lock({ [name]: value }) }]);
        const what = `${name} ${JSON.stringify(value)}`;
        const view = await inspectLock(environment());
        expect(await breakLock(environment(), view, 'unlock --force'), what).to.equal(true);
        expect((await takeLock(environment(), 'migrate')).token, what).to.be.within(1, 9_999_999_999);
      }
    }
  });

  it('of a newer version keeps everybody out with a word to upgrade, and is ended by force all the same', async () => {
    await engine().putRaw(ledger, [{ ...key, format: { N: '3' }, lease: { M: { token: { N: '7' } } } }]);
    for (const work of [() => migrate(environment(), [indexColours]), () => repairLedger(environment(), [], signal)]) {
      const refused = await failureOf(work());
      expect([refused.code, refused.exitCode]).to.deep.equal(['LEDGER_NEWER', 2]);
    }
    const view = await inspectLock(environment());
    expect(view).to.include({ kind: 'newer', format: 3 });
    expect(await breakLock(environment(), view, 'unlock --force')).to.equal(true);
    expect((await migrate(environment(), [indexColours])).outcome).to.equal('done');
  });

  it('is not ended by force when it changed hands since it was looked at', async () => {
    await engine().putRaw(ledger, [{ ...key, ...without('holder') }]);
    const view = await inspectLock(environment());
    await engine().putRaw(ledger, [{ ...key, ...lock({ token: { N: '8' } }) }]);
    expect(await breakLock(environment(), view, 'unlock --force')).to.equal(false);
    expect((await readLease(environment()))?.token).to.equal(8);
  });

  it('ended by force fences whoever held it', async () => {
    const ana = new FencedLedger(environment(), leaseFence(await takeLock(environment(), 'migrate')));
    const theirs = { token: { N: String(ana.lease.token) }, leaseUntil: { N: String(ana.lease.untilMs) } };
    const { holder: _, ...rest } = lock(theirs);
    await engine().putRaw(ledger, [{ ...key, ...rest }]);
    // Her writes still pass: the token and the lease are what they were.
    const note = put(pauseRecord, { scope: 'x', by: 'ana', at: '2026-01-01T00:00:00Z' });
    await ana.commit([note]);
    expect(await breakLock(environment(), await inspectLock(environment()), 'unlock --force')).to.equal(true);
    expect((await failureOf(ana.commit([note]))).code).to.equal('LOCK_LOST');
    expect((await failureOf(ana.heartbeat())).code).to.equal('LOCK_LOST');
  });
});

describe('a broken pause', () => {
  const engine = useEngine(toyTables);
  const environment = () => migrateEnvironment(engine(), { tables: toyTables });
  const pause: Item = { PK: { S: 'CONTROL#migrate' }, SK: { S: 'PAUSE' } };
  beforeEach(() => resetToys(engine(), someThings(5)));

  it('holds runs back until a repair says who or a resume takes it away, whatever it holds', async () => {
    await engine().putRaw(ledger, [{ ...pause, by: { N: '1' } }]);
    expect((await failureOf(migrate(environment(), [indexColours]))).code).to.equal('LEDGER_DAMAGED');
    const { damaged } = await repairLedger(environment(), [], new AbortController().signal);
    expect(damaged.map(({ outcome }) => outcome)).to.deep.equal(['rebuilt']);
    expect((await ledgerOf(environment()).pause())?.by).to.equal('somebody');
    expect((await failureOf(migrate(environment(), [indexColours]))).code).to.equal('LOCKED');
    await engine().putRaw(ledger, [{ ...pause, at: { BOOL: true } }]);
    expect(await resumeRuns(environment())).to.equal(true);
    expect(await resumeRuns(environment())).to.equal(false);
    expect((await migrate(environment(), [indexColours])).outcome).to.equal('done');
  });

  it('is replaced by the next pause', async () => {
    await engine().putRaw(ledger, [pause]);
    await pauseRuns(environment());
    expect((await ledgerOf(environment()).pause())?.by).to.equal('tester');
  });
});
