import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { backfill, custom, defineMigration } from '../../../engine/core/migrate/define-migration.ts';
import type { MigrateEvent } from '../../../engine/core/migrate/migrate-event.ts';
import { CapacityGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { pauseRuns, resumeRuns } from '../../../engine/run/migrate/pause-runs.ts';
import { planRuns } from '../../../engine/run/migrate/plan.ts';
import { runRetry } from '../../../engine/run/migrate/run-retry.ts';
import { runVerify } from '../../../engine/run/migrate/run-verify.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { scalarText } from '../../../tables/model/attribute-value.ts';
import { openFaultProxy } from '../../support/fault-proxy.ts';
import { contentOf, ledgerOf, migrate, migrateEnvironment, rollback, sourceOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { copyReds, indexColours, resetToys, someThings, thing, thingOf, things, toyTables } from '../../support/toy-table.ts';

type Json = Record<string, Record<string, unknown>>;

const nothing = new AbortController().signal;

describe('a backfill', () => {
  const engine = useEngine(toyTables);
  const environment = (options: Parameters<typeof migrateEnvironment>[1] = {}) =>
    migrateEnvironment(engine(), { tables: toyTables, ...options });
  const all = async () => Object.values(await contentOf(engine(), things)) as Json[];
  const state = async () => (await ledgerOf(environment()).state(indexColours.id))?.state;

  describe('under faults', () => {
    for (const [name, faults] of Object.entries({
      'throttled statements': { unprocessed: 0.3 },
      'throttled requests': { throttle: 0.3, operations: ['BatchExecuteStatement', 'Scan'] },
      'server errors': { serverError: 0.3, operations: ['BatchExecuteStatement', 'Scan'] },
      'connections cut before and after the write': {
        cutBefore: 0.15,
        cutAfter: 0.25,
        operations: ['BatchExecuteStatement', 'Scan'],
      },
      'answers cut short': { truncate: 0.3, operations: ['BatchExecuteStatement', 'Scan'] },
    })) {
      it(`loses and repeats nothing: ${name}`, async () => {
        await resetToys(engine(), someThings(120));
        const initial = await contentOf(engine(), things);
        const proxy = await openFaultProxy(engine().endpoint, faults);
        try {
          const report = await migrate(environment({ endpoint: proxy.endpoint }), [indexColours]);
          expect([...proxy.made.values()].reduce((sum, made) => sum + made, 0)).to.be.greaterThan(3);
          expect(report.results.map(({ state: how, dead }) => [how, dead])).to.deep.equal([['verified', 0]]);
          expect(report.results[0]?.counts).to.include({ changed: 120, scanned: 120, dead: 0 });
        } finally {
          await proxy.close();
        }
        expect((await all()).filter((item) => item['colour-key'] === undefined)).to.deep.equal([]);
        await rollback(environment(), [indexColours]);
        expect(await contentOf(engine(), things)).to.deep.equal(initial);
      });
    }

    it('that never end turns items into dead letters, and retry replays just those', async () => {
      await resetToys(engine(), someThings(30));
      const proxy = await openFaultProxy(engine().endpoint, { unprocessed: 0.5, refusedAlone: 1 });
      const tuning = { retry: { maxAttempts: 1, baseDelayMs: 1, maxDelayMs: 1 } };
      let dead = 0;
      try {
        const report = await migrate(environment({ endpoint: proxy.endpoint, tuning }), [indexColours]);
        dead = report.results[0]?.dead ?? 0;
        expect(report.outcome).to.equal('incomplete');
        expect(dead).to.be.greaterThan(0);
      } finally {
        await proxy.close();
      }
      const left = await ledgerOf(environment()).dead(indexColours.id);
      expect(left[0]?.reason).to.match(/^gave up after 1 tries: throttled \(Throttling(Error|Exception): /);
      const retried = await runRetry(environment(), sourceOf(indexColours), nothing);
      expect(retried).to.include({ tried: left.length, dead: 0 });
      expect(retried.result.state).to.equal('verified');
      expect(await ledgerOf(environment()).dead(indexColours.id)).to.deep.equal([]);
    });
  });

  it('never overwrites a writer beside it, and resurrects no deleted item', async () => {
    const count = 400;
    await resetToys(engine(), someThings(count));
    const script = fileURLToPath(new URL('../../support/disturbing-writer.ts', import.meta.url));
    const writer = spawn(process.execPath, ['--import', 'tsx', script, engine().endpoint, String(count)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    writer.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await once(writer.stdout, 'data');
    // Slow enough for the writer to come in between.
    const gates = { read: new CapacityGates({ unlimited: true }), write: new CapacityGates({ unitsPerSecond: 400 }) };
    const report = await migrate(environment({ tuning: { pageItems: 100 }, overrides: { gates } }), [indexColours]);
    writer.kill('SIGTERM');
    await once(writer, 'close');
    const { deleted, changed } = JSON.parse(said.replace('started\n', '')) as { deleted: string[]; changed: [string, string][] };
    const kept = new Map((await all()).map((item) => [item.id?.S as string, item]));
    expect(deleted.length).to.be.greaterThan(5);
    expect(deleted.filter((id) => kept.has(id))).to.deep.equal([]);
    const last = new Map(changed);
    for (const [id, item] of kept) {
      const colour = last.get(id) ?? item.colour?.S;
      expect([id, item.colour?.S, item['colour-key']?.S]).to.deep.equal([id, colour, `COLOUR#${String(colour)}`]);
    }
    expect(report.results[0]?.state).to.equal('verified');
    const { conflicts = 0, gone = 0 } = report.results[0]?.counts ?? {};
    expect(conflicts + gone).to.be.greaterThan(0);
  });

  it('carries every type and attribute name through, and back', async () => {
    const odd: Item = {
      select: { S: 'reserved' },
      'a.b[0]': { L: [{ N: '1' }] },
      'quo"te': { S: '"' },
      constructor: { S: 'what every object has' },
      ['__proto__']: { M: { ['__proto__']: { S: 'what every object is made from' }, toString: { BOOL: true } } },
      digits: { N: '12345678901234567890123456789012345678' },
      tiny: { N: '1E-130' },
      bytes: { B: new Uint8Array([0, 255, 1]) },
      texts: { SS: ['b', 'a'] },
      numbers: { NS: ['2', '1.50'] },
      blobs: { BS: [new Uint8Array([9])] },
      nested: { M: { 'x-y': { L: [{ NULL: true }, { BOOL: false }, { S: '' }] } } },
      empty: { S: '' },
      none: { NULL: true },
    };
    await resetToys(engine(), [thingOf(0, odd), thingOf(1)]);
    const initial = await contentOf(engine(), things);
    const names = Object.keys(odd);
    const swap = defineMigration({
      id: '0003-copy-odd',
      description: 'Copies every odd attribute to a name of its own and drops the original',
      steps: [
        backfill({
          name: 'odd names',
          table: things,
          entities: [thing],
          reads: names,
          change: (item) => ({
            set: Object.fromEntries(
              names.flatMap((name) => (Object.hasOwn(item, name) ? [[`copy of ${name}`, item[name] as Item[string]]] : [])),
            ),
            remove: names,
          }),
        }),
      ],
    });
    const report = await migrate(environment(), [swap]);
    expect(report.results[0]?.state, JSON.stringify(report.results)).to.equal('verified');
    const [first] = await all();
    for (const [name, value] of Object.entries((Object.values(initial)[0] ?? {}) as Json)) {
      if (name === 'id' || name === 'colour') continue;
      expect(first?.[`copy of ${name}`], name).to.deep.equal(value);
      expect(Object.keys(first ?? {})).not.to.include(name);
    }
    await rollback(environment(), [swap]);
    expect(await contentOf(engine(), things)).to.deep.equal(initial);
  });

  it('sends items that its function fails on to the dead letters, goes on, and retries just those', async () => {
    await resetToys(engine(), [...someThings(30), thingOf(30, { colour: { N: '1' } }), thingOf(31, { colour: { S: 'poison' } })]);
    let cured = false;
    const picky = defineMigration({
      ...indexColours,
      steps: [
        backfill({
          name: 'colour keys',
          table: things,
          entities: [thing],
          reads: ['colour'],
          writes: ['colour-key'],
          change: (item) => {
            const colour = scalarText(item.colour);
            if (colour === 'poison' && !cured) throw new Error('no such colour');
            // A number in a text key is what DynamoDB would refuse.
            return {
              set: { 'colour-key': item.colour !== undefined && 'N' in item.colour ? item.colour : { S: `COLOUR#${colour}` } },
            };
          },
        }),
      ],
    });
    const events: MigrateEvent[] = [];
    const report = await migrate(environment({ events }), [picky, copyReds]);
    expect(report.outcome).to.equal('incomplete');
    expect(report.notRun).to.deep.equal([copyReds.id]);
    expect(report.results[0]).to.include({ state: 'incomplete', dead: 2 });
    expect((await all()).filter((item) => item['colour-key'] !== undefined)).to.have.length(30);
    const dead = await ledgerOf(environment()).dead(picky.id);
    expect(dead.map(({ shownKey, reason }) => [shownKey, reason]).toSorted()).to.deep.equal([
      ['thing-0030', 'colour-key: a key of type S was expected, found type N'],
      ['thing-0031', 'no such colour'],
    ]);
    // Events go to logs: the key is there, the reason, which may quote the item, is not.
    expect(JSON.stringify(events.filter(({ kind }) => kind === 'dead-letter'))).not.to.include('no such colour');
    cured = true;
    const retried = await runRetry(environment(), sourceOf(picky), nothing);
    expect(retried).to.include({ tried: 2, dead: 1 });
    expect(retried.result.state).to.equal('incomplete');
    // What a rollback would restore is what the status says was changed.
    expect([report.results[0]?.counts.changed, retried.result.counts.changed]).to.deep.equal([30, 31]);
    expect(retried.result.counts.scanned).to.equal(32);
    expect((await ledgerOf(environment()).state(picky.id))?.counts.changed).to.equal(31);
    expect((await all()).filter((item) => item['colour-key'] !== undefined)).to.have.length(31);
    const undone = await rollback(environment(), [picky]);
    expect(undone.results[0]?.counts).to.include({ changed: 31, kept: 0 });
    expect((await all()).filter((item) => item['colour-key'] !== undefined)).to.have.length(0);
  });

  it('stops when everything turns into dead letters', async () => {
    await resetToys(engine(), someThings(60));
    const broken = defineMigration({
      ...indexColours,
      steps: [
        backfill({
          name: 'broken',
          table: things,
          reads: [],
          change: () => {
            throw new Error('always');
          },
        }),
      ],
    });
    const report = await migrate(environment({ tuning: { maxDeadLetters: 15 } }), [broken]);
    expect(report.outcome).to.equal('failed');
    expect(report.results[0]?.error?.code).to.equal('TOO_MANY_DEAD_LETTERS');
    expect((await ledgerOf(environment()).state(broken.id))?.error?.code).to.equal('TOO_MANY_DEAD_LETTERS');
  });

  it('of an empty table is verified at once', async () => {
    await resetToys(engine(), []);
    const report = await migrate(environment(), [indexColours]);
    expect(report.results[0]).to.deep.include({ state: 'verified', dead: 0 });
    expect(report.results[0]?.counts.scanned).to.equal(0);
  });

  it('of a segment past 1 MB reads all its pages, and journals values larger than a ledger record holds', async () => {
    const filler = { S: 'x'.repeat(60_000) };
    await resetToys(
      engine(),
      Array.from({ length: 40 }, (_, at) => thingOf(at, { filler })),
    );
    const grow = defineMigration({
      ...indexColours,
      steps: [
        backfill({
          name: 'grow',
          table: things,
          reads: ['filler', 'random'],
          change: (item) => (item.random ? undefined : { set: { random: { S: noise(Number(scalarText(item.id)?.slice(-4))) } } }),
        }),
      ],
    });
    const report = await migrate(environment({ tuning: { segments: 1, pageItems: 1_000 } }), [grow]);
    expect(report.results[0]).to.include({ state: 'verified' });
    expect(report.results[0]?.counts.changed).to.equal(40);
    await rollback(environment(), [grow]);
    expect((await all()).every((item) => item.random === undefined)).to.equal(true);
  });

  it('leaves expired items alone unless told otherwise, and takes a ttl of long ago for none', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const ttl = (seconds: number) => ({ ttl: { N: String(seconds) } });
    await resetToys(engine(), [
      thingOf(0, ttl(now - 60)),
      thingOf(1, ttl(now + 3_600)),
      thingOf(2, ttl(now - 6 * 365 * 86_400)),
      thingOf(3),
    ]);
    const keyed = async () => (await all()).filter((item) => item['colour-key']).map((item) => item.id?.S);
    const report = await migrate(environment(), [indexColours]);
    expect(report.results[0]?.counts).to.include({ expired: 1, changed: 3 });
    expect(await keyed()).to.deep.equal(['thing-0001', 'thing-0002', 'thing-0003']);
    const results = await runVerify(
      environment({ overrides: { includeExpired: true } }),
      [sourceOf(indexColours)],
      undefined,
      nothing,
    );
    expect(results[0]).to.include({ state: 'incomplete', leftovers: 1 });
    await migrate(environment({ overrides: { includeExpired: true } }), [indexColours]);
    expect(await keyed()).to.have.length(4);
  });

  it('takes in what the old application writes while it runs, in another pass', async () => {
    await resetToys(engine(), someThings(20));
    let late = 0;
    const emit = (event: MigrateEvent) => {
      if (event.kind !== 'step-done' || event.pass !== 'apply' || late > 0) return;
      late += 1;
      void engine().putRaw(things, [thingOf(99)]);
    };
    const report = await migrate(
      environment({ overrides: { emit, sleep: (ms) => new Promise((done) => setTimeout(done, ms)) } }),
      [indexColours],
    );
    expect(report.results[0]).to.include({ state: 'verified' });
    expect((await all()).find((item) => item.id?.S === 'thing-0099')).to.have.property('colour-key');
  });

  it('stopped by the first Ctrl-C stores its checkpoints and goes on from there', async () => {
    await resetToys(engine(), someThings(200));
    const stop = new AbortController();
    const emit = (event: MigrateEvent) => {
      if (event.kind === 'progress' && event.progress.counts.changed > 20) stop.abort();
    };
    const gates = { read: new CapacityGates({ unlimited: true }), write: new CapacityGates({ unitsPerSecond: 300 }) };
    const report = await migrate(
      environment({ overrides: { emit, gates }, tuning: { pageItems: 40 } }),
      [indexColours, copyReds],
      { signal: stop.signal },
    );
    expect(report.outcome).to.equal('interrupted');
    expect(await state()).to.equal('interrupted');
    const done = report.results[0]?.counts.changed ?? 0;
    expect(done).to.be.greaterThan(0).and.lessThan(200);
    const events: MigrateEvent[] = [];
    const again = await migrate(environment({ events }), [indexColours]);
    expect(again.results[0]?.counts).to.include({ changed: 200, scanned: 200 });
    expect(events.find((event) => event.kind === 'migration-started')).to.include({ resumed: true });
  });

  it('holds still while it is paused from elsewhere', async () => {
    await resetToys(engine(), someThings(120));
    const events: MigrateEvent[] = [];
    const gates = { read: new CapacityGates({ unlimited: true }), write: new CapacityGates({ unitsPerSecond: 100 }) };
    const running = migrate(environment({ events, tuning: { heartbeatMs: 50, leaseMs: 5_000 }, overrides: { gates } }), [
      indexColours,
    ]);
    while (!events.some(({ kind }) => kind === 'progress')) await new Promise((done) => setTimeout(done, 10));
    await pauseRuns(environment());
    while (!events.some(({ kind }) => kind === 'paused')) await new Promise((done) => setTimeout(done, 10));
    await new Promise((done) => setTimeout(done, 500));
    const held = (await all()).filter((item) => item['colour-key']).length;
    await new Promise((done) => setTimeout(done, 600));
    expect((await all()).filter((item) => item['colour-key']).length).to.equal(held);
    expect(held).to.be.lessThan(120);
    expect(await resumeRuns(environment())).to.equal(true);
    expect((await running).outcome).to.equal('done');
    expect(events.map(({ kind }) => kind)).to.include.members(['paused', 'resumed']);
  });

  it('is undone only where the value is still the one that it set', async () => {
    await resetToys(engine(), [
      thingOf(0),
      thingOf(1),
      thingOf(2, { 'colour-key': { S: 'COLOUR#blue' } }),
      thingOf(3, { old: { S: 'was here' } }),
    ]);
    await migrate(environment(), [indexColours]);
    await engine().putRaw(things, [thingOf(1, { 'colour-key': { S: 'COLOUR#mine' } })]);
    const undone = await rollback(environment(), [indexColours]);
    expect(undone.results[0]?.counts).to.include({ changed: 2, kept: 1 });
    expect((await all()).map((item) => [item['colour-key']?.S, item.old?.S])).to.deep.equal([
      [undefined, undefined],
      ['COLOUR#mine', undefined],
      ['COLOUR#blue', undefined],
      [undefined, 'was here'],
    ]);
    expect(await state()).to.equal('rolled-back');
    expect((await migrate(environment(), [indexColours])).results[0]?.state).to.equal('verified');
  });

  it('is planned without a writer, to the unit what it then costs', async () => {
    await resetToys(engine(), [...someThings(90), thingOf(90, { 'colour-key': { S: 'COLOUR#red' } })]);
    const { data, ...rest } = environment();
    const { getItem, query, batchGet, describeTable, scan, backups } = data;
    const before = await contentOf(engine(), things);
    const reading = { ...rest, data: { getItem, query, batchGet, describeTable, scan, backups } };
    const [plan] = await planRuns(reading, [{ source: sourceOf(indexColours), kind: 'fresh' }], undefined, nothing);
    expect(await contentOf(engine(), things)).to.deep.equal(before);
    const [step] = plan?.steps ?? [];
    expect(step?.counts).to.include({ scanned: 91, changed: 90, right: 1 });
    expect(step?.differences).to.have.length(3);
    const report = await migrate(environment(), [indexColours]);
    expect(step?.units.write).to.equal(report.results[0]?.units.write);
    expect(step?.cost).to.be.closeTo((90 * 2 * 1.25) / 1e6, 1e-5);
    const [sampled] = await planRuns(reading, [{ source: sourceOf(copyReds), kind: 'fresh' }], 10, nothing);
    expect(sampled?.steps[0]?.sampled).to.be.greaterThan(9).and.lessThan(91);
  });

  it('keeps within its write budget', async () => {
    await resetToys(engine(), someThings(150));
    const gates = { read: new CapacityGates({ unlimited: true }), write: new CapacityGates({ unitsPerSecond: 150 }) };
    const started = performance.now();
    const report = await migrate(environment({ overrides: { gates } }), [indexColours]);
    const seconds = (performance.now() - started) / 1_000;
    expect((report.results[0]?.units.write ?? 0) / seconds).to.be.lessThan(170);
  });

  it('by custom code has a checkpoint that survives, is verified by its own words and undone by them', async () => {
    await resetToys(engine(), []);
    const seen: unknown[] = [];
    let fails = true;
    const own = defineMigration({
      id: '0005-do-own',
      description: 'Counts to three',
      steps: [
        custom({
          name: 'count',
          run: async ({ checkpoint, save }) => {
            for (let number = Number(checkpoint ?? 0) + 1; number <= 3; number += 1) {
              seen.push(number);
              await save(number);
              if (number === 2 && fails) throw new Error('out of fingers');
            }
          },
          verify: async ({ checkpoint }) => 3 - Number(checkpoint),
          undo: async () => void seen.push('undone'),
        }),
      ],
    });
    const first = await migrate(environment(), [own]);
    expect(first.results[0]?.error?.message).to.equal('0005-do-own: out of fingers');
    expect((await ledgerOf(environment()).state(own.id))?.state).to.equal('failed');
    fails = false;
    expect((await migrate(environment(), [own])).results[0]?.state).to.equal('verified');
    await rollback(environment(), [own]);
    expect(seen).to.deep.equal([1, 2, 3, 'undone']);
  });
});

/** Text that does not compress. */
function noise(seed: number): string {
  let state = seed + 1;
  let text = '';
  while (text.length < 30_000) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    text += (state >>> 0).toString(36);
  }
  return text;
}
