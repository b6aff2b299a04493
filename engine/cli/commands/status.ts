import type { LeaseRecord } from '../../../tables/model/ledger/lock-records.ts';
import { settledStates } from '../../../tables/model/ledger/migration-records.ts';
import { executionNameOf } from '../../../tables/model/runner/names.ts';
import { holderText } from '../../core/remote/holder-text.ts';
import { plural, showDuration, showNumber } from '../../core/show/numbers.ts';
import { showMinute } from '../../core/show/times.ts';
import type { MigrateEnvironment } from '../../run/migrate/environment.ts';
import { type MigrationEntry, readStatus } from '../../run/migrate/read-status.ts';
import { remoteProgress } from '../../run/remote/read-progress.ts';
import type { Action } from '../context.ts';
import { openMigrations } from '../migrate/open-migrations.ts';
import type { Tone } from '../show/paint.js';
import { type Cell, type Column, renderTable } from '../show/table.ts';
import type spec from './status.spec.js';

/** Exit 0: all verified. 1: something is pending, unfinished or at odds with the files. */
const status: Action<typeof spec> = async (context) => {
  await using command = await openMigrations(context);
  const { environment, sources } = command;
  const value = await readStatus(environment, sources);
  const { migrations: entries, lock, paused, problems } = value;
  const nowMs = environment.nowMs();
  const workers = lock === null ? null : await executionOf(environment, lock.holder);
  // A column only where somebody uses it.
  const phased = sources.some(({ migration }) => migration.phase !== undefined);
  // What was undone and has no file is history.
  const counting = entries.filter(({ state, file }) => file || (state !== 'rolled-back' && state !== 'forgotten'));
  context.output.result({ ...value, workers }, (page) =>
    [
      renderTable(
        page,
        columns.filter(({ title }) => phased || title !== 'phase'),
        entries.map((entry) => [entry.id, ...(phased ? [entry.phase ?? ''] : []), ...row(entry)]),
      ),
      ...(lock === null ? [] : ['', lockText(lock, nowMs), ...waitingText(lock), ...workersText(workers)]),
      ...(paused === null ? [] : ['', `Paused by ${paused.by} at ${paused.at}; 'tablewright resume' goes on.`]),
      ...problems.map((problem) => `! ${problem}`),
      '',
      next(counting, problems),
    ].join('\n'),
  );
  const isDone = counting.every(({ state }) => state === 'verified');
  return isDone && problems.length === 0 ? 0 : 1;
};

const columns: readonly Column[] = [
  { title: 'migration', least: 24 },
  { title: 'phase', rank: 5 },
  { title: 'state', rank: 0 },
  { title: 'changed', rank: 1, right: true },
  { title: 'items', rank: 2, right: true },
  { title: 'RCU', rank: 4, right: true },
  { title: 'WCU', rank: 4, right: true },
  { title: 'dead', rank: 1, right: true },
  { title: 'when (UTC)', rank: 3 },
  { title: 'by', rank: 6, least: 6 },
];

function toneOf(state: MigrationEntry['state']): Tone {
  if (state === 'verified') return 'good';
  return state === 'failed' || state === 'incomplete' ? 'bad' : 'warn';
}

function row({ state: name, record, file }: MigrationEntry): readonly Cell[] {
  const state = { text: file ? name : `${name}, no file`, tone: toneOf(name) };
  if (record === null) return [state, '', '', '', '', '', '', ''];
  const { counts, units, dead, updatedAt, who } = record;
  return [
    state,
    showNumber(counts.changed),
    showNumber(counts.scanned),
    showNumber(units.read),
    showNumber(units.write),
    showNumber(dead),
    showMinute(updatedAt),
    who,
  ];
}

/** `Holding still: the alarm … rings.`; nothing while it works. */
function waitingText({ waiting }: LeaseRecord): readonly string[] {
  return waiting === undefined ? [] : [`Holding still: ${waiting}.`];
}

function lockText(lease: LeaseRecord, nowMs: number): string {
  return `Locked by ${holderText(lease.holder)} (${lease.doing}) since ${lease.since}, lease ends in ${showDuration((lease.leaseUntil - nowMs) / 1_000)}.`;
}

/** What an execution by workers is at; null for a run of one process. */
async function executionOf(environment: MigrateEnvironment, holder: string) {
  const execution = executionNameOf(holder);
  if (execution === undefined) return null;
  const { pass } = await remoteProgress(environment, holder);
  if (pass === undefined) return { execution, pass: null };
  const { migration, step, pass: kind, segments, segmentsDone, workers } = pass;
  return { execution, pass: { migration, step, pass: kind, units: segments, done: segmentsDone, workers } };
}

/** `0001-index: verify of keys, 12 of 40 units done by 4 workers` */
function workersText(workers: Awaited<ReturnType<typeof executionOf>>): readonly string[] {
  if (workers === null) return [];
  const { pass } = workers;
  if (pass === null) return ["It is between two passes; 'tablewright attach' watches it where it runs on AWS."];
  return [
    `${pass.migration}: ${pass.pass} of ${pass.step}, ${pass.done} of ${plural(pass.units, 'unit')} done by ${plural(pass.workers, 'worker')}.`,
  ];
}

function next(entries: readonly MigrationEntry[], problems: readonly string[]): string {
  if (problems.length > 0) return "→ Put the files back, or run 'tablewright repair'.";
  const incomplete = entries.filter(({ state }) => state === 'incomplete');
  if (incomplete.some(({ record }) => record !== null && record.dead > 0))
    return "→ 'tablewright history ID' shows why; 'tablewright retry ID' replays its dead letters.";
  if (incomplete.length > 0) return "→ Run 'tablewright migrate': it takes in what is left over.";
  const open = entries.filter(({ state }) => !(settledStates as readonly string[]).includes(state)).length;
  return open === 0
    ? 'All migrations are applied.'
    : `${open} to go: 'tablewright plan' shows what it would do, 'tablewright migrate' does it.`;
}

export default status;
