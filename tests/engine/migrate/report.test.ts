import { expect } from 'chai';
import fc from 'fast-check';
import { showProgress } from '../../../engine/cli/show/progress.ts';
import { progressLine } from '../../../engine/cli/show/progress-text.ts';
import { readLedgerRecord } from '../../../engine/core/ledger/ledger-codec.ts';
import { noCounts, noUnits } from '../../../engine/core/migrate/counts.ts';
import type { MigrateEvent, PassProgress } from '../../../engine/core/migrate/migrate-event.ts';
import { reportPage } from '../../../engine/core/migrate/report-page.ts';
import { showSecond } from '../../../engine/core/show/times.ts';
import { CapacityGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { Timeline } from '../../../engine/run/migrate/timeline.ts';
import { type Sample, type TimelineRecord, timelineRecord } from '../../../tables/model/ledger/migration-records.ts';
import { ledgerOf, migrate, migrateEnvironment, rollback } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, resetToys, someThings, toyTables } from '../../support/toy-table.ts';

const unlimited = { rate: 0, budget: 0, consumedPerSecond: 0, slow: undefined } as never;

function progressOf(part: Partial<PassProgress>): PassProgress {
  return {
    ...{ migration: 'm', step: 's', pass: 'apply', table: 't', counts: noCounts, units: noUnits, segments: 1, segmentsDone: 0 },
    ...{
      earlier: { counts: noCounts, units: noUnits },
      expected: 0,
      elapsedMs: 0,
      throttles: 0,
      refusals: [],
      write: unlimited,
      read: unlimited,
    },
    ...part,
  };
}

function written(timeline: Timeline): TimelineRecord {
  const write = timeline.write('m', 1);
  if (write.kind !== 'put') throw new Error('a put was expected');
  return readLedgerRecord(timelineRecord, write.item);
}

describe('the samples of a run', () => {
  it('never rise faster than what was consumed, whenever they are taken', () => {
    const ticks = fc.array(fc.record({ ms: fc.integer({ min: 10, max: 700 }), write: fc.nat(500) }), {
      minLength: 1,
      maxLength: 400,
    });
    fc.assert(
      fc.property(ticks, (taken) => {
        let now = 0;
        let write = 0;
        const truth: { readonly ms: number; readonly write: number }[] = [{ ms: 0, write: 0 }];
        const timeline = new Timeline({ nowMs: () => now, budget: { read: 0, write: 0 } });
        for (const tick of taken) {
          now += tick.ms;
          write += tick.write;
          truth.push({ ms: now, write });
          timeline.add('apply', progressOf({ units: { read: 0, write }, elapsedMs: now }));
        }
        const { samples } = written(timeline);
        for (const sample of samples) expect(truth).to.deep.include({ ms: sample.ms, write: sample.write });
        expect(samples.at(-1)).to.include({ ms: now, write });
      }),
      { numRuns: 50 },
    );
  });

  it('are of this run alone, over its passes, also when two have the same name', () => {
    let now = 0;
    const timeline = new Timeline({ nowMs: () => now, budget: { read: 0, write: 0 } });
    const earlier = { counts: { ...noCounts, scanned: 1_000, changed: 900 }, units: { read: 100, write: 1_800 } };
    const add = (
      scanned: number,
      elapsedMs: number,
      pass: 'apply' | 'verify' = 'apply',
      before = { counts: noCounts, units: noUnits },
    ) => {
      now += 1_000;
      timeline.add(pass, progressOf({ pass, counts: { ...noCounts, scanned, changed: scanned }, elapsedMs, earlier: before }));
    };
    add(1_050, 1_000, 'apply', earlier);
    add(1_100, 2_000, 'apply', earlier);
    add(40, 1_000);
    add(70, 2_000, 'verify');
    expect(written(timeline).samples.map(({ scanned, changed }) => [scanned, changed])).to.deep.equal([
      [50, 150],
      [100, 200],
      [140, 240],
      [210, 240],
    ]);
  });
});

