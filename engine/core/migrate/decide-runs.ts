import { TablewrightError } from '../../../tables/model/error.ts';
import { type MigrationState, type StateRecord, settledStates } from '../../../tables/model/ledger/migration-records.ts';
import { type DropIndexStep, type Migration, type Phase, phaseOf, unwrittenIn } from './define-migration.ts';
import type { MigrationSource } from './migration-set.ts';

/**
 * `fresh`: never run. `resume`: goes on from its checkpoints. `over`: from the start, its checkpoints are of no use. `verify`: its
 * steps are done; what is found left over is taken in.
 */
export type RunKind = 'fresh' | 'resume' | 'over' | 'verify';

export interface PlannedRun {
  readonly source: MigrationSource;
  readonly kind: RunKind;
  /** Why, where it is not plain. */
  readonly reason?: string;
}

export interface RunRequest {
  /** Up to and including this one; all when left out. */
  readonly to?: string | undefined;
  /** Only those of this phase; all when left out. */
  readonly phase?: Phase | undefined;
  /** Take changed sources, gaps and wrong order as they are. */
  readonly accept: boolean;
}

export interface RunDecision {
  readonly runs: readonly PlannedRun[];
  /** Settled migrations whose changed source was accepted: the ledger gets their new checksum, and calls them applied until they are proven. */
  readonly accepted: readonly MigrationSource[];
}

/** Which migrations run, and how. Pure; everything that stands in the way is reported at once. */
export function decideRuns(
  sources: readonly MigrationSource[],
  ledger: readonly StateRecord[],
  request: RunRequest,
): RunDecision {
  const states = new Map(ledger.map((record) => [record.id, record]));
  if (request.to !== undefined) checkKnown(sources, request.to);
  const upTo = sources.filter(({ migration }) => request.to === undefined || migration.id <= request.to);
  const chosen = upTo.filter(({ migration }) => request.phase === undefined || phaseOf(migration) === request.phase);
  const runs = chosen.flatMap((source) => plannedRun(source, states.get(source.migration.id)));
  refuseUnwritten(runs);
  refuseKept(runs, sources);
  const problems = request.accept ? [] : ledgerProblems(sources, ledger);
  if (problems.length > 0) throw ledgerMismatch(problems);
  if (request.phase !== undefined && !request.accept) checkPhase(request.phase, runs, sources, states);
  return {
    runs,
    accepted: sources.filter((source) => isChanged(source, states.get(source.migration.id))),
  };
}

/** An index that the catalogue has is dropped by nobody, unless a later migration makes it again. */
function refuseKept(runs: readonly PlannedRun[], sources: readonly MigrationSource[]): void {
  const problems = runs.flatMap(({ source: { file, migration } }) =>
    migration.steps.flatMap((step) => {
      if (step.kind !== 'drop-index' || !step.table.indexes.some(({ name }) => name === step.index)) return [];
      const isBack = sources.some((later) => later.migration.id > migration.id && addsIndex(later.migration, step));
      return isBack ? [] : [`${file}: drops index ${step.index}, which ${step.table.name} still has in the catalogue`];
    }),
  );
  if (problems.length === 0) return;
  throw new TablewrightError('BAD_MIGRATION', 'an index that the catalogue has cannot be dropped', {
    problems,
    next: 'Take the index out of the catalogue in the release that this migration belongs to.',
  });
}

function addsIndex({ steps }: Migration, dropped: DropIndexStep): boolean {
  return steps.some((step) => {
    if (step.kind === 'add-index') return step.table.name === dropped.table.name && step.index === dropped.index;
    return step.kind === 'wait-for-index' && step.table.name === dropped.table.name && step.indexes.includes(dropped.index);
  });
}

/** Nothing that is not settled yet may be needed by what runs now, or come before it in the other phase. */
function checkPhase(
  phase: Phase,
  runs: readonly PlannedRun[],
  sources: readonly MigrationSource[],
  states: ReadonlyMap<string, StateRecord>,
): void {
  const running = new Set(runs.map(({ source }) => source.migration.id));
  const open = sources.map(({ migration }) => migration).filter(({ id }) => !running.has(id) && !isSettled(states.get(id)));
  const problems = runs.flatMap(({ source: { migration } }) =>
    open.flatMap((other) => {
      const named = `${other.id} (${phaseOf(other)}), which is not applied yet`;
      if (migration.needs.migrations.includes(other.id)) return [`${migration.id} needs ${named}`];
      return phaseOf(other) === 'before-deploy' && other.id < migration.id ? [`${migration.id} comes after ${named}`] : [];
    }),
  );
  if (problems.length === 0) return;
  throw new TablewrightError('BAD_ARGUMENT', `the migrations of the phase ${phase} cannot run yet`, {
    problems,
    next:
      phase === 'after-deploy'
        ? "Run 'tablewright migrate --phase before-deploy' first; --accept takes the order as it is."
        : 'What one release needs of the other phase has to be in the release before it: apply that first, or move the migration.',
  });
}

export function ledgerMismatch(problems: readonly string[]): TablewrightError {
  return new TablewrightError('LEDGER_MISMATCH', 'the ledger and migrations/ do not agree', {
    problems,
    next: "Put the files back as they were; or run 'tablewright migrate --accept' to take them as they are, or 'tablewright repair' to correct the ledger.",
  });
}

