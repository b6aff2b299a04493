import { type ShadowCounts, shadowCounts } from '../../../tables/model/ledger/cutover-records.ts';
import { formerPattern, type Pattern } from '../../../tables/model/pattern.ts';
import { patternsOf } from '../../../tables/model/project.ts';
import type { Table } from '../../../tables/model/table.ts';
import { type PatternState, stateFor } from '../../core/cutover/state-record.ts';
import { LedgerStore } from '../ledger/ledger-store.ts';
import type { ReadEnvironment } from '../read/read-pattern.ts';
import { backfillState } from './change-state.ts';
import { loadStates } from './read-states.ts';

/** What shadow reads have found since the pattern went into its state. */
type Counts = Readonly<Record<Exclude<keyof ShadowCounts, 'pattern' | 'version' | 'lastAt'>, number>>;

export interface PatternStatus extends Omit<PatternState, 'evidence' | 'index'> {
  readonly table: string;
  readonly index: string | null;
  /** The index that it was read by before; null when it was a Scan. */
  readonly formerIndex: string | null;
  readonly backfill: string | null;
  /** The state of the backfill; null when there is none or it was never run. */
  readonly backfillState: string | null;
  readonly shadow: Counts | null;
}

/** The patterns that were read otherwise once, in the catalogue's order. */
export function cutoverPatterns(tables: readonly Table[]): readonly Pattern[] {
  return patternsOf(tables).filter((pattern) => pattern.legacy !== undefined);
}

export async function cutoverStatus(environment: ReadEnvironment, signal?: AbortSignal): Promise<readonly PatternStatus[]> {
  const states = await loadStates(environment, { signal });
  const found: PatternStatus[] = [];
  for (const pattern of cutoverPatterns(environment.tables)) {
    const { evidence: _, index: _index, ...record } = stateFor(pattern, states.get(pattern.name));
    const backfill = pattern.legacy?.backfill ?? null;
    found.push({
      ...record,
      table: pattern.table,
      index: pattern.index ?? null,
      formerIndex: formerPattern(pattern)?.index ?? null,
      backfill,
      backfillState: backfill === null ? null : ((await backfillState(environment, backfill, signal)) ?? null),
      shadow: record.state === 'shadow' ? await countsOf(environment, record, signal) : null,
    });
  }
  return found;
}

async function countsOf(environment: ReadEnvironment, { pattern, version }: PatternState, signal?: AbortSignal): Promise<Counts> {
  const found = await new LedgerStore(environment).get(shadowCounts, { pattern, version }, signal);
  const { reads = 0, differing = 0, failures = 0, scanUnits = 0, queryUnits = 0 } = found ?? {};
  return { reads, differing, failures, scanUnits, queryUnits };
}
