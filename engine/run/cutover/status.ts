import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import type { Table } from '../../../tables/model/table.ts';
import { physicalName } from '../../../tables/stack-config.ts';
import { patternsOf } from '../../../tables/tables.ts';
import { shadowCountsKey } from '../../../tables/tablewright/cutover-keys.ts';
import { ledger } from '../../../tables/tablewright/ledger.ts';
import { initialState, type StateRecord } from '../../core/cutover/state-record.ts';
import { toRecordItem } from '../../core/ledger/record-item.ts';
import type { ReadEnvironment } from '../read/read-pattern.ts';
import { backfillState } from './change-state.ts';
import { loadStates } from './read-states.ts';

/** What shadow reads have found since the pattern went into its state. */
export interface ShadowCounts {
  readonly reads: number;
  readonly differing: number;
  readonly failures: number;
  readonly scanUnits: number;
  readonly queryUnits: number;
}

export interface PatternStatus extends StateRecord {
  readonly table: string;
  readonly index: string | null;
  readonly backfill: string | null;
  /** The state of the backfill; null when there is none or it was never run. */
  readonly backfillState: string | null;
  readonly shadow: ShadowCounts | null;
}

/** The patterns that were read by Scan once, in the catalogue's order. */
export function cutoverPatterns(tables: readonly Table[]): readonly Pattern[] {
  return patternsOf(tables).filter((pattern) => pattern.legacy !== undefined);
}

export async function cutoverStatus(environment: ReadEnvironment, signal?: AbortSignal): Promise<readonly PatternStatus[]> {
  const states = await loadStates(environment.store, environment.names, signal, true);
  const found: PatternStatus[] = [];
  for (const pattern of cutoverPatterns(environment.tables)) {
    const record = states.get(pattern.name) ?? initialState(pattern.name);
    const backfill = pattern.legacy?.backfill ?? null;
    found.push({
      ...record,
      table: pattern.table,
      index: pattern.index ?? null,
      backfill,
      backfillState: backfill === null ? null : ((await backfillState(environment, backfill, signal)) ?? null),
      shadow: record.state === 'shadow' ? await shadowCounts(environment, record, signal) : null,
    });
  }
  return found;
}

async function shadowCounts({ store, names }: ReadEnvironment, record: StateRecord, signal?: AbortSignal): Promise<ShadowCounts> {
  const request = {
    TableName: physicalName(ledger, names),
    Key: toRecordItem(shadowCountsKey(record.pattern, record.version)),
    ConsistentRead: true,
  };
  const { item = {} } = await store.getItem(request, signal);
  const count = (name: string) => countOf(item, name);
  return {
    reads: count('reads'),
    differing: count('differing'),
    failures: count('failures'),
    scanUnits: count('scanUnits'),
    queryUnits: count('queryUnits'),
  };
}

function countOf(item: Item, name: string): number {
  return Number(scalarText(item[name]) ?? 0);
}
