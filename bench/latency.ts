import type { Measured } from './load/contender-process.ts';
import { table } from './load/report.ts';
import { openContender, openServer } from './load/run-process.ts';
import type { SlowTable } from './load/slow-table.ts';

export interface LatencyFigures {
  readonly contender: string;
  /** Batches in flight with which it was fastest. */
  readonly concurrency: number;
  readonly itemsPerSecond: number;
  /** Units written, as a share of what the budget allows; an item of the load is one unit. */
  readonly used: number;
  readonly cpuMicrosPerItem: number;
}

/** DynamoDB answers a batch of small items within some 8 ms; a table of this capacity is not a small one. */
const slowTable: SlowTable = { answerMs: 8, unitsPerSecond: 4_000 };
const trialSeconds = 2;
const concurrencies = [1, 2, 4, 8, 16];

/** Everybody's load of so many seconds, with the setting that was best in a short trial. */
export async function measureLatency(
  say: (text: string) => void,
  contenders: readonly string[],
  seconds: number,
): Promise<readonly LatencyFigures[]> {
  const figures: LatencyFigures[] = [];
  for (const contender of contenders) {
    const server = await openServer({ kind: 'slow', ...slowTable });
    const opened = openContender(contender);
    const { unitsPerSecond } = slowTable;
    let loads = 0;
    const load = (concurrency: number, forSeconds: number): Promise<Measured> =>
      opened.load({
        endpoint: server.endpoint,
        // A table of its own: nobody lives on what the load before left.
        table: `slow-${loads++}`,
        from: 0,
        count: unitsPerSecond * forSeconds,
        concurrency,
        unitsPerSecond,
      });
    try {
      const trials: { readonly concurrency: number; readonly seconds: number }[] = [];
      for (const concurrency of concurrencies) {
        say(`${contender}, answers after ${slowTable.answerMs} ms: ${concurrency} in flight`);
        trials.push({ concurrency, seconds: (await load(concurrency, trialSeconds)).seconds });
      }
      const [best] = trials.toSorted((a, b) => a.seconds - b.seconds) as [(typeof trials)[number]];
      const measured = await load(best.concurrency, seconds);
      const count = unitsPerSecond * seconds;
      figures.push({
        contender,
        concurrency: best.concurrency,
        itemsPerSecond: count / measured.seconds,
        used: count / measured.seconds / unitsPerSecond,
        cpuMicrosPerItem: measured.cpuMicros / count,
      });
    } finally {
      opened.close();
      server.close();
    }
  }
  return figures;
}

export function printLatency(figures: readonly LatencyFigures[]): string {
  const lines = figures.map(({ contender, concurrency, itemsPerSecond, used, cpuMicrosPerItem }) => [
    contender,
    String(concurrency),
    Math.round(itemsPerSecond).toLocaleString('en'),
    `${(used * 100).toFixed(1)} %`,
    cpuMicrosPerItem.toFixed(0),
  ]);
  const { answerMs, unitsPerSecond } = slowTable;
  const title = `answers after ${answerMs} ms, a table of ${unitsPerSecond.toLocaleString('en')} units/s; everybody's best setting`;
  return `${title}\n${table(['contender', 'in flight', 'items/s', 'budget used', 'CPU µs/item'], lines)}`;
}
