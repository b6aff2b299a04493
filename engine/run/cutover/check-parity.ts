import pLimit from 'p-limit';
import { TablewrightError } from '../../../tables/model/error.ts';
import { formerPattern, type Pattern } from '../../../tables/model/pattern.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { compareAnswers } from '../../core/cutover/compare-answers.ts';
import type { ParityDifference, ParityReport } from '../../core/cutover/parity-report.ts';
import type { PartitionValue } from '../../core/cutover/partition-values.ts';
import { tableOf } from '../../core/read/checked-call.ts';
import { legacyOf, legacyOrder } from '../../core/read/plan-legacy.ts';
import { type ReadEnvironment, readAll } from '../read/read-pattern.ts';
import { lookAgain } from './look-again.ts';
import { type OldAnswers, type Part, readOldAnswers } from './old-answers.ts';
import { queryPart } from './query-part.ts';
import { timedReads } from './timed-reads.ts';

/** Queries at once. */
export const defaultParityConcurrency = 8;
/** A pattern with this many differences is not worth a longer list. */
export const maxDifferences = 1_000;

export interface ParityOptions {
  readonly signal?: AbortSignal | undefined;
  readonly concurrency?: number | undefined;
  /** Takes the time of one read each way. */
  readonly steadyMs?: (() => number) | undefined;
  readonly onProgress?:
    | ((progress: { readonly pattern: string; readonly done: number; readonly total: number }) => void)
    | undefined;
}

/** Compares the old answer with the new one for every value that the table or the index holds. Reads only. */
export async function checkParity(
  environment: ReadEnvironment,
  pattern: Pattern,
  options: ParityOptions = {},
): Promise<ParityReport> {
  legacyOf(pattern);
  options.signal?.throwIfAborted();
  const table = tableOf(environment.tables, pattern);
  const indexStatus = await statusOf(environment, table, pattern, options.signal);
  const report = { pattern: pattern.name, index: pattern.index ?? null, indexStatus };
  if (indexStatus !== 'ACTIVE') return { ...report, ...nothingRead };
  const old = await readOldAnswers(environment, table, pattern, options);
  const compared = await compareParts(environment, table, pattern, old, options);
  return { ...report, ...compared };
}

const nothingRead = {
  outcome: 'not-readable',
  values: 0,
  records: 0,
  differences: [],
  truncated: false,
  unsettled: [],
  settled: 0,
  cost: { scan: 0, query: 0, queryMax: 0 },
  latency: null,
  units: 0,
} as const;

async function statusOf(environment: ReadEnvironment, table: Table, pattern: Pattern, signal?: AbortSignal): Promise<string> {
  const name = physicalName(table, environment.names);
  const found = await environment.store.describeTable(name, signal);
  if (found === undefined) {
    throw new TablewrightError('TABLE_MISSING', `${name} does not exist in this stack`, {
      next: "Run 'tablewright doctor' to see what is missing.",
    });
  }
  if (pattern.index === undefined) return found.status;
  return found.indexes.find((index) => index.name === pattern.index)?.status ?? 'missing';
}

interface Tally {
  readonly differences: ParityDifference[];
  readonly unsettled: string[];
  settled: number;
  units: number;
  queryUnits: number;
  queryMax: number;
  done: number;
}

async function compareParts(
  environment: ReadEnvironment,
  table: Table,
  pattern: Pattern,
  old: OldAnswers,
  options: ParityOptions,
): Promise<Omit<ParityReport, 'pattern' | 'index' | 'indexStatus'>> {
  const tally: Tally = { differences: [], unsettled: [], settled: 0, units: old.units, queryUnits: 0, queryMax: 0, done: 0 };
  const limit = pLimit(options.concurrency ?? defaultParityConcurrency);
  const onePart = async (part: Part): Promise<void> => {
    if (tally.differences.length >= maxDifferences) return;
    options.signal?.throwIfAborted();
    await comparePart(environment, table, pattern, part, tally, options.signal);
    tally.done += 1;
    options.onProgress?.({ pattern: pattern.name, done: tally.done, total: old.parts.length });
  };
  try {
    await Promise.all(old.parts.map((part) => limit(onePart, part)));
  } finally {
    // After a failure nothing more is begun.
    limit.clearQueue();
  }
  const truncated = tally.done < old.parts.length;
  const average = tally.queryUnits / Math.max(1, tally.done);
  const before = await readBefore(environment, pattern, old, options);
  const now = await readNow(environment, pattern, old, options);
  return {
    outcome: tally.differences.length > 0 ? 'differs' : tally.unsettled.length > 0 ? 'unsettled' : 'holds',
    values: tally.done,
    records: old.parts.reduce((sum, part) => sum + part.entries.length, 0),
    differences: tally.differences,
    truncated,
    unsettled: tally.unsettled,
    settled: tally.settled,
    cost: { scan: before.units, ...costNow(pattern, now.units, average, tally) },
    latency: latencyOf(before, now),
    units: tally.units + before.spent + now.spent,
  };
}

