import { type AttributeValue, type Item, scalarText } from '../model/attribute-value.ts';
import { compareDecimals, decimalProblem } from '../model/decimal.ts';
import { isoOfEpochSeconds } from '../model/time.ts';
import { mergeStatistics, mergeTallies, type Statistic, statisticOf, type Tally, tallyOf } from './statistic.ts';

/** What is kept of a result's own figures. */
const resultFigures = [
  'optimal_pnl',
  'optimal_win_rate',
  'volatility_24h',
  'price_change_24h',
  'turnover',
  'btc_correlation',
] as const;
/** What is kept of each timeframe's figures. */
const timeframeFigures = [
  'total_trades',
  'total_pnl',
  'win_rate',
  'avg_win',
  'avg_loss',
  'confidence_avg',
  'analysis_time',
] as const;

type Figures = Readonly<Record<string, Statistic | null>>;

/** One scan: what its history says, and the figures of its results. */
export interface ScanLine {
  readonly scan_id: string;
  readonly date: string;
  readonly scan_timestamp: number;
  readonly status: string | null;
  readonly total_coins_scanned: string | null;
  readonly selected_coins: number | null;
  readonly removed_coins: number | null;
  readonly analysis: Readonly<Record<string, string>> | null;
  readonly performance: Readonly<Record<string, string>> | null;
  readonly results: number;
  readonly best: { readonly symbol: string; readonly optimal_pnl: string } | null;
  readonly worst: { readonly symbol: string; readonly optimal_pnl: string } | null;
  readonly optimal_timeframes: Tally;
  readonly figures: Figures;
}

/** A symbol on a day, or a timeframe on a day: of one scan, or of all scans of the day together. */
export interface GroupLine {
  readonly date: string;
  /** The symbol or the timeframe. */
  readonly group: string;
  readonly results: number;
  readonly scans: readonly string[];
  readonly tallies: Readonly<Record<string, Tally>>;
  readonly figures: Figures;
}

export interface ScanStatistics {
  readonly scan: ScanLine;
  readonly symbols: readonly GroupLine[];
  readonly timeframes: readonly GroupLine[];
}

/** The statistics of one scan. The same records give the same lines, whatever order they come in. */
export function scanStatistics(scanId: string, history: Item | undefined, results: readonly Item[]): ScanStatistics {
  const timestamp = Number(scalarText((history ?? results[0])?.scan_timestamp) ?? 0);
  const date = isoOfEpochSeconds(timestamp).slice(0, 10);
  const sorted = results.toSorted((a, b) => ((scalarText(a.symbol) ?? '') < (scalarText(b.symbol) ?? '') ? -1 : 1));
  return {
    scan: scanLine(scanId, date, timestamp, history, sorted),
    symbols: sorted.map((result) => symbolLine(scanId, result)),
    timeframes: timeframeLines(scanId, date, sorted),
  };
}

function scanLine(
  scanId: string,
  date: string,
  timestamp: number,
  history: Item | undefined,
  results: readonly Item[],
): ScanLine {
  const ranked = results
    .flatMap((result) => {
      const [symbol, optimal_pnl] = [scalarText(result.symbol), decimalOf(result.optimal_pnl)];
      return symbol === undefined || optimal_pnl === undefined ? [] : [{ symbol, optimal_pnl }];
    })
    .toSorted((a, b) => compareDecimals(b.optimal_pnl, a.optimal_pnl));
  return {
    scan_id: scanId,
    date,
    scan_timestamp: timestamp,
    status: scalarText(history?.status) ?? null,
    total_coins_scanned: scalarText(history?.total_coins_scanned) ?? null,
    selected_coins: lengthOf(history?.selected_coins),
    removed_coins: lengthOf(history?.removed_coins),
    analysis: numbersOf(history?.analysis_status),
    performance: numbersOf(history?.performance),
    results: results.length,
    best: ranked[0] ?? null,
    worst: ranked.at(-1) ?? null,
    optimal_timeframes: tallyOf(results.flatMap((result) => scalarText(result.optimal_timeframe) ?? [])),
    figures: figuresOf(results, resultFigures),
  };
}

