import { expect } from 'chai';
import { transactionUnits } from '../../../engine/core/capacity/write-units.ts';
import { put } from '../../../engine/core/ledger/ledger-write.ts';
import { deleteEntry, putEntry } from '../../../engine/core/store/transact-entry.ts';
import { CapacityGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { ledgerOf } from '../../../engine/run/ledger/ledger-store.ts';
import { withLock } from '../../../engine/run/ledger/session.ts';
import { stepRecord } from '../../../tables/model/ledger/migration-records.ts';
import { migrateEnvironment } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { resetToys, toyTables } from '../../support/toy-table.ts';

const bytes = (count: number) => 'x'.repeat(count);
const step = (text: string) =>
  put(stepRecord, { migration: 'm', generation: 1, step: 0, name: text, kind: 'custom', segments: 0, done: false });

describe('the ledger’s budget', () => {
  const engine = useEngine(toyTables);
  const limited = (unitsPerSecond: number, leaseMs: number) => {
    const gates = { read: new CapacityGates({ unitsPerSecond }), write: new CapacityGates({ unitsPerSecond }) };
    const tuning = { leaseMs, heartbeatMs: leaseMs / 2 };
    return migrateEnvironment(engine(), { tables: toyTables, tuning, overrides: { gates } });
  };
  beforeEach(() => resetToys(engine(), []));

  it('counts two units for each kilobyte of each record of a transaction', () => {
    const key = { PK: { S: 'p' }, SK: { S: 's' } };
    expect(transactionUnits([deleteEntry('t', key)])).to.equal(2);
    expect(transactionUnits([putEntry('t', { ...key, a: { S: bytes(3_000) } }), deleteEntry('t', key)])).to.equal(8);
  });

  it('is what its reads and writes wait for', async () => {
    const environment = limited(40, 30_000);
    const startedMs = performance.now();
    await withLock(environment, 'x', new AbortController().signal, async ({ ledger, reader }) => {
      for (let turn = 0; turn < 5; turn += 1) await ledger.commit([step(bytes(9_000))]);
      for (let turn = 0; turn < 5; turn += 1) await reader.step('m', 1, 0);
    });
    // Five transactions of 20 units each, and no more than half a second's units to begin with.
    expect(performance.now() - startedMs).to.be.greaterThan(1_500);
    const { table } = ledgerOf(environment);
    expect(environment.gates.write.of(table).status().budget).to.equal(40);
    expect(environment.gates.read.of(table).status().consumedPerSecond).to.be.greaterThan(0);
  });

  it('does not cost the lock: the heartbeat does not wait for what large writes have spent', async () => {
    const environment = limited(20, 3_000);
    const startedMs = performance.now();
    await withLock(environment, 'x', new AbortController().signal, async ({ ledger, stop }) => {
      await ledger.commit([step(bytes(50_000))]);
      // Five seconds' units are gone; the next write waits for them, longer than the lease.
      await ledger.commit([step('after')]);
      expect(stop.aborted).to.equal(false);
    });
    expect(performance.now() - startedMs).to.be.greaterThan(4_000);
  });
});
