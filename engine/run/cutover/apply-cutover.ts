import type { CutoverEvidence } from '../../../tables/model/ledger/cutover-records.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import type { ParityReport } from '../../core/cutover/parity-report.ts';
import type { PatternState, ReadState } from '../../core/cutover/state-record.ts';
import { legacyOf } from '../../core/read/plan-legacy.ts';
import { backfillState, changeState, readState } from './change-state.ts';
import { checkParity, type ParityOptions } from './check-parity.ts';
import type { CutoverEnvironment } from './environment.ts';

/**
 * `applied`: the pattern is read by Query from now on. `already`: it was, and parity was found to hold again. `refused`: a
 * condition does not hold; the state is as it was.
 */
export type ApplyOutcome =
  | { readonly outcome: 'applied' | 'already'; readonly pattern: string; readonly report: ParityReport }
  | {
      readonly outcome: 'refused';
      readonly pattern: string;
      /** How it is read, now as before. */
      readonly state: ReadState;
      readonly reasons: readonly string[];
      readonly report: ParityReport | undefined;
    };

/** Lets readers of a pattern use the Query, if its index is ACTIVE, its backfill verified and parity holds now. */
export async function applyCutover(
  environment: CutoverEnvironment,
  pattern: Pattern,
  options: ParityOptions = {},
): Promise<ApplyOutcome> {
  const { backfill } = legacyOf(pattern);
  const before = await readState(environment, pattern, options.signal);
  const refused = (reasons: readonly string[], report?: ParityReport): ApplyOutcome => ({
    outcome: 'refused',
    pattern: pattern.name,
    state: before.state,
    reasons,
    report,
  });
  const unverified = backfill === undefined ? undefined : await unverifiedReason(environment, backfill, options.signal);
  if (unverified !== undefined) return refused([unverified]);
  const report = await checkParity(environment, pattern, options);
  const broken = parityReason(report);
  if (broken !== undefined) return refused([broken], report);
  if (before.state === 'query') return { outcome: 'already', pattern: pattern.name, report };
  const changed = await changeState(
    environment,
    before,
    { state: 'query', index: pattern.index, evidence: evidenceOf(report), needsVerified: backfill },
    options.signal,
  );
  if (changed === 'changed') return { outcome: 'applied', pattern: pattern.name, report };
  const reason = changed === 'not-verified' ? `its backfill ${backfill} is no longer verified` : raced(before);
  return refused([reason], report);
}

async function unverifiedReason(
  environment: CutoverEnvironment,
  backfill: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const state = await backfillState(environment, backfill, signal);
  if (state === 'verified') return undefined;
  return `its backfill ${backfill} is ${state ?? 'not run'}, expected verified`;
}

function parityReason(report: ParityReport): string | undefined {
  const { outcome, index, indexStatus, differences, truncated, unsettled } = report;
  switch (outcome) {
    case 'holds':
      return undefined;
    case 'not-readable':
      return `index ${index ?? 'of the table'} is ${indexStatus}, expected ACTIVE`;
    case 'differs':
      return `parity does not hold: ${differences.length}${truncated ? ' or more' : ''} differences`;
    case 'unsettled':
      return `parity is not proven: ${unsettled.length} records changed at every look`;
  }
}

function raced(before: PatternState): string {
  return `another command changed its state while it was checked (it was ${before.state}, version ${before.version})`;
}

function evidenceOf({ values, records, cost, latency, settled }: ParityReport): CutoverEvidence {
  const times = latency === null ? {} : { scanMs: latency.scan, queryMs: latency.query };
  return { values, records, settled, scanUnits: cost.scan, queryUnits: cost.query, ...times };
}