function symbolLine(scanId: string, result: Item): GroupLine {
  return {
    date: isoOfEpochSeconds(Number(scalarText(result.scan_timestamp) ?? 0)).slice(0, 10),
    group: scalarText(result.symbol) ?? '',
    results: 1,
    scans: [scanId],
    tallies: {
      optimal_timeframes: tallyOf([scalarText(result.optimal_timeframe) ?? []].flat()),
      trends: tallyOf([scalarText(memberOf(result.trend_analysis, 'current_trend')) ?? []].flat()),
    },
    figures: figuresOf([result], resultFigures),
  };
}

function timeframeLines(scanId: string, date: string, results: readonly Item[]): readonly GroupLine[] {
  const entries = results.flatMap((result) => {
    const held = result.timeframes;
    return held !== undefined && 'M' in held ? Object.entries(held.M).map(([name, value]) => ({ name, value, result })) : [];
  });
  const names = [...new Set(entries.map((entry) => entry.name))].toSorted();
  return names.map((name) => {
    const mine = entries.filter((entry) => entry.name === name);
    const members = mine.flatMap(({ value }) => ('M' in value ? [value.M] : []));
    const chosen = mine.filter(({ result }) => scalarText(result.optimal_timeframe) === name).length;
    return {
      date,
      group: name,
      results: members.length,
      scans: [scanId],
      tallies: {
        statuses: tallyOf(members.flatMap((member) => scalarText(member.status) ?? [])),
        best_strategies: tallyOf(members.flatMap((member) => scalarText(member.best_strategy) ?? [])),
        optimal: { chosen },
      },
      figures: figuresOf(members, timeframeFigures),
    };
  });
}

/** The lines of several scans of one day as one line per group. */
export function mergeGroups(lines: readonly GroupLine[]): readonly GroupLine[] {
  const merged = new Map<string, GroupLine>();
  for (const line of lines) {
    const known = merged.get(line.group);
    merged.set(line.group, known === undefined ? line : mergeTwo(known, line));
  }
  return [...merged.values()].toSorted((a, b) => (a.group < b.group ? -1 : 1));
}

function mergeTwo(a: GroupLine, b: GroupLine): GroupLine {
  const names = [...new Set([...Object.keys(a.figures), ...Object.keys(b.figures)])];
  const talliesOf = [...new Set([...Object.keys(a.tallies), ...Object.keys(b.tallies)])];
  return {
    date: a.date,
    group: a.group,
    results: a.results + b.results,
    scans: [...new Set([...a.scans, ...b.scans])].toSorted(),
    tallies: Object.fromEntries(talliesOf.map((name) => [name, mergeTallies(a.tallies[name] ?? {}, b.tallies[name] ?? {})])),
    figures: Object.fromEntries(names.map((name) => [name, mergeStatistics(a.figures[name] ?? null, b.figures[name] ?? null)])),
  };
}

function figuresOf(records: readonly Item[], names: readonly string[]): Figures {
  return Object.fromEntries(names.map((name) => [name, statisticOf(records.flatMap((record) => decimalOf(record[name]) ?? []))]));
}

/** Records from before a rule may hold anything; what is no number is left out of the figures. */
function decimalOf(value: AttributeValue | undefined): string | undefined {
  const text = value !== undefined && 'N' in value ? value.N : undefined;
  return text !== undefined && decimalProblem(text) === undefined ? text : undefined;
}

function memberOf(value: AttributeValue | undefined, name: string): AttributeValue | undefined {
  return value !== undefined && 'M' in value ? value.M[name] : undefined;
}

function numbersOf(value: AttributeValue | undefined): Readonly<Record<string, string>> | null {
  if (value === undefined || !('M' in value)) return null;
  const entries = Object.entries(value.M).flatMap(([name, held]) => ('N' in held ? [[name, held.N] as const] : []));
  // The store gives attributes in any order; the same scan must give the same text.
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function lengthOf(value: AttributeValue | undefined): number | null {
  if (value === undefined) return null;
  if ('L' in value) return value.L.length;
  return 'SS' in value ? value.SS.length : null;
}
