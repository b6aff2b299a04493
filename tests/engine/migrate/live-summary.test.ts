import { expect } from 'chai';
import { readLedgerRecord } from '../../../engine/core/ledger/ledger-codec.ts';
import type { LedgerWrite } from '../../../engine/core/ledger/ledger-write.ts';
import { noCounts, noUnits } from '../../../engine/core/migrate/counts.ts';
import type { MigrateEvent, PassProgress } from '../../../engine/core/migrate/migrate-event.ts';
import type { FencedLedger } from '../../../engine/run/ledger/fenced-ledger.ts';
import { LedgerReader } from '../../../engine/run/ledger/ledger-reader.ts';
import { LiveSummary, liveEveryMs } from '../../../engine/run/migrate/live-summary.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { liveRecord } from '../../../tables/model/ledger/migration-records.ts';
import { migrate, migrateEnvironment } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, resetToys, someThings, toyTables } from '../../support/toy-table.ts';

const limiter = { budget: 500, rate: 500, consumedPerSecond: 120.04, costRatio: 1 };

function told(scanned: number, more: Partial<PassProgress> = {}): MigrateEvent {
  const counts = { ...noCounts, scanned };
  const progress: PassProgress = {
    ...{ migration: '0001-x', step: 'fill', pass: 'apply', table: 'things-dev', counts, units: noUnits },
    ...{ earlier: { counts: { ...noCounts, scanned: 100 }, units: noUnits }, segments: 8, segmentsDone: 1, expected: 1_000 },
    ...{ elapsedMs: 1, throttles: 3, refusals: [], write: limiter, read: { ...limiter, budget: Number.POSITIVE_INFINITY } },
    ...more,
  };
  return { kind: 'progress', progress };
}

/** A ledger that holds each write back until it is let go. */
function slowLedger() {
  const writes: LedgerWrite[] = [];
  let letGo: (error?: Error) => void = () => undefined;
  const commit = (given: readonly LedgerWrite[]): Promise<void> => {
    writes.push(...given);
    return new Promise((resolve, reject) => {
      letGo = (error) => (error === undefined ? resolve() : reject(error));
    });
  };
  const ledger = { commit, lease: { token: 7 } } as unknown as FencedLedger;
  const records = () => writes.map((write) => readLedgerRecord(liveRecord, 'item' in write ? write.item : {}));
  return { ledger, records, letGo: (error?: Error) => letGo(error) };
}

describe('what a runner tells of itself once a second', () => {
  it('is one record a second, one at a time, with the rate of this run alone', async () => {
    const { ledger, records, letGo } = slowLedger();
    let ms = 1_000_000;
    const summary = new LiveSummary({ nowMs: () => ms }, ledger);
    const see = async (scanned: number, more?: Partial<PassProgress>) => {
      summary.see(told(scanned, more));
      await Promise.resolve();
    };
    await see(100);
    letGo();
    await summary.settled();
    for (let at = 0; at < 3; at += 1) {
      ms += liveEveryMs / 4;
      await see(110 + at);
    }
    expect(records()).to.have.length(1);
    ms += liveEveryMs / 4;
    await see(150, { write: { ...limiter, slow: { kind: 'budget', unitsPerSecond: 500 } } });
    ms += liveEveryMs;
    await see(190);
    expect(records(), 'the second is still being written').to.have.length(2);
    expect(records()[1]).to.deep.include({
      ...{ migration: '0001-x', token: 7, pass: 'apply', step: 'fill', table: 'things-dev', itemsPerSecond: 50, expected: 1_000 },
      ...{
        unitsPerSecond: { read: 120, write: 120 },
        budget: { read: 0, write: 500 },
        throttles: 3,
        segments: 8,
        segmentsDone: 1,
      },
      slow: { kind: 'budget', text: 'slow: the budget of 500 units/s is used up' },
    });
  });

  it('does not stop a run that cannot write it', async () => {
    const { ledger, letGo, records } = slowLedger();
    const summary = new LiveSummary({ nowMs: () => 5 }, ledger);
    summary.see(told(1));
    await Promise.resolve();
    letGo(new TablewrightError('LOCK_LOST', 'gone'));
    await summary.settled();
    expect(records()).to.have.length(1);
  });

  describe('in the ledger', () => {
    const engine = useEngine(toyTables);

    it('is there after a run, fenced by its token', async () => {
      await resetToys(engine(), someThings(40));
      const environment = migrateEnvironment(engine(), { tables: toyTables });
      const { outcome } = await migrate(environment, [indexColours]);
      expect(outcome).to.equal('done');
      const reader = new LedgerReader(environment);
      const [live, state] = [await reader.live(indexColours.id), await reader.state(indexColours.id)];
      expect(live).to.deep.include({ token: state?.token, table: 'toy-things-test', segments: 2 });
    });
  });
});
