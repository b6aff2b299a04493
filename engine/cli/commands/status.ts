import type { LeaseRecord } from '../../../tables/tablewright/lock-records.ts';
import { type StateRecord, settledStates } from '../../../tables/tablewright/migration-records.ts';
import { ledgerProblems } from '../../core/migrate/decide-runs.ts';
import { type Phase, phaseOf } from '../../core/migrate/define-migration.ts';
import { showDuration, showNumber } from '../../core/show/numbers.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import { readLease } from '../../run/ledger/lock.ts';
import type { Action } from '../context.ts';
import { openMigrations } from '../migrate/open-migrations.ts';
import { renderTable } from '../show/table.ts';
import type spec from './status.spec.js';

/** Exit 0: all verified. 1: something is pending, unfinished or at odds with the files. */
const status: Action<typeof spec> = async (context) => {
  await using command = await openMigrations(context);
  const { environment, sources } = command;
  const reader = new LedgerReader(environment);
  const states = await reader.states();
  const lease = await readLease(environment);
  const paused = await reader.pause();
  const problems = ledgerProblems(sources, states);
  const nowMs = environment.nowMs();
  const isHeld = lease !== undefined && lease.leaseUntil > nowMs;
  const known = new Map(states.map((record) => [record.id, record]));
  const ids = [...new Set([...sources.map(({ migration }) => migration.id), ...known.keys()])].toSorted();
  const found = new Map(sources.map(({ migration }) => [migration.id, migration]));
  const entries = ids.map((id): Entry => {
    const migration = found.get(id);
    const phase = migration === undefined ? null : phaseOf(migration);
    return { id, phase, state: stateOf(known.get(id), isHeld), record: known.get(id) ?? null };
  });
  // A column only where somebody uses it.
  const phased = sources.some(({ migration }) => migration.phase !== undefined);
  const value = { migrations: entries, lock: isHeld ? lease : null, paused: paused ?? null, problems };
  context.output.result(value, () =>
    [
      renderTable(
        ['migration', ...(phased ? ['phase'] : []), 'state', 'changed', 'items', 'RCU', 'WCU', 'dead', 'when', 'by'],
        entries.map((entry) => [entry.id, ...(phased ? [entry.phase ?? ''] : []), ...row(entry)]),
      ),
      ...(isHeld ? ['', lockText(lease, nowMs), ...waitingText(lease)] : []),
      ...(paused === undefined ? [] : ['', `Paused by ${paused.by} at ${paused.at}; 'tablewright resume' goes on.`]),
      ...problems.map((problem) => `! ${problem}`),
      '',
      next(
        entries.map(({ state }) => state),
        problems,
      ),
    ].join('\n'),
  );
  const isDone = entries.every(({ state }) => state === 'verified');
  return isDone && problems.length === 0 ? 0 : 1;
};

function stateOf(record: StateRecord | undefined, isHeld: boolean): string {
  if (record === undefined) return 'pending';
  // Nobody holds the lock, so nobody is working on it.
  return record.state === 'running' && !isHeld ? 'interrupted' : record.state;
}

interface Entry {
  readonly id: string;
  readonly phase: Phase | null;
  readonly state: string;
  readonly record: StateRecord | null;
}

function row({ state, record }: Entry): readonly string[] {
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

function next(states: readonly string[], problems: readonly string[]): string {
  if (problems.length > 0) return "→ Put the files back, or run 'tablewright repair'.";
  if (states.includes('incomplete'))
    return "→ 'tablewright history ID' shows why; 'tablewright retry ID' replays its dead letters.";
  const open = states.filter((state) => !(settledStates as readonly string[]).includes(state)).length;
  return open === 0
    ? 'All migrations are applied.'
    : `${open} to go: 'tablewright plan' shows what it would do, 'tablewright migrate' does it.`;
}

export default status;