describe('the rate and the time left', () => {
  it('of a resumed run count what this run did', () => {
    let now = 0;
    const lines: string[] = [];
    const output = {
      options: {
        json: false,
        quiet: false,
        errors: { terminal: true, columns: 400 },
        writeError: (text: string) => void lines.push(text),
      },
    };
    const progress = showProgress(output as never, () => now);
    const state = (done: number, before: number) => ({ label: 'x', done, before, total: 10_000 });
    // The checkpoints of the earlier run arrive after the first look.
    progress.update(state(0, 0));
    now += 1_000;
    progress.update(state(5_000, 5_000));
    now += 1_000;
    progress.update(state(5_100, 5_000));
    expect(lines.at(-1)).to.contain('51% 5,100 of 10,000 items, 50/s, 1 min 38 s left');
    expect(progressLine(state(5_100, 5_000), { perSecond: 50, etaSeconds: 98 })).to.contain('50/s');
  });
});

describe('the report', () => {
  const engine = useEngine(toyTables);
  const environment = (options: Parameters<typeof migrateEnvironment>[1] = {}) =>
    migrateEnvironment(engine(), { tables: toyTables, ...options });

  it('draws each run of its own, and marks those before a rollback', async () => {
    await resetToys(engine(), someThings(120));
    const stop = new AbortController();
    const emit = (event: MigrateEvent) => {
      if (event.kind === 'progress' && event.progress.counts.changed > 30) stop.abort();
    };
    const gates = { read: new CapacityGates({ unlimited: true }), write: new CapacityGates({ unitsPerSecond: 300 }) };
    await migrate(environment({ overrides: { emit, gates } }), [indexColours], { signal: stop.signal });
    await migrate(environment(), [indexColours]);
    await rollback(environment(), [indexColours]);
    await migrate(environment(), [indexColours]);
    const reader = ledgerOf(environment());
    const timelines = await reader.timelines(indexColours.id);
    const last = (of: keyof Sample) => timelines.map(({ samples }) => samples.at(-1)?.[of]);
    expect(timelines).to.have.length(3);
    const [first = 0, second = 0, third = 0] = last('changed') as number[];
    expect([first > 0, first + second, third]).to.deep.equal([true, 120, 120]);
    const state = (await reader.state(indexColours.id)) ?? expect.fail('no state');
    const history = await reader.history(indexColours.id);
    const page = reportPage({ stack: 'test', state, steps: [], segments: [], timelines, history, dead: [] });
    const titles = [...page.matchAll(/<h2>(Run.*?)<\/h2>/g)].map(([, title]) => title);
    const undone = history.find(({ kind }) => kind === 'rolled-back')?.at;
    expect(titles).to.deep.equal([
      `Run 1, undone by the rollback of ${showSecond(undone ?? '')}, of ${showSecond(timelines[0]?.startedAt ?? '')} UTC`,
      `Run 2, undone by the rollback of ${showSecond(undone ?? '')}, of ${showSecond(timelines[1]?.startedAt ?? '')} UTC`,
      `Run 3 of ${showSecond(timelines[2]?.startedAt ?? '')} UTC`,
    ]);
  });

  it('has the curve of a run before it ends, should it be killed', async () => {
    await resetToys(engine(), someThings(60));
    let ahead = 0;
    let ended = false;
    const emit = (event: MigrateEvent) => {
      // As if it had taken longer, so that the curve is due.
      if (event.kind === 'progress' && event.progress.counts.changed > 5) ahead = 11_000;
    };
    const gates = { read: new CapacityGates({ unlimited: true }), write: new CapacityGates({ unitsPerSecond: 40 }) };
    const overrides = { emit, gates, nowMs: () => Date.now() + ahead };
    const stop = new AbortController();
    const running = migrate(environment({ overrides, tuning: { progressEveryMs: 5, pageItems: 5 } }), [indexColours], {
      signal: stop.signal,
    }).finally(() => {
      ended = true;
    });
    let kept: readonly TimelineRecord[] = [];
    while (kept.length === 0 && !ended) kept = await ledgerOf(environment()).timelines(indexColours.id);
    expect([kept.length, ended]).to.deep.equal([1, false]);
    stop.abort();
    await running;
  });
});
