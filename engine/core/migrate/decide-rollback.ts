import { TablewrightError } from '../../../tables/model/error.ts';
import type { StateRecord, StepRecord } from '../../../tables/model/ledger/migration-records.ts';
import { nameAdvice } from '../show/name-advice.ts';
import { isPass, isPassKind, type Migration, type Step } from './define-migration.ts';
import type { MigrationSource } from './migration-set.ts';

/** Everything. */
export const rollbackAll = '0';

/** A migration that is undone. Its file may be gone, or another than the one that was run. */
export interface PlannedRollback {
  readonly state: StateRecord;
  readonly source: MigrationSource | undefined;
}

/** What a rollback undoes, newest first: all after `to`, or the last one. Pure. */
export function decideRollback(
  sources: readonly MigrationSource[],
  states: readonly StateRecord[],
  to: string | undefined,
): readonly PlannedRollback[] {
  const target = to === undefined || to === rollbackAll ? '' : knownId(sources, states, to);
  const touched = states
    .filter(({ state }) => state !== 'rolled-back' && state !== 'forgotten')
    .toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const chosen = to === undefined ? touched.slice(0, 1) : touched.filter(({ id }) => id > target);
  return chosen.map((state) => ({ state, source: sources.find(({ migration }) => migration.id === state.id) }));
}

/** By its id or number; the ledger knows those whose file is gone. */
export function knownId(sources: readonly MigrationSource[], states: readonly StateRecord[], given: string): string {
  const ids = [...new Set([...sources.map(({ migration }) => migration.id), ...states.map(({ id }) => id)])].toSorted();
  const found = ids.find((id) => id === given || id.slice(0, 4) === given.padStart(4, '0'));
  if (found !== undefined) return found;
  throw new TablewrightError('UNKNOWN_NAME', `there is no migration ${given}`, {
    next:
      ids.length === 0
        ? "There is none in migrations/: 'tablewright migration new NAME --table TABLE' makes one."
        : nameAdvice(given, ids),
  });
}

/**
 * Why a migration cannot be undone; asked before anything is. What the journal holds needs no file; what only the migration's
 * own code can undo needs the file as it was when it was run. `former`: steps whose journal does not say its table.
 */
export function rollbackProblems(
  { source, state }: PlannedRollback,
  records: readonly StepRecord[],
  former: readonly StepRecord[] = [],
): readonly string[] {
  const problems = records
    .filter((record) => record.carried !== true && record.undone !== true)
    .flatMap((record) => {
      const why = whyNot(record, { source, state }, former);
      return why === undefined ? [] : [`${state.id}: step ${record.name} ${why}`];
    });
  return [...new Set(problems)];
}

function whyNot(record: StepRecord, planned: PlannedRollback, former: readonly StepRecord[]): string | undefined {
  // What an import has replaced is in no journal; an export step before it is what it is undone with.
  if (record.kind === 'import') return 'has no undo';
  if (isPassKind(record.kind)) {
    return former.includes(record)
      ? fileProblem(record, planned, 'has a journal of an earlier version, which needs its file')
      : undefined;
  }
  if (record.kind === 'cutover' && record.checkpoint === undefined) {
    return fileProblem(record, planned, 'was run by an earlier version, so its patterns are in its file only');
  }
  if (record.kind === 'drop-index' && (record.done || record.checkpoint !== undefined)) {
    return 'dropped an index: from there the way back is a migration with a backfill and a new index (docs/indexes.md)';
  }
  if (record.kind !== 'custom') return undefined;
  const problem = fileProblem(record, planned, 'is undone by code of its own');
  if (problem !== undefined) return problem;
  const step = stepOfFile(planned.source?.migration, record);
  return step?.kind === 'custom' && step.undo === undefined ? 'has no undo' : undefined;
}

/** The file is needed as it was: what is in its way. */
function fileProblem(record: StepRecord, { source, state }: PlannedRollback, why: string): string | undefined {
  if (source === undefined) return `${why}, and its file is not in migrations/, or cannot be loaded`;
  const isPresent = record.generation === state.generation;
  if (isPresent && source.checksum !== state.checksum) {
    const [expected, found] = [state.checksum, source.checksum].map((checksum) => checksum.slice(0, 12));
    return `${why}, and its file was changed since: expected checksum ${expected}, found ${found}`;
  }
  return stepOfFile(source.migration, record) === undefined ? `${why}, and its file has no such step any more` : undefined;
}

/** The step of the file that a record is of; undefined when another one stands in its place. */
export function stepOfFile(migration: Migration | undefined, record: StepRecord): Step | undefined {
  const step = migration?.steps[record.step];
  if (step === undefined || step.name !== record.name || step.kind !== record.kind) return undefined;
  return isPass(step) && record.table !== undefined && step.table.name !== record.table ? undefined : step;
}

export function notUndoable(problems: readonly string[]): TablewrightError {
  return new TablewrightError('BAD_MIGRATION', 'these migrations cannot be rolled back; nothing was changed', {
    problems,
    next: "Put the file back as it was, give the step an undo and take it with 'tablewright repair', or restore the table to a point in time.",
  });
}
