import { expect } from 'chai';
import fc from 'fast-check';
import { maxBatchWriteBytes, maxBatchWriteRequests } from '../../../engine/core/write/batch-limits.ts';
import { type BatchLimits, KeyQueue, type Pending } from '../../../engine/core/write/key-queue.ts';

interface Write {
  readonly key: string;
  readonly version: number;
}

const anyLimits: BatchLimits = {
  maxRequests: maxBatchWriteRequests,
  maxBytes: maxBatchWriteBytes,
  maxUnits: Number.POSITIVE_INFINITY,
};

function pending(key: string, version: number, wireBytes = 100, units = 1): Pending<Write> {
  return { key, wireBytes, units, attempts: 0, request: { key, version } };
}

type Step =
  | { readonly do: 'offer'; readonly key: number; readonly bytes: number }
  | { readonly do: 'take' }
  | { readonly do: 'land'; readonly batch: number; readonly fate: 'taken' | 'refused' | 'isolated' };

const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('offer' as const),
        key: fc.nat(12),
        bytes: fc.oneof(fc.nat(2_000), fc.nat(9_000_000)),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('land' as const),
        batch: fc.nat(5),
        fate: fc.constantFrom('taken' as const, 'refused' as const, 'isolated' as const),
      }),
    },
  ),
  { maxLength: 300 },
);

/** Runs a script against a queue and then drains it; every write that was done, in order, and every batch that went out. */
function play(script: readonly Step[]): {
  readonly done: Write[];
  readonly batches: Pending<Write>[][];
  readonly offered: Write[];
} {
  const queue = new KeyQueue<Write>();
  const done: Write[] = [];
  const batches: Pending<Write>[][] = [];
  const offered: Write[] = [];
  const flying: Pending<Write>[][] = [];
  const take = (): boolean => {
    const batch = queue.take(anyLimits);
    if (batch.length === 0) return false;
    const keys = new Set(flying.flat().map((one) => one.key));
    for (const one of batch) expect(keys.has(one.key), `${one.key} is in flight already`).to.equal(false);
    batches.push(batch);
    flying.push(batch);
    return true;
  };
  const land = (at: number, fate: 'taken' | 'refused' | 'isolated'): void => {
    const [batch] = flying.splice(at % Math.max(1, flying.length), 1);
    if (batch === undefined) return;
    if (fate === 'refused') queue.putBack(batch);
    if (fate === 'isolated') queue.isolate(batch);
    if (fate !== 'taken') return;
    for (const one of batch) {
      done.push(one.request);
      queue.finish(one);
    }
  };
  for (const step of script) {
    if (step.do === 'take') take();
    else if (step.do === 'land') land(step.batch, step.fate);
    else {
      const one = pending(`k${step.key}`, offered.length, step.bytes);
      offered.push(one.request);
      queue.offer(one);
    }
  }
  while (take() || flying.length > 0) while (flying.length > 0) land(0, 'taken');
  expect(queue.ready).to.equal(0);
  expect(queue.parked).to.equal(0);
  return { done, batches, offered };
}

describe('the key queue', () => {
  it('loses nothing, doubles nothing, and keeps every key’s writes in their order', () => {
    fc.assert(
      fc.property(steps, (script) => {
        const { done, offered } = play(script);
        const byKey = (writes: readonly Write[]) => writes.toSorted((a, b) => a.key.localeCompare(b.key));
        expect(byKey(done)).to.deep.equal(byKey(offered));
      }),
      { numRuns: 300 },
    );
  });

  it('makes batches of at most 25 requests and 16 MB, each key once', () => {
    fc.assert(
      fc.property(steps, (script) => {
        for (const batch of play(script).batches) {
          expect(batch.length).to.be.within(1, 25);
          expect(batch.reduce((sum, one) => sum + one.wireBytes, 0)).to.be.at.most(16 * 1_024 * 1_024);
          expect(new Set(batch.map((one) => one.key)).size).to.equal(batch.length);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('fills a batch as far as the limits go, in the order of arrival', () => {
    const queue = new KeyQueue<Write>();
    for (let at = 0; at < 60; at += 1) queue.offer(pending(`k${at}`, at));
    expect(queue.take(anyLimits).map((one) => one.request.version)).to.deep.equal([...Array(25).keys()]);
    expect(queue.take({ ...anyLimits, maxUnits: 4 }).map((one) => one.key)).to.deep.equal(['k25', 'k26', 'k27', 'k28']);
    expect(queue.take({ ...anyLimits, maxBytes: 1_024 + 250 }).map((one) => one.key)).to.deep.equal(['k29', 'k30']);
    expect(queue.ready).to.equal(29);
  });

  it('sends a request that is over the limits by itself rather than never', () => {
    const queue = new KeyQueue<Write>();
    queue.offer(pending('dear', 0, 100, 1_000));
    queue.offer(pending('cheap', 1));
    expect(queue.take({ ...anyLimits, maxUnits: 10 }).map((one) => one.key)).to.deep.equal(['dear']);
  });

  it('sends refused requests again before fresh ones, and isolated ones as they are', () => {
    const queue = new KeyQueue<Write>();
    for (let at = 0; at < 6; at += 1) queue.offer(pending(`k${at}`, at));
    const [first, second, ...rest] = queue.take({ ...anyLimits, maxRequests: 4 });
    queue.putBack(rest);
    queue.isolate([first, second] as Pending<Write>[]);
    expect(queue.take(anyLimits).map((one) => one.key)).to.deep.equal(['k0', 'k1']);
    expect(queue.take(anyLimits).map((one) => one.key)).to.deep.equal(['k2', 'k3', 'k4', 'k5']);
  });
});
