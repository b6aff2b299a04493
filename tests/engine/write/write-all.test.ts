import { expect } from 'chai';
import fc from 'fast-check';
import type { BatchOutcome } from '../../../engine/core/write/batch-outcome.ts';
import type { DeadLetter } from '../../../engine/core/write/dead-letter.ts';
import type { WriteEvent } from '../../../engine/core/write/write-event.ts';
import type { WriteRequest, WriteTable } from '../../../engine/core/write/write-request.ts';
import { CapacityGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { writeAll } from '../../../engine/run/write/write-all.ts';
import type { WriteOptions } from '../../../engine/run/write/write-options.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeStore, type FakeStoreOptions } from '../../support/fake-store.ts';
import { seededRandom } from '../../support/fault-proxy.ts';

const table: WriteTable = { name: 't', key: { hash: { name: 'id', type: 'S' } }, indexes: [] };
const other: WriteTable = { ...table, name: 'u' };

type Request = WriteRequest & { readonly n: number };

const put = (n: number, key = `k${n}`, name = 't'): Request => ({ table: name, put: { id: { S: key }, n: { N: String(n) } }, n });
const puts = (count: number): Request[] => Array.from({ length: count }, (_, n) => put(n));

/** A writer on a fake store and clock, and everything it told. */
function bench(storeOptions: FakeStoreOptions = {}, options: Partial<WriteOptions<Request>> = {}) {
  const clock = new FakeClock();
  const store = new FakeStore(clock, storeOptions);
  const letters: DeadLetter[] = [];
  const acknowledged: Request[] = [];
  const events: WriteEvent[] = [];
  const random = seededRandom(5);
  const all: WriteOptions<Request> = {
    store,
    tables: [table, other],
    gates: new CapacityGates({ unlimited: true }, clock),
    deadLetters: { write: async (letter) => void letters.push(letter) },
    onAcknowledged: (requests) => void acknowledged.push(...requests),
    onEvent: (event) => void events.push(event),
    clock,
    random,
    ...options,
  };
  const run = (requests: AsyncIterable<Request> | Iterable<Request>) => clock.drive(writeAll(requests, all));
  return { clock, store, letters, acknowledged, events, run };
}

/** Refuses or fails at random, as a bad day would. */
function badDay(seed: number): (requests: readonly WriteRequest[]) => BatchOutcome | undefined {
  const random = seededRandom(seed);
  return (requests) => {
    const draw = random();
    if (draw < 0.1) return { kind: 'failed', cause: 'throttled', message: 'slow down' };
    if (draw < 0.2) return { kind: 'failed', cause: 'connection', message: 'cut' };
    if (draw < 0.5)
      return { kind: 'answered', consumed: undefined, unprocessed: [...requests.keys()].filter(() => random() < 0.3) };
    return undefined;
  };
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('it did not throw'),
    (error: unknown) => error,
  );
}

