import { expect } from 'chai';
import fc from 'fast-check';
import type { TransactAnswer, TransactRequest } from '../../../engine/core/store/store.ts';
import { putEntry } from '../../../engine/core/store/transact-entry.ts';
import { CapacityGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { sleep } from '../../../engine/run/capacity/clock.ts';
import { getOne } from '../../../engine/run/store/read-keys.ts';
import { type TransactContext, transact } from '../../../engine/run/store/transact.ts';
import { type RetryCause, TablewrightError } from '../../../tables/model/error.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeTable, keyOfNumber } from '../../support/fake-table.ts';
import { seededRandom } from '../../support/fault-proxy.ts';

const latencyMs = 10;
const reason = new Error('stopped');

function failure(cause: RetryCause): TablewrightError {
  return new TablewrightError('THROTTLED', `t: ${cause}`, { repeatable: { cause, tries: 1, what: `t: ${cause}` } });
}

interface Bed {
  readonly clock: FakeClock;
  readonly stop: AbortController;
  readonly context: TransactContext;
  readonly sentMs: number[];
}

/** `answer` is asked for each try; undefined where it goes through. */
function bed(answer: () => RetryCause | undefined, unitsPerSecond = Number.POSITIVE_INFINITY, seed = 1): Bed {
  const clock = new FakeClock();
  const stop = new AbortController();
  const sentMs: number[] = [];
  const store = {
    transact: async (_request: TransactRequest): Promise<TransactAnswer> => {
      sentMs.push(clock.steadyMs());
      await clock.sleep(latencyMs);
      const cause = answer();
      if (cause !== undefined) throw failure(cause);
      return { done: true };
    },
  };
  const budget = Number.isFinite(unitsPerSecond) ? { unitsPerSecond } : ({ unlimited: true } as const);
  const writeGates = new CapacityGates(budget, clock);
  const pause = (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal);
  return { clock, stop, sentMs, context: { store, writeGates, sleep: pause, random: seededRandom(seed), stopping: stop.signal } };
}

const write = (bytes = 10) => ({ TransactItems: [putEntry('t', { id: { S: 'x'.repeat(bytes) } })] });

describe('what a command still has to write down when it is to stop', () => {
  it('is tried once more and waited for no longer, wherever it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3_000 }), fc.nat(), async (atMs, seed) => {
        const { clock, stop, context, sentMs } = bed(() => 'throttled', undefined, seed);
        clock.after(atMs, () => stop.abort(reason));
        const error = await clock.drive(transact(context, () => write()).catch((failed: unknown) => failed));
        if (!stop.signal.aborted) expect(error).to.include({ code: 'THROTTLED' });
        else expect(error).to.equal(reason);
        expect(sentMs.filter((at) => at > atMs).length).to.be.at.most(1);
        expect(clock.steadyMs()).to.be.at.most(atMs + 2 * latencyMs);
      }),
      { numRuns: 60 },
    );
  });

  it('is written when the server takes it', async () => {
    const stop = new AbortController();
    const one = bed(() => (stop.signal.aborted ? undefined : 'throttled'));
    one.clock.after(200, () => stop.abort(reason));
    const context = { ...one.context, stopping: stop.signal };
    expect(await one.clock.drive(transact(context, () => write()))).to.deep.equal({ done: true });
    // Begun after the stop, it goes at once.
    expect(await one.clock.drive(transact(context, () => write()))).to.deep.equal({ done: true });
    expect(one.clock.steadyMs()).to.be.at.most(200 + 3 * latencyMs);
  });

  it('waits for the present second of the budget, not for all that large writes have spent', async () => {
    const { clock, stop, context, sentMs } = bed(() => undefined, 20);
    clock.after(300, () => stop.abort(reason));
    const large = transact(context, () => write(50_000));
    const after = transact(context, () => write());
    await clock.drive(Promise.all([large, after]));
    // A hundred units at twenty a second are five seconds' worth.
    expect(sentMs[1]).to.be.within(300, 1_300);
  });

  it('and what has to be read for it, likewise', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const gates = new CapacityGates({ unlimited: true }, clock);
    const table = new FakeTable(clock, { items: 1, bytes: () => 100, latencyMs: () => latencyMs, fails: () => 'throttled' });
    const pause = (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal);
    const context = { store: table, gates, sleep: pause, random: () => 1, stopping: stop.signal };
    clock.after(1_000, () => stop.abort(reason));
    const request = { TableName: 't', Key: keyOfNumber(0) };
    expect(await clock.drive(getOne(context, request).catch((failed: unknown) => failed))).to.equal(reason);
    expect(clock.steadyMs()).to.be.at.most(1_000 + 2 * latencyMs);
  });
});

describe('sleep', () => {
  it('ends at once with the signal’s own reason, also when that came before', async () => {
    const stop = new AbortController();
    const waiting = sleep(600_000, stop.signal).catch((error: unknown) => error);
    stop.abort(reason);
    expect(await waiting).to.equal(reason);
    expect(await sleep(600_000, stop.signal).catch((error: unknown) => error)).to.equal(reason);
    await sleep(1);
  });
});
