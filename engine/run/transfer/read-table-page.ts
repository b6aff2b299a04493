import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { decideRetry, defaultRetryPolicy, type RetryCause } from '../../core/store/retry-policy.ts';
import type { PageStore } from '../../core/transfer/transfer-store.ts';
import type { CapacityGate } from '../capacity/capacity-gate.ts';

export interface PageReader<T> {
  readonly store: PageStore<T>;
  readonly gate: CapacityGate;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly onRetry?: (cause: RetryCause, delayMs: number) => void;
}

export interface SegmentOfTable {
  readonly tableName: string;
  readonly segment: number;
  readonly segments: number;
  readonly consistent: boolean;
}

export interface TablePage<T> {
  readonly items: readonly T[];
  /** Where to go on; undefined at the segment's end. */
  readonly next: Item | undefined;
  readonly units: number;
}

/**
 * What a full page is expected to cost: 1 MB at half a unit per 4 KB (Scan API reference; "Read capacity units"). The gate
 * learns the real cost from the answers.
 */
const fullPageUnits = 128;
/** With a budget, pages are cut to this many items per expected unit, so that none is large against a second's units. */
const itemsPerUnit = 4;

/** One page within the read budget; undefined when the signal came first. */
export async function readTablePage<T>(
  reader: PageReader<T>,
  part: SegmentOfTable,
  from: Item | undefined,
  signal: AbortSignal | undefined,
): Promise<TablePage<T> | undefined> {
  const { gate, store } = reader;
  for (let attempt = 1; ; attempt += 1) {
    const most = gate.maxRequestUnits;
    const limit = most < fullPageUnits ? Math.max(1, Math.floor(most * itemsPerUnit)) : undefined;
    const estimate = limit === undefined ? fullPageUnits : limit / itemsPerUnit;
    const reservation = await gate.enter(estimate, signal);
    if (reservation === undefined) return undefined;
    const outcome = await store.scan(scanRequest(part, limit, from), signal).catch((error: unknown) => {
      gate.leave(reservation, { kind: 'unknown' });
      throw error;
    });
    if (outcome.kind === 'page') {
      gate.leave(reservation, { kind: 'answered', consumed: outcome.units, refused: 0 });
      return outcome;
    }
    const throttled = outcome.cause === 'throttled';
    gate.leave(reservation, throttled ? { kind: 'answered', consumed: 0, refused: estimate } : { kind: 'unknown' });
    const decision = decideRetry(attempt, outcome.cause, defaultRetryPolicy, reader.random());
    if (decision.kind === 'give-up') throw unreadable(part.tableName, attempt, outcome.message);
    reader.onRetry?.(outcome.cause, decision.delayMs);
    await reader.sleep(decision.delayMs, signal);
  }
}

function scanRequest(part: SegmentOfTable, limit: number | undefined, from: Item | undefined) {
  return {
    TableName: part.tableName,
    Segment: part.segment,
    TotalSegments: part.segments,
    ...(limit === undefined ? {} : { Limit: limit }),
    ...(part.consistent ? { ConsistentRead: true } : {}),
    ...(from === undefined ? {} : { ExclusiveStartKey: from }),
  };
}

function unreadable(tableName: string, attempts: number, message: string): TablewrightError {
  return new TablewrightError('STORE_FAILED', `${tableName}: a page could not be read in ${attempts} tries: ${message}`, {
    next: 'Run the same command again when the table answers; it goes on where it was.',
  });
}
