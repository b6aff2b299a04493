import type { LeaseRecord } from '../../../tables/model/ledger/lock-records.ts';
import { settledStates } from '../../../tables/model/ledger/migration-records.ts';
import { showDuration, showNumber } from '../../core/show/numbers.ts';
import { type MigrationEntry, readStatus } from '../../run/migrate/read-status.ts';
import type { Action } from '../context.ts';
import { openMigrations } from '../migrate/open-migrations.ts';
import { renderTable } from '../show/table.ts';
import type spec from './status.spec.js';

/** Exit 0: all verified. 1: something is pending, unfinished or at odds with the files. */
const status: Action<typeof spec> = async (context) => {
  await using command = await openMigrations(context);
  const { environment, sources } = command;
  const value = await readStatus(environment, sources);
  const { migrations: entries, lock, paused, problems } = value;
  const nowMs = environment.nowMs();
  // A column only where somebody uses it.
  const phased = sources.some(({ migration }) => migration.phase !== undefined);
  // What was undone and has no file is history.
  const counting = entries.filter(({ state, file }) => file || (state !== 'rolled-back' && state !== 'forgotten'));
  context.output.result(value, () =>
    [
      renderTable(
        ['migration', ...(phased ? ['phase'] : []), 'state', 'changed', 'items', 'RCU', 'WCU', 'dead', 'when', 'by'],
        entries.map((entry) => [entry.id, ...(phased ? [entry.phase ?? ''] : []), ...row(entry)]),
      ),
      ...(lock === null ? [] : ['', lockText(lock, nowMs), ...waitingText(lock)]),
      ...(paused === null ? [] : ['', `Paused by ${paused.by} at ${paused.at}; 'tablewright resume' goes on.`]),
      ...problems.map((problem) => `! ${problem}`),
      '',
      next(counting, problems),
    ].join('\n'),
  );
  const isDone = counting.every(({ state }) => state === 'verified');
  return isDone && problems.length === 0 ? 0 : 1;
};

function row({ state: name, record, file }: MigrationEntry): readonly string[] {
  const state = file ? name : `${name}, no file`;
  if (record === null) return [state, '', '', '', '', '', '', ''];
  const { counts, units, dead, updatedAt, who } = record;
  const number = (value: number) => showNumber(value).padStart(7);
  return [
    state,
    number(counts.changed),
    number(counts.scanned),
    number(units.read),
    number(units.write),
    number(dead),
    updatedAt,
    who,
  ];
}

/** `Holding still: the alarm … rings.`; nothing while it works. */
function waitingText({ waiting }: LeaseRecord): readonly string[] {
  return waiting === undefined ? [] : [`Holding still: ${waiting}.`];
}

function lockText(lease: LeaseRecord, nowMs: number): string {
  return `Locked by ${lease.holder} (${lease.doing}) since ${lease.since}, lease ends in ${showDuration((lease.leaseUntil - nowMs) / 1_000)}.`;
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