describe('writeAll', () => {
  it('writes every request once and acknowledges it once', async () => {
    const { run, store, acknowledged } = bench();
    const result = await run(puts(1_003));
    expect(result).to.include({
      outcome: 'complete',
      read: 1_003,
      written: 1_003,
      deadLettered: 0,
      outstanding: 0,
      exhausted: true,
    });
    expect(store.contents()).to.have.length(1_003);
    expect(acknowledged.map(({ n }) => n).toSorted((a, b) => a - b)).to.deep.equal([...Array(1_003).keys()]);
    expect(store.sent).to.have.length(Math.ceil(1_003 / 25));
  });

  it('writes nothing for an empty source', async () => {
    const { run, store } = bench();
    expect(await run([])).to.include({ outcome: 'complete', read: 0, written: 0 });
    expect(store.sent).to.deep.equal([]);
  });

  it('loses nothing and keeps the order of every key through refusals, throttles and cut connections', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(30), { maxLength: 400 }), fc.nat(), async (keys, seed) => {
        const { run, store, acknowledged, letters } = bench({ answer: badDay(seed) }, { retry: { maxAttempts: 40 } });
        const requests = keys.map((key, n) => put(n, `k${key}`, key % 3 === 0 ? 'u' : 't'));
        const result = await run(requests);
        expect(letters).to.deep.equal([]);
        expect(result).to.include({ outcome: 'complete', written: keys.length });
        for (const key of new Set(keys)) {
          const mine = requests.filter((_, n) => keys[n] === key);
          expect(store.effects.get(`${key % 3 === 0 ? 'u' : 't'} k${key}`)).to.deep.equal(mine);
          expect(acknowledged.filter(({ n }) => keys[n] === key)).to.deep.equal(mine);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('never has two writes of one key in flight', async () => {
    const { run, store } = bench({ latencyMs: () => 100 });
    await run(Array.from({ length: 40 }, (_, n) => put(n, `k${n % 2}`)));
    for (const { requests } of store.sent) expect(requests.length).to.be.at.most(2);
    expect(store.effects.get('t k0')).to.have.length(20);
  });

  it('has no more batches in flight than its concurrency, and uses all of it', async () => {
    const { run, store } = bench({}, { concurrency: 3 });
    await run(puts(1_000));
    expect(store.mostInFlight).to.equal(3);
  });

  it('reads no further ahead than its bound', async () => {
    let read = 0;
    let most = 0;
    const acknowledged: number[] = [];
    const { run } = bench(
      {},
      { maxOutstanding: 60, onAcknowledged: (done) => void acknowledged.push(...done.map(({ n }) => n)) },
    );
    await run(
      (function* () {
        for (const request of puts(600)) {
          read += 1;
          most = Math.max(most, read - acknowledged.length);
          yield request;
        }
      })(),
    );
    expect(most).to.be.within(50, 61);
  });

  it('reads fewer large items ahead than small ones', async () => {
    let read = 0;
    let most = 0;
    let done = 0;
    const onAcknowledged = (requests: readonly Request[]): void => {
      done += requests.length;
    };
    const { run } = bench({}, { onAcknowledged });
    await run(
      (function* () {
        for (; read < 300; read += 1) {
          most = Math.max(most, read - done);
          yield { table: 't', put: { id: { S: `k${read}` }, body: { S: 'x'.repeat(390_000) } }, n: read };
        }
      })(),
    );
    expect(most).to.be.within(100, (64 * 1_024 * 1_024) / 390_000 + 1);
  });

  it('sends what it has when the source waits for the acknowledgement', async () => {
    const waiting = { wake: () => {} };
    const { run, store } = bench({}, { onAcknowledged: () => waiting.wake() });
    const result = await run(
      (async function* () {
        for (const request of puts(3)) {
          const taken = new Promise<void>((resolve) => {
            waiting.wake = resolve;
          });
          yield request;
          await taken;
        }
      })(),
    );
    expect(result.written).to.equal(3);
    expect(store.sent).to.have.length(3);
  });

  it('lets a table short of capacity hold up no other', async () => {
    const { run, store } = bench(
      { answer: ([first]) => (first?.table === 't' ? { kind: 'failed', cause: 'throttled', message: 'no' } : undefined) },
      { retry: { maxAttempts: 6 } },
    );
    const result = await run(Array.from({ length: 200 }, (_, n) => put(n, `k${n}`, n % 2 === 0 ? 't' : 'u')));
    expect(result).to.include({ written: 100, deadLettered: 100 });
    const lastOther = store.sent.findLast((sent) => sent.table === 'u');
    expect(lastOther?.atMs).to.be.lessThan(100);
  });
});

describe('writeAll with requests that fail', () => {
  it('rejects a bad item before sending, with its key, and goes on', async () => {
    const { run, letters, events, store } = bench();
    const bad = { table: 't', put: { id: { S: 'big' }, x: { S: 'x'.repeat(410_000) } }, n: 1 };
    const result = await run([put(0), bad, put(2)]);
    expect(result).to.include({ outcome: 'incomplete', written: 2, deadLettered: 1 });
    const reason = { code: 'BAD_ITEM', message: 'big: the item has 410006 bytes, DynamoDB holds at most 409600' };
    expect(letters).to.deep.equal([{ request: bad, reason, attempts: 0 }]);
    expect(events.filter(({ kind }) => kind === 'dead-letter')).to.deep.equal([
      { kind: 'dead-letter', table: 't', key: 'big', reason, attempts: 0 },
    ]);
    expect(store.contents()).to.have.length(2);
  });

  it('finds the poison items among good ones and writes all the others', async () => {
    const poison = new Set([7, 31, 32, 59]);
    const isPoison = (request: WriteRequest) => poison.has((request as Request).n);
    const { run, letters, store } = bench({
      answer: (requests) =>
        requests.some(isPoison) ? { kind: 'invalid', code: 'ValidationException', message: 'an empty set' } : undefined,
    });
    const result = await run(puts(60));
    expect(result).to.include({ outcome: 'incomplete', written: 56, deadLettered: 4 });
    expect(letters.map(({ request }) => (request as Request).n).toSorted((a, b) => a - b)).to.deep.equal([...poison]);
    expect(letters[0]?.reason).to.deep.equal({ code: 'ValidationException', message: 'an empty set' });
    expect(store.contents()).to.have.length(56);
  });

  it('gives a request up after its attempts, with the cause, and lets the next one of its key go', async () => {
    const first = put(0, 'same');
    const { run, letters, store } = bench(
      {
        answer: (requests) => (requests.includes(first) ? { kind: 'failed', cause: 'server-error', message: '500' } : undefined),
      },
      { retry: { maxAttempts: 4 } },
    );
    const result = await run([first, put(1, 'same')]);
    expect(result).to.include({ outcome: 'incomplete', written: 1, deadLettered: 1 });
    expect(letters).to.deep.equal([{ request: first, reason: { code: 'server-error', message: '500' }, attempts: 4 }]);
    expect(store.effects.get('t same')).to.deep.equal([put(1, 'same')]);
  });

  it('waits longer from retry to retry and tells the cause', async () => {
    const { run, events } = bench(
      { answer: (_, before) => (before < 4 ? { kind: 'failed', cause: 'throttled', message: 'no' } : undefined) },
      { random: () => 1 },
    );
    await run([put(0)]);
    expect(events.filter(({ kind }) => kind === 'retry')).to.deep.equal(
      [25, 50, 100, 200].map((delayMs) => ({ kind: 'retry', table: 't', requests: 1, cause: 'throttled', delayMs })),
    );
  });

  it('stops when there are too many dead letters, and says that it did not read all', async () => {
    const { run, letters } = bench(
      { answer: () => ({ kind: 'invalid', code: 'ValidationException', message: 'no' }) },
      { maxDeadLetters: 10, maxOutstanding: 50 },
    );
    const result = await run(puts(10_000));
    expect(result).to.include({ outcome: 'incomplete', exhausted: false, written: 0 });
    expect(letters.length).to.be.within(11, 40);
    expect(result.read).to.equal(letters.length + result.outstanding);
  });

  it('throws when no request can succeed, after the batches in flight', async () => {
    const error = new TablewrightError('TABLE_MISSING', 't: no such table');
    const { run, store } = bench({ answer: (_, before) => (before === 3 ? { kind: 'fatal', error } : undefined) });
    expect(await failure(run(puts(1_000)))).to.equal(error);
    expect(store.inFlight).to.equal(0);
    expect(store.sent.length).to.be.lessThan(40);
  });

  it('throws when a dead letter cannot be written: nothing is dropped', async () => {
    const full = new Error('disk full');
    const { run } = bench({}, { deadLetters: { write: () => Promise.reject(full) } });
    expect(await failure(run([put(0), { table: 't', put: {}, n: 1 }]))).to.equal(full);
  });

  it('throws what the acknowledgement hook throws, and what the source throws after its earlier requests are written', async () => {
    const broken = new Error('broken');
    const hook = bench({}, { onAcknowledged: () => Promise.reject(broken) });
    expect(await failure(hook.run(puts(30)))).to.equal(broken);
    const source = bench();
    const error = await failure(
      source.run(
        (function* () {
          yield* puts(30);
          throw broken;
        })(),
      ),
    );
    expect(error).to.equal(broken);
    expect(source.acknowledged).to.have.length(30);
  });

  it('throws for a table that it was not given', async () => {
    const { run } = bench();
    const error = await failure(run([put(0, 'k', 'elsewhere')]));
    expect(error).to.be.instanceOf(TablewrightError).with.property('code', 'UNKNOWN_NAME');
  });
});

describe('writeAll when aborted', () => {
  it('ends the batches in flight, acknowledges them, and sends nothing more', async () => {
    const abort = new AbortController();
    const { run, store, acknowledged } = bench(
      { answer: (_, before) => (before === 10 ? void abort.abort() : undefined) },
      { signal: abort.signal },
    );
    const result = await run(puts(5_000));
    expect(result).to.include({ outcome: 'interrupted', exhausted: false, written: acknowledged.length });
    expect(store.contents()).to.have.length(acknowledged.length);
    expect(store.sent.length).to.be.within(11, 18);
    expect(result.read).to.equal(result.written + result.outstanding);
  });

  it('does not wait for retries, for the budget, or for a source that never answers', async () => {
    const stuck = bench(
      { answer: () => ({ kind: 'failed', cause: 'throttled', message: 'no' }) },
      { signal: AbortSignal.abort() },
    );
    expect(await stuck.run(puts(10))).to.include({ outcome: 'interrupted', read: 0 });

    const abort = new AbortController();
    const slow = bench({}, { signal: abort.signal });
    slow.clock.after(1_000, () => abort.abort());
    const result = await slow.run(
      (async function* () {
        yield put(0);
        await new Promise(() => {});
      })(),
    );
    expect(result).to.include({ outcome: 'interrupted', written: 1 });
    expect(result.elapsedMs).to.equal(1_000);
  });

  it('can be run again to the end', async () => {
    const abort = new AbortController();
    const { run, store } = bench(
      { answer: (_, before) => (before === 5 ? void abort.abort() : undefined) },
      { signal: abort.signal },
    );
    await run(puts(500));
    const done = store.contents().length;
    expect(done).to.be.within(1, 499);
    const again = bench();
    expect(await again.run(puts(500))).to.include({ outcome: 'complete', written: 500 });
  });
});

describe('writeAll within a budget', () => {
  const busiest = (consumed: readonly { readonly atMs: number; readonly units: number }[]): number =>
    Math.max(
      ...consumed.map(({ atMs }) =>
        consumed.filter((one) => one.atMs > atMs - 1_000 && one.atMs <= atMs).reduce((sum, one) => sum + one.units, 0),
      ),
    );

  it('uses 95 % of it over 20 s and no second more than 110 %, though requests cost four times the estimate', async () => {
    const clock = new FakeClock();
    const random = seededRandom(11);
    const store = new FakeStore(clock, { cost: () => 4, latencyMs: () => 5 + random() * 40 });
    const abort = new AbortController();
    clock.after(20_000, () => abort.abort());
    const result = await clock.drive(
      writeAll(
        (function* () {
          for (let n = 0; ; n += 1) yield put(n);
        })(),
        {
          store,
          tables: [table],
          gates: new CapacityGates({ unitsPerSecond: 600 }, clock),
          deadLetters: { write: () => Promise.reject(new Error('a dead letter')) },
          clock,
          signal: abort.signal,
        },
      ),
    );
    expect(result.tables[0]?.consumedUnits).to.be.within(600 * 20 * 0.95, 600 * 20 * 1.01);
    expect(busiest(store.consumed)).to.be.at.most(600 * 1.1);
    expect(result.tables[0]?.slow).to.deep.equal({ kind: 'budget', unitsPerSecond: 600 });
  });

  it('holds the budget of each table apart, and shares it between writers with the same gates', async () => {
    const clock = new FakeClock();
    const store = new FakeStore(clock);
    const gates = new CapacityGates({ unitsPerSecond: 200 }, clock);
    const options = { store, tables: [table, other], gates, deadLetters: { write: async () => {} }, clock };
    const source = (name: string, from: number) => Array.from({ length: 500 }, (_, n) => put(n, `k${from + n}`, name));
    const runs = [writeAll(source('t', 0), options), writeAll(source('t', 500), options), writeAll(source('u', 0), options)];
    const [first, second, third] = await clock.drive(Promise.all(runs));
    expect(Math.max(first?.elapsedMs ?? 0, second?.elapsedMs ?? 0)).to.be.within(4_700, 5_300);
    expect(third?.elapsedMs).to.be.within(2_350, 2_700);
  });

  it('tells when it goes slower, why, and when no longer', async () => {
    const refuse = (requests: readonly WriteRequest[], before: number): BatchOutcome | undefined =>
      before > 20 && before < 60 ? { kind: 'answered', consumed: 0, unprocessed: [...requests.keys()] } : undefined;
    const { run, events } = bench({ answer: refuse, latencyMs: () => 50 }, { concurrency: 2 });
    await run(puts(20_000));
    const paces = events.flatMap((event) => (event.kind === 'pace' ? [event.slow?.kind] : []));
    expect(paces).to.deep.equal(['refused', undefined]);
  });
});
