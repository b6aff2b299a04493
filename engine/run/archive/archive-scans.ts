import { backtestResults } from '../../../tables/backtest/results.ts';
import { scanHistory } from '../../../tables/backtest/scan-history.ts';
import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import {
  printLines,
  scanFile,
  symbolDayFile,
  symbolFile,
  symbolFolder,
  timeframeDayFile,
  timeframeFile,
  timeframeFolder,
} from '../../core/archive/archive-layout.ts';
import { type GroupLine, mergeGroups, type ScanLine, scanStatistics } from '../../core/archive/scan-statistics.ts';
import { type BlobStore, readText } from '../../core/transfer/blob-store.ts';
import { type ReadEnvironment, readAll } from '../read/read-pattern.ts';

export interface ArchiveEnvironment {
  readonly read: ReadEnvironment;
  readonly target: BlobStore;
  /** Every scan that the history still has. */
  readonly history: () => AsyncIterable<readonly Item[]>;
  readonly onEvent?: ((event: ArchiveEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type ArchiveOutcome =
  | 'archived'
  /** It is there already. */
  | 'unchanged'
  /** It is running, so its results are not all there. */
  | 'running'
  /** What is archived has more results: TTL has taken some since. */
  | 'kept';

export type ArchiveEvent = {
  readonly kind: 'scan';
  readonly scan: string;
  readonly outcome: ArchiveOutcome;
  readonly results: number;
};

export interface ArchiveResult {
  readonly outcome: 'complete' | 'interrupted';
  readonly scans: Readonly<Record<ArchiveOutcome, number>>;
  readonly results: number;
  readonly days: readonly string[];
}

export interface ArchiveRequest {
  /** Only these; every scan of the history when left out. */
  readonly scans?: readonly string[] | undefined;
  readonly again: boolean;
}

/**
 * Writes the statistics of scans, once each: the scan's own file comes last, so a scan that has one is archived whole. Figures
 * by day are put together from the files of the day's scans, so doing it twice changes nothing.
 */
export async function archiveScans(environment: ArchiveEnvironment, request: ArchiveRequest): Promise<ArchiveResult> {
  const { signal, onEvent } = environment;
  const scans = { archived: 0, unchanged: 0, running: 0, kept: 0 };
  const days = new Set<string>();
  let results = 0;
  for (const { id, history } of await wantedScans(environment, request)) {
    if (signal?.aborted) return { outcome: 'interrupted', scans, results, days: [...days].toSorted() };
    const done = await archiveScan(environment, id, history, request.again);
    scans[done.outcome] += 1;
    if (done.outcome === 'archived') {
      results += done.results;
      await mergeDay(environment.target, done.date);
      days.add(done.date);
    }
    onEvent?.({ kind: 'scan', scan: id, outcome: done.outcome, results: done.results });
  }
  return { outcome: 'complete', scans, results, days: [...days].toSorted() };
}

interface WantedScan {
  readonly id: string;
  readonly history: Item | undefined;
}

async function wantedScans({ history }: ArchiveEnvironment, { scans }: ArchiveRequest): Promise<readonly WantedScan[]> {
  const found: WantedScan[] = [];
  for await (const page of history()) {
    for (const item of page) found.push({ id: scalarText(item.scan_id) ?? '', history: item });
  }
  const sorted = found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (scans === undefined) return sorted;
  // History lives for seven days, results for one: a scan may have only one of the two.
  return scans.map((id) => sorted.find((scan) => scan.id === id) ?? { id, history: undefined });
}

async function archiveScan(
  environment: ArchiveEnvironment,
  id: string,
  history: Item | undefined,
  again: boolean,
): Promise<{ readonly outcome: ArchiveOutcome; readonly results: number; readonly date: string }> {
  const { target } = environment;
  if (scalarText(history?.status) === 'running') return { outcome: 'running', results: 0, date: '' };
  const records = await resultsOf(environment, id);
  if (history === undefined && records.length === 0) {
    throw new TablewrightError(
      'UNKNOWN_NAME',
      `there is no scan ${id}: neither ${scanHistory.name} nor ${backtestResults.name} has it`,
      {
        next: 'Check the id; results live for a day and history for seven.',
      },
    );
  }
  const { scan, symbols, timeframes } = scanStatistics(id, history, records);
  const { date, results } = scan;
  const before = await archived(target, date, id);
  if (before !== undefined && !again) return { outcome: 'unchanged', results: before.results, date };
  if (before !== undefined && before.results > results) return { outcome: 'kept', results: before.results, date };
  await target.write(symbolFile(date, id), Buffer.from(printLines(symbols)));
  await target.write(timeframeFile(date, id), Buffer.from(printLines(timeframes)));
  await target.write(scanFile(date, id), Buffer.from(printLines([scan])));
  return { outcome: 'archived', results, date };
}

async function resultsOf({ read, signal }: ArchiveEnvironment, scanId: string): Promise<readonly Item[]> {
  return (await readAll(read, backtestResults.patterns.ofScan, { scanId }, { signal })).items;
}

async function archived(target: BlobStore, date: string, id: string): Promise<ScanLine | undefined> {
  const text = await readText(target, scanFile(date, id));
  return text === undefined ? undefined : (JSON.parse(text) as ScanLine);
}

/** The day's figures from the files of all its scans. */
async function mergeDay(target: BlobStore, date: string): Promise<void> {
  for (const [folder, file] of [
    [symbolFolder(date), symbolDayFile(date)],
    [timeframeFolder(date), timeframeDayFile(date)],
  ] as const) {
    const lines: GroupLine[] = [];
    for (const { name } of await target.list(folder)) {
      const text = (await readText(target, name)) ?? '';
      for (const line of text.split('\n')) if (line !== '') lines.push(JSON.parse(line) as GroupLine);
    }
    await target.write(file, Buffer.from(printLines(mergeGroups(lines))));
  }
}
