import type { LeaseRecord } from '../../../tables/model/ledger/lock-records.ts';
import { type StateRecord, settledStates } from '../../../tables/model/ledger/migration-records.ts';
import { ledgerProblems } from '../../core/migrate/decide-runs.ts';
import { type Phase, phaseOf } from '../../core/migrate/define-migration.ts';
import { showDuration, showNumber } from '../../core/show/numbers.ts';
import { LedgerReader } from '../../run/ledger/ledger-reader.ts';
import { readLease } from '../../run/ledger/lock.ts';
import { totalsOf } from '../../run/migrate/state-writer.ts';
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
  const found = new Map(sources.map(({ migration }) => [migration.id, migration]));
  const ids = [...new Set([...found.keys(), ...known.keys()])].toSorted();
  const entries = await Promise.all(
    ids.map(async (id): Promise<Entry> => {
      const record = known.get(id);
      const migration = found.get(id);
      const shown = record === undefined ? null : await withPresentCounts(reader, record);
      const phase = migration === undefined ? null : phaseOf(migration);
      return { id, phase, state: stateOf(record, isHeld), record: shown, file: migration !== undefined };
    }),
  );
  // A column only where somebody uses it.
  const phased = sources.some(({ migration }) => migration.phase !== undefined);
  // What was undone and has no file is history.
  const counting = entries.filter(({ state, file }) => file || (state !== 'rolled-back' && state !== 'forgotten'));
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
      next(counting, problems),
    ].join('\n'),
  );
  const isDone = counting.every(({ state }) => state === 'verified');
  return isDone && problems.length === 0 ? 0 : 1;
};

function stateOf(record: StateRecord | undefined, isHeld: boolean): string {
  if (record === undefined) return 'pending';
  // Nobody holds the lock, so nobody is working on it.
  return record.state === 'running' && !isHeld ? 'interrupted' : record.state;
}

/** What an unfinished run has done is in its checkpoints; its record is written when it begins and when it ends. */
async function withPresentCounts(reader: LedgerReader, record: StateRecord): Promise<StateRecord> {
  if (record.state !== 'running') return record;
  return { ...record, ...totalsOf(await reader.allSegments(record.id)), dead: (await reader.dead(record.id)).length };
}

interface Entry {
  readonly id: string;
  readonly phase: Phase | null;
  readonly state: string;
  readonly record: StateRecord | null;
  readonly file: boolean;
}

function row({ state: name, record, file }: Entry): readonly string[] {
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

function next(entries: readonly Entry[], problems: readonly string[]): string {
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
