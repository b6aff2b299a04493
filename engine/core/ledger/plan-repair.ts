import type { AttributeValue } from '../../../tables/model/attribute-value.ts';
import { lockRecord } from '../../../tables/tablewright/lock-records.ts';
import { eventRecord, type StateRecord, settledStates, stateRecord } from '../../../tables/tablewright/migration-records.ts';
import type { MigrationSource } from '../migrate/migration-set.ts';
import type { Seen } from '../store/expression.ts';
import { ledgerKey, salvage } from './ledger-codec.ts';
import { shownLedgerKey } from './ledger-errors.ts';
import { rebuildState } from './mend-migration.ts';
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
  readonly seen: Seen;
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
  // The lock is replaced before anything else; damaged since then, it is lost, and whoever has lost it repairs nothing.
  const others = survey.damaged.filter(({ entity }) => entity.name !== lockRecord.name);
  const mended = others.map((damaged) => {
    const { entity, item, problems } = damaged;
    const known = salvage(entity, item) as { readonly id?: string; readonly migration?: string };
    const migration = known.migration ?? (entity.name === stateRecord.name ? known.id : undefined);
    const mending = mendRecord(damaged, { survey, sources, mendedStates, at });
    return { ...mending, key: shownLedgerKey(item), record: entity.name, problems, migration, seen: asSeen(item) };
  });
  return [...mended, ...lostStates(survey, sources, at)];
}

/**
 * States that are gone while the rest of what a run leaves is there: without one, a rollback would find nothing to undo. What the
 * migration was proven for went with it, so it is taken up again from its start, which costs nothing where all is right.
 */
function lostStates(survey: LedgerSurvey, sources: readonly MigrationSource[], at: string): readonly PlannedMending[] {
  const damaged = survey.damaged.filter(({ entity }) => entity.name === stateRecord.name).map(({ item }) => item);
  const known = new Set([...survey.of(stateRecord), ...damaged.map((item) => salvage(stateRecord, item))].map(({ id }) => id));
  return sources.flatMap(({ migration: { id } }): readonly PlannedMending[] => {
    const item = ledgerKey(stateRecord, { id });
    const found = known.has(id) || wasForgotten(survey, id) ? undefined : rebuildState(item, { survey, sources, at });
    if (found === undefined) return [];
    const state = settledStates.includes(found.state) ? 'interrupted' : found.state;
    const means = `from its history, as ${state}; 'tablewright migrate' runs it again from its start and proves it`;
    const mending = rebuilt(stateRecord, { ...found, state, checksum: 'unknown' }, means);
    return [
      { ...mending, key: shownLedgerKey(item), record: stateRecord.name, problems: ['is gone'], migration: id, seen: noItem },
    ];
  });
}

/** Its record was taken out on purpose, because its file was gone. */
function wasForgotten(survey: LedgerSurvey, id: string): boolean {
  const events = survey.of(eventRecord).filter(({ migration }) => migration === id);
  return events.toSorted((a, b) => (a.at < b.at ? -1 : 1)).at(-1)?.kind === 'repaired';
}

const noItem: Seen = { seen: { PK: undefined } };

function asSeen(item: Readonly<Record<string, AttributeValue>>): Seen {
  const attributes = Object.entries(item).filter(([name]) => name !== 'PK' && name !== 'SK');
  return { exists: 'PK', seen: Object.fromEntries(attributes.slice(0, maxSeenAttributes)) };
}