/** More digits than hundredths of a millisecond would only be noise. */
function latencyOf(before: OneRead, now: OneRead): ParityReport['latency'] {
  const rounded = (ms: number): number => Math.round(ms * 100) / 100;
  if (before.ms === undefined || now.ms === undefined) return null;
  return { scan: rounded(before.ms), query: rounded(now.ms) };
}

async function comparePart(
  environment: ReadEnvironment,
  table: Table,
  pattern: Pattern,
  part: Part,
  tally: Tally,
  signal: AbortSignal | undefined,
): Promise<void> {
  const found = await queryPart(environment, table, pattern, part.value, signal);
  tally.units += found.units;
  tally.queryUnits += found.units;
  tally.queryMax = Math.max(tally.queryMax, found.units);
  const suspicions = compareAnswers(legacyOrder(table, pattern), part.entries, found.entries);
  if (suspicions.length === 0) return;
  const looked = await lookAgain(environment, table, pattern, part.value, suspicions.slice(0, maxDifferences), signal);
  tally.differences.push(...looked.differences);
  tally.unsettled.push(...looked.unsettled);
  tally.settled += looked.settled;
  tally.units += looked.units;
}

/** Of one read by itself: while the answers are compared, several are under way at once. */
interface OneRead {
  readonly units: number;
  readonly ms: number | undefined;
  /** Of all reads that it took to know. */
  readonly spent: number;
}

/** Where the time is taken, a single read would be chance. */
const timedRounds = 3;

async function readOnce(
  environment: ReadEnvironment,
  pattern: Pattern,
  value: PartitionValue,
  { steadyMs, signal }: ParityOptions,
): Promise<OneRead> {
  const rounds: { readonly units: number; readonly ms: number }[] = [];
  while (rounds.length < (steadyMs === undefined ? 1 : timedRounds)) {
    const timed = timedReads(environment, steadyMs ?? (() => 0));
    const { units } = await readAll(timed.environment, pattern, value, { signal });
    rounds.push({ units, ms: timed.tookMs() });
  }
  const median = rounds.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)];
  const spent = rounds.reduce((sum, { units }) => sum + units, 0);
  return { units: rounds[0]?.units ?? 0, ms: steadyMs === undefined ? undefined : median, spent };
}

const nothingAsked: OneRead = { units: 0, ms: undefined, spent: 0 };

const largestOf = ({ parts }: OldAnswers): Part | undefined => parts.toSorted((a, b) => b.entries.length - a.entries.length)[0];

/** Of the value with the most records. A pattern with a limit reads no more than it: this read is what it costs. */
async function readNow(
  environment: ReadEnvironment,
  pattern: Pattern,
  old: OldAnswers,
  options: ParityOptions,
): Promise<OneRead> {
  const largest = largestOf(old);
  const isAsked = pattern.limit !== undefined || options.steadyMs !== undefined;
  return isAsked && largest !== undefined ? readOnce(environment, pattern, largest.value, options) : nothingAsked;
}

/** By the old form: a Scan of all, which is done already, or the Query on the index before, of the value with the most records. */
async function readBefore(
  environment: ReadEnvironment,
  pattern: Pattern,
  old: OldAnswers,
  options: ParityOptions,
): Promise<OneRead> {
  const former = formerPattern(pattern);
  const largest = largestOf(old);
  if (former === undefined || largest === undefined) return { units: old.scanUnits, ms: old.scanMs, spent: 0 };
  const status = await statusOf(environment, tableOf(environment.tables, pattern), former);
  return status === 'ACTIVE' ? readOnce(environment, former, largest.value, options) : nothingAsked;
}

function costNow(pattern: Pattern, units: number, average: number, { queryMax }: Tally) {
  return pattern.limit === undefined ? { query: average, queryMax } : { query: units, queryMax: units };
}
