import type { ReadEnvironment } from '../read/read-pattern.ts';

export interface TimedReads {
  readonly environment: ReadEnvironment;
  /** Milliseconds that requests took. */
  readonly tookMs: () => number;
}

/** The same reads, timed: what a request waits for, its budget or its next try, is no latency of the way that sends it. */
export function timedReads(environment: ReadEnvironment, steadyMs: () => number): TimedReads {
  const { store } = environment;
  let tookMs = 0;
  const timed =
    <Given extends readonly unknown[], Answer>(send: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      const startedMs = steadyMs();
      try {
        return await send(...given);
      } finally {
        tookMs += steadyMs() - startedMs;
      }
    };
  const { getItem, query, scan, batchGet } = store;
  return {
    environment: {
      ...environment,
      store: { ...store, getItem: timed(getItem), query: timed(query), scan: timed(scan), batchGet: timed(batchGet) },
    },
    tookMs: () => tookMs,
  };
}
