import { median, table } from '../load/report.ts';
import type { Measured } from './contender-process.ts';

/** What came of a contender with one setting. */
export interface Result extends Measured {
  readonly contender: string;
  readonly items: number;
  /** Connections or updates in flight, where they were chosen for it. */
  readonly setting: number | undefined;
  /** Orders that the index finds afterwards. */
  readonly found: number;
  /** What the server took of the processor, where it is the bench's own. */
  readonly serverMicrosPerItem?: number | undefined;
}

/** Of several runs with several settings: the setting with the best median. Memory is the most that any of its runs had. */
export function best(runs: readonly Result[]): Result {
  const settings = [...new Set(runs.map(({ setting }) => setting))];
  const medians = settings.map((setting) => {
    const own = runs.filter((run) => run.setting === setting);
    const [first] = own as [Result];
    const peakMegabytes = Math.max(...own.map((run) => run.peakMegabytes));
    return { ...first, seconds: median(own.map(({ seconds }) => seconds)), peakMegabytes };
  });
  const [winner] = medians.toSorted((a, b) => a.seconds - b.seconds);
  if (winner === undefined) throw new Error('nothing was run');
  return winner;
}

/** Overwrites what others write meanwhile, so that it is no measure for those that do not. */
const clobbers = 'copy-table';
const limit = 'raw';
const ours = 'tablewright';

export const rateOf = ({ items, seconds }: Result): number => items / seconds;

/** Ours beside the limit, and beside the best peer that does not clobber. */
export function verdict(results: readonly Result[]): string {
  const own = results.find(({ contender }) => contender === ours);
  if (own === undefined) return '';
  const raw = results.find(({ contender }) => contender === limit);
  const peers = results.filter(({ contender }) => ![ours, limit, clobbers].includes(contender));
  const [peer] = peers.toSorted((a, b) => rateOf(b) - rateOf(a));
  const parts = [
    ...(raw === undefined ? [] : [`${(rateOf(own) / rateOf(raw)).toFixed(2)} of the raw conditional limit`]),
    ...(peer === undefined ? [] : [`${(rateOf(own) / rateOf(peer)).toFixed(2)} times ${peer.contender}`]),
  ];
  return `tablewright, ${own.items.toLocaleString('en')} items: ${parts.join(', ')}`;
}

export function printResults(results: readonly Result[]): string {
  const header = ['contender', 'setting', 'items', 'items/s', 'seconds', 'found', 'CPU µs/item', 'peak MB', 'server µs/item'];
  const lines = results.map((result) => [
    result.contender,
    result.setting === undefined ? '' : String(result.setting),
    result.items.toLocaleString('en'),
    Math.round(rateOf(result)).toLocaleString('en'),
    result.seconds.toFixed(1),
    result.found.toLocaleString('en'),
    result.cpuMicrosPerItem.toFixed(0),
    result.peakMegabytes.toFixed(0),
    result.serverMicrosPerItem?.toFixed(0) ?? '',
  ]);
  return `${table(header, lines)}\n${verdict(results)}`;
}
