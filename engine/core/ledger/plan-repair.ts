import type { AttributeValue } from '../../../tables/model/attribute-value.ts';
import { absent } from '../../../tables/model/condition.ts';
import { lockRecord } from '../../../tables/model/ledger/lock-records.ts';
import { eventRecord, type StateRecord, stateRecord } from '../../../tables/model/ledger/migration-records.ts';
import type { MigrationSource } from '../migrate/migration-set.ts';
import type { Seen } from '../store/expression.ts';
import type { EntryGuard } from '../store/transact-entry.ts';
import { ledgerKey, salvage } from './ledger-codec.ts';
import { shownLedgerKey } from './ledger-errors.ts';
import { type MigrationFacts, rebuildState } from './mend-migration.ts';
import { mendRecord } from './mend-record.ts';
import { type Mending, rebuilt } from './mending.ts';
import type { LedgerSurvey } from './survey.ts';

/** One damaged record and what becomes of it, if it is still as it was seen. */
export interface PlannedMending extends Mending {
  readonly key: string;
  /** The kind of record. */
  readonly record: string;
  readonly problems: readonly string[];
  /** The migration whose history should say so; undefined when it is none of theirs. */
  readonly migration: string | undefined;
  /** The record is still as it was found. */
  readonly seen: EntryGuard;
}

/** DynamoDB Developer Guide, "Quotas: expression parameters": 4 KB of text; so many attributes stay well below it. */
const maxSeenAttributes = 50;

/** What is done about everything that a survey found damaged. Pure. */
export function planRepair(survey: LedgerSurvey, sources: readonly MigrationSource[], at: string): readonly PlannedMending[] {
  const mendedStates = new Map<string, StateRecord>();
  for (const { entity, item } of survey.damaged) {
    const state = entity.name === stateRecord.name ? rebuildState(item, { survey, sources, at }) : undefined;
    if (state !== undefined) mendedStates.set(state.id, state);
  }
  const lost = lostStates(survey, { survey, sources, at });
  // The lock is replaced before anything else; damaged since then, it is lost, and whoever has lost it repairs nothing.
  const others = survey.damaged.filter(({ entity }) => entity.name !== lockRecord.name);
  const mended = others.map((damaged) => {
    const { entity, item, problems } = damaged;
    const known = salvage(entity, item) as { readonly id?: string; readonly migration?: string };
    const migration = known.migration ?? (entity.name === stateRecord.name ? known.id : undefined);
    const mending = mendRecord(damaged, { survey, sources, mendedStates, at });
    return { ...mending, key: shownLedgerKey(item), record: entity.name, problems, migration, seen: asSeen(item) };
  });
  return [...lost, ...mended];
}

/** States that are gone, of migrations that left traces: without them nobody could roll back what they changed. */
function lostStates(survey: LedgerSurvey, facts: Omit<MigrationFacts, 'mendedStates'>): readonly PlannedMending[] {
  const known = new Set(survey.of(stateRecord).map(({ id }) => id));
  for (const { entity, item } of survey.damaged) {
    if (entity.name === stateRecord.name) known.add(salvage(stateRecord, item).id ?? '');
  }
  return [...survey.traces.keys()].toSorted().flatMap((id) => {
    const key = ledgerKey(stateRecord, { id });
    const record = known.has(id) || wasForgotten(survey, id) ? undefined : rebuildState(key, facts);
    if (record === undefined) return [];
    const means = `from its history, as ${record.state}; what it changed can be rolled back`;
    const named = { key: shownLedgerKey(key), record: stateRecord.name, problems: ['it is missing'], migration: id };
    return [{ ...rebuilt(stateRecord, record, means), ...named, seen: absent('PK') }];
  });
}

/** A repair took its record out, because nothing was known of it. */
function wasForgotten(survey: LedgerSurvey, id: string): boolean {
  const events = survey.of(eventRecord).filter(({ migration }) => migration === id);
  return events.toSorted((a, b) => (a.at < b.at ? -1 : 1)).at(-1)?.kind === 'repaired';
}

function asSeen(item: Readonly<Record<string, AttributeValue>>): Seen {
  const attributes = Object.entries(item).filter(([name]) => name !== 'PK' && name !== 'SK');
  return { exists: 'PK', seen: Object.fromEntries(attributes.slice(0, maxSeenAttributes)) };
}
