import type { Item } from '../../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../../tables/model/error.ts';
import { projection, type ReadStore, type ScanRequest } from '../../../core/migrate/data-store.ts';
import { decideRetry } from '../../../core/store/retry-policy.ts';
import type { MigrateEnvironment } from '../environment.ts';

export interface PageRequest {
  readonly tableName: string;
  readonly segment: number;
  readonly segments: number;
  readonly attributes: readonly string[] | undefined;
  readonly consistent: boolean;
  readonly limit: number;
}

export interface ScannedPage {
  readonly items: readonly Item[];
  /** Where to go on; undefined at the segment's end. */
  readonly next: Item | undefined;
  readonly units: number;
}

export type PageEnvironment = Pick<MigrateEnvironment, 'gates' | 'sleep' | 'random' | 'emit'> & {
  readonly data: Pick<ReadStore, 'scan'>;
  readonly tuning: Pick<MigrateEnvironment['tuning'], 'retry'>;
};

/** A guess for the first page; the gate learns what pages really cost. */
const guessedUnits = 8;

/** One page of a segment, within the read budget; undefined when the run was stopped first. */
export async function readPage(
  environment: PageEnvironment,
  request: PageRequest,
  from: Item | undefined,
  stop: AbortSignal,
): Promise<ScannedPage | undefined> {
  const gate = environment.gates.read.of(request.tableName);
  for (let attempt = 1; ; attempt += 1) {
    // A page must stay small against a second's budget, or the budget is only kept on average.
    const share = Math.max(1, Math.floor((request.limit * gate.maxRequestUnits) / guessedUnits));
    const limit = Number.isFinite(share) ? Math.min(request.limit, share) : request.limit;
    const estimate = Math.max(0.5, (guessedUnits * limit) / request.limit);
    const reservation = await gate.enter(estimate, stop);
    if (reservation === undefined) return undefined;
    const outcome = await environment.data.scan(scanRequest(request, limit, from)).catch((error: unknown) => {
      gate.leave(reservation, { kind: 'unknown' });
      throw error;
    });
    if (outcome.kind === 'page') {
      gate.leave(reservation, { kind: 'answered', consumed: outcome.units, refused: 0 });
      return outcome;
    }
    const throttled = outcome.cause === 'throttled';
    gate.leave(reservation, throttled ? { kind: 'answered', consumed: 0, refused: estimate } : { kind: 'unknown' });
    const decision = decideRetry(attempt, outcome.cause, environment.tuning.retry, environment.random());
    if (decision.kind === 'give-up') throw unreadable(request.tableName, attempt, outcome.message);
    environment.emit({ kind: 'retry', table: request.tableName, items: 0, cause: outcome.cause, delayMs: decision.delayMs });
    await environment.sleep(decision.delayMs);
  }
}

function scanRequest(request: PageRequest, limit: number, from: Item | undefined): ScanRequest {
  return {
    TableName: request.tableName,
    Segment: request.segment,
    TotalSegments: request.segments,
    Limit: limit,
    ...projection(request.attributes),
    ...(request.consistent ? { ConsistentRead: true } : {}),
    ...(from === undefined ? {} : { ExclusiveStartKey: from }),
  };
}

function unreadable(tableName: string, attempts: number, message: string): TablewrightError {
  return new TablewrightError('STORE_FAILED', `${tableName}: a page could not be read in ${attempts} tries: ${message}`, {
    next: "Run 'tablewright migrate' again when the table answers; it goes on from the last checkpoint.",
  });
}
