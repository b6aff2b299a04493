import { expect } from 'chai';
import fc from 'fast-check';
import { Frontier } from '../../../engine/core/seed/frontier.ts';
import { planVolume } from '../../../engine/core/seed/plan-volume.ts';
import { type LoadVolumeOptions, loadVolume } from '../../../engine/run/seed/load-volume.ts';
import { omsVolume } from '../../../seeds/oms/volume.ts';
import { scalarText } from '../../../tables/model/attribute-value.ts';
import { showKey } from '../../../tables/model/item.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import type { Table } from '../../../tables/model/table.ts';
import { omsConfig } from '../../../tables/oms/config.ts';
import { omsTradingData } from '../../../tables/oms/trading-data.ts';
import { openFaultProxy } from '../../support/fault-proxy.ts';
import { type SeedBench, seedBench } from '../../support/seed-bench.ts';
import { startEngine, type TestEngine } from '../../support/test-engine.ts';

const tables: readonly Table[] = [omsConfig, omsTradingData, ledger];
const day = 86_400;

describe('loading volume data', () => {
  let engine: TestEngine;
  let bench: SeedBench;
  beforeEach(async () => {
    engine = await startEngine(tables);
    bench = seedBench(engine);
  });
  afterEach(async () => {
    bench.close();
    await engine.close();
  });

  const load = (count: number, options: Partial<LoadVolumeOptions> = {}, signal?: AbortSignal, on = bench) =>
    loadVolume(
      on.environment,
      { set: 'oms', volume: omsVolume, count, seed: 1, overwrite: false, prune: false, dryRun: false, ...options },
      signal,
    );
  const stored = async () => {
    const keys = await Promise.all(
      [omsConfig, omsTradingData].map(async (table) => (await bench.scan(table)).map((item) => showKey(table, item))),
    );
    return keys.flat();
  };
  const checkpoint = async () => scalarText((await bench.scan(ledger)).find((row) => scalarText(row.SK) === 'VOLUME#1')?.stored);

  it('stores exactly what was asked for, once', async () => {
    const report = await load(700);
    expect(report).to.include({ outcome: 'complete', from: 0, written: 700, deadLettered: 0 });
    expect(await stored()).to.have.length(700);
    expect(await load(700)).to.include({ outcome: 'complete', from: 700, written: 0, units: 0 });
  });

  it('goes on where it was stopped, and ends with the same rows', async () => {
    const stop = new AbortController();
    const emit = bench.environment.emit;
    const slow = {
      ...bench,
      environment: {
        ...bench.environment,
        concurrency: 1,
        emit: (event: Parameters<typeof emit>[0]) => {
          emit(event);
          if (event.kind === 'progress' && event.progress.written >= 100) stop.abort();
        },
      },
    };
    const proxy = await openFaultProxy(engine.endpoint, { delayMs: 30 });
    const behind = seedBench(engine, proxy.endpoint);
    const first = await load(1_500, {}, stop.signal, {
      ...slow,
      environment: { ...slow.environment, batches: behind.environment.batches },
    });
    expect(first.outcome).to.equal('interrupted');
    expect(first.written).to.be.within(100, 1_400);
    expect(Number(await checkpoint())).to.equal(first.written);
    const second = await load(1_500);
    expect(second).to.include({ outcome: 'complete', from: first.written, written: 1_500 - first.written });
    expect(new Set(await stored()).size).to.equal(1_500);
    behind.close();
    await proxy.close();
  });

  it('loses and doubles nothing when requests come back unprocessed, fail and are cut off', async () => {
    const proxy = await openFaultProxy(
      engine.endpoint,
      { unprocessed: 0.05, throttle: 0.03, serverError: 0.03, cutAfter: 0.03 },
      5,
    );
    const behind = seedBench(engine, proxy.endpoint);
    const report = await load(1_000, {}, undefined, behind);
    expect(report).to.include({ outcome: 'complete', written: 1_000, deadLettered: 0 });
    expect(proxy.made.get('unprocessed') ?? 0).to.be.greaterThan(0);
    expect(new Set(await stored()).size).to.equal(1_000);
    behind.close();
    await proxy.close();
  });

  it('cuts down to a smaller count only when pruning, and grows from a smaller one', async () => {
    await load(900);
    expect(await load(400)).to.include({ written: 0, leftBehind: 500 });
    expect(await stored()).to.have.length(900);
    expect(await load(400, { prune: true })).to.include({ outcome: 'complete', leftBehind: 0 });
    const small = (await stored()).toSorted();
    expect(small).to.have.length(400);
    expect(await load(900, { prune: true })).to.include({ outcome: 'complete' });
    expect(await stored()).to.have.length(900);
    await load(400, { prune: true });
    expect((await stored()).toSorted()).to.deep.equal(small);
  });

  it('counts from the present again when its data has grown old, and then prunes the old', async () => {
    await load(300);
    const before = await stored();
    bench.now += 8 * day;
    expect(await load(300)).to.include({ written: 0 });
    bench.now += 2 * day;
    expect(await load(300, { prune: true })).to.include({ outcome: 'complete', from: 0, written: 300 });
    const after = await stored();
    expect(after).to.have.length(300);
    expect(after.toSorted()).not.to.deep.equal(before.toSorted());
  });

  it('writes nothing in a dry run', async () => {
    expect(await load(300, { dryRun: true })).to.include({ outcome: 'planned', from: 0, count: 300, written: 0 });
    expect(await stored()).to.deep.equal([]);
    expect(await bench.scan(ledger)).to.deep.equal([]);
  });
});

describe('the plan of a volume', () => {
  it('goes on with deletes that were stopped before it writes anything', () => {
    const state = { base: 10, count: 400, stored: 300, former: { base: 10, count: 900 } };
    const wish = { count: 400, nowSeconds: 20, freshSeconds: 100, overwrite: false, prune: false, divergesAt: () => 300 };
    expect(planVolume(state, wish)).to.deep.equal({
      base: 10,
      count: 400,
      from: 300,
      remove: { base: 10, count: 900, from: 300 },
      leftBehind: 0,
    });
  });
});

describe('the frontier of a run', () => {
  it('is the first place that is not done, in whatever order the others were', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60), { maxLength: 60 }), fc.nat(5), (places, from) => {
        const frontier = new Frontier(from);
        for (const place of places) if (place >= from) frontier.done(place);
        const done = new Set(places);
        let expected = from;
        while (done.has(expected)) expected += 1;
        expect(frontier.reached).to.equal(expected);
      }),
    );
  });

  it('never passes a place that failed', () => {
    const frontier = new Frontier(0);
    frontier.done(2);
    frontier.failed(1);
    for (const place of [0, 3, 4]) frontier.done(place);
    expect(frontier.reached).to.equal(1);
  });
});
