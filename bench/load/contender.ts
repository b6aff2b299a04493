/** What a contender gets: where to write, which items, how many batches at once. */
export interface Job {
  readonly endpoint: string;
  readonly table: string;
  /** Items number `from` up to `from + count`. */
  readonly from: number;
  readonly count: number;
  readonly concurrency: number;
  /** Connections at once, for contenders that choose them by the place; as many as batches in flight otherwise. */
  readonly connections?: number | undefined;
  /** The table's budget, for contenders that keep one. */
  readonly unitsPerSecond?: number | undefined;
  /** Worker threads, for contenders that have some. */
  readonly threads?: number | undefined;
}

/** One way to load a table. What can be done before the clock starts is done in `prepare`. */
export interface Contender {
  prepare(job: Job): Promise<() => Promise<void>>;
}

export const region = 'us-east-1';
export const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
export const batchSize = 25;

/** Runs the work for every number below `count`, so many at once. */
export async function inParallel(count: number, concurrency: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

export function numbers(from: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => from + n);
}

export function chunks<T>(list: readonly T[]): readonly (readonly T[])[] {
  const all: T[][] = [];
  for (let at = 0; at < list.length; at += batchSize) all.push(list.slice(at, at + batchSize));
  return all;
}