/** A skeleton is no migration yet, on an empty table as little as on a full one. */
function refuseUnwritten(runs: readonly PlannedRun[]): void {
  const problems = runs.flatMap(({ source }) => unwrittenIn(source.migration).map((sentence) => `${source.file}: ${sentence}`));
  if (problems.length === 0) return;
  throw new TablewrightError('BAD_MIGRATION', 'what is to run is not written yet; nothing was run', {
    problems,
    next: "Write what each line asks for, or take the file away; 'tablewright migrate --to ID' runs those before it.",
  });
}

export function checkKnown(sources: readonly MigrationSource[], id: string): MigrationSource {
  const found = sources.find(({ migration }) => migration.id === id || migration.id.slice(0, 4) === id);
  if (found !== undefined) return found;
  throw new TablewrightError('UNKNOWN_NAME', `there is no migration ${id}`, {
    next: `Use one of ${sources.map(({ migration }) => migration.id).join(', ') || 'migrations/, which is empty'}.`,
  });
}

function isSettled(record: StateRecord | undefined): record is StateRecord {
  return record !== undefined && settledStates.includes(record.state);
}

function isChanged(source: MigrationSource, record: StateRecord | undefined): boolean {
  return isSettled(record) && record.checksum !== source.checksum;
}

function plannedRun(source: MigrationSource, record: StateRecord | undefined): readonly PlannedRun[] {
  if (record === undefined) return [{ source, kind: 'fresh' }];
  if (record.state === 'verified') {
    // What was proven of another source says nothing of this one.
    return record.checksum === source.checksum ? [] : [{ source, kind: 'verify', reason: 'its changed source was accepted' }];
  }
  if (record.state === 'applied') return [{ source, kind: 'verify', reason: 'applied, but not verified yet' }];
  if (record.state === 'rolled-back') return [{ source, kind: 'over', reason: 'it was rolled back' }];
  if (record.state === 'forgotten') return [cameBack(source, record)];
  if (record.checksum !== source.checksum) return [{ source, kind: 'over', reason: 'its source was changed since' }];
  if (record.state === 'incomplete')
    return [{ source, kind: 'verify', reason: 'it is incomplete: what is left over is taken in' }];
  return [{ source, kind: 'resume', reason: `it is ${shownState(record.state)}` }];
}

/** Its file was gone when the ledger was repaired. The same source is gone on with; another is another migration. */
function cameBack(source: MigrationSource, record: StateRecord): PlannedRun {
  const same = record.checksum === source.checksum;
  if (same) return { source, kind: 'resume', reason: 'its file came back' };
  return { source, kind: 'over', reason: 'its file came back with another source' };
}

/** Where order is broken: it has not begun at all, so those after it came without it. One that began was let in. */
const outOfOrder = (record: StateRecord | undefined): boolean =>
  record === undefined || record.state === 'rolled-back' || record.state === 'forgotten';

function shownState(state: MigrationState): string {
  return state === 'running' ? 'unfinished' : state;
}

/** Where the ledger and the files contradict each other. */
export function ledgerProblems(sources: readonly MigrationSource[], ledger: readonly StateRecord[]): readonly string[] {
  const known = new Map(sources.map((source) => [source.migration.id, source]));
  const states = new Map(ledger.map((record) => [record.id, record]));
  const settled = ledger.filter(isSettled).toSorted((a, b) => (a.id < b.id ? 1 : -1));
  return [
    ...ledger.flatMap((record) => recordProblems(record, known.get(record.id))),
    ...sources.flatMap(({ migration }) => {
      if (!outOfOrder(states.get(migration.id))) return [];
      const overtaken = settled.find(({ id }) => id > migration.id && !mayOvertake(known.get(id), migration));
      return overtaken === undefined ? [] : [gapProblem(migration.id, states.get(migration.id), overtaken.id)];
    }),
  ];
}

/** What belongs before a deployment need not wait for what belongs after it, whatever their numbers. */
function mayOvertake(source: MigrationSource | undefined, migration: Migration): boolean {
  return source !== undefined && phaseOf(source.migration) === 'before-deploy' && phaseOf(migration) === 'after-deploy';
}

function recordProblems(record: StateRecord, source: MigrationSource | undefined): readonly string[] {
  if (source === undefined) {
    return record.state === 'rolled-back' || record.state === 'forgotten'
      ? []
      : [`${record.id}: ${record.state} in the ledger, but its file is not in migrations/`];
  }
  return isChanged(source, record) ? [changeProblem(source, record)] : [];
}

/** Settled migrations whose source is another than the one that was run. */
export function changedSources(sources: readonly MigrationSource[], ledger: readonly StateRecord[]): readonly string[] {
  return ledger.flatMap((record) => {
    const source = sources.find(({ migration }) => migration.id === record.id);
    return source !== undefined && isChanged(source, record) ? [changeProblem(source, record)] : [];
  });
}

function changeProblem(source: MigrationSource, record: StateRecord): string {
  return `${record.id}: its source was changed after it was ${record.state}: expected checksum ${short(record.checksum)}, found ${short(source.checksum)}`;
}

function gapProblem(id: string, record: StateRecord | undefined, last: string): string {
  const state = record === undefined ? 'was never run' : `is ${shownState(record.state)}`;
  return `${id}: ${state}, but ${last}, which comes after it, is applied`;
}

const short = (checksum: string): string => checksum.slice(0, 12);
