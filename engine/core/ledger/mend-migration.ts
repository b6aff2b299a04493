import type { Item } from '../../../tables/model/attribute-value.ts';
import { chunkRecord, headRecord, partRecord } from '../../../tables/model/ledger/journal-records.ts';
import {
  deadLetterRecord,
  eventRecord,
  type HistoryKind,
  type MigrationState,
  type StateRecord,
  type segmentRecord,
  settledStates,
  stateRecord,
  stepRecord,
  unitRecord,
} from '../../../tables/model/ledger/migration-records.ts';
import { addCounts, addUnits, noCounts, noUnits } from '../migrate/counts.ts';
import { isPass } from '../migrate/define-migration.ts';
import type { MigrationSource } from '../migrate/migration-set.ts';
import { salvage } from './ledger-codec.ts';
import { dropped, type Mending, rebuilt } from './mending.ts';
import type { LedgerSurvey } from './survey.ts';

export interface MigrationFacts {
  readonly survey: LedgerSurvey;
  readonly sources: readonly MigrationSource[];
  /** States that were damaged, as they are rebuilt. */
  readonly mendedStates: ReadonlyMap<string, StateRecord>;
  /** The present time, ISO 8601. */
  readonly at: string;
}

/** How a migration stands after an event. It is never taken for verified: that has to be proven again. */
const stateAfter: Readonly<Partial<Record<HistoryKind, MigrationState>>> = {
  started: 'interrupted',
  resumed: 'interrupted',
  'started-over': 'interrupted',
  interrupted: 'interrupted',
  retried: 'interrupted',
  applied: 'applied',
  verified: 'applied',
  incomplete: 'incomplete',
  failed: 'failed',
  'rollback-started': 'rolling-back',
  'rolled-back': 'rolled-back',
};

/** The state of a migration from its history and its checkpoints; undefined when there are none. */
export function rebuildState(item: Item, { survey, sources, at }: Omit<MigrationFacts, 'mendedStates'>): StateRecord | undefined {
  const known = salvage(stateRecord, item);
  const { id = '' } = known;
  const ofThis = <T extends { readonly migration: string }>(records: readonly T[]): readonly T[] =>
    records.filter(({ migration }) => migration === id);
  const events = ofThis(survey.of(eventRecord)).toSorted((a, b) => (a.at === b.at ? a.token - b.token : a.at < b.at ? -1 : 1));
  const segments = ofThis(survey.segments);
  const traced = survey.traces.get(id);
  if (traced === undefined) return undefined;
  const last = events.findLast(({ kind }) => stateAfter[kind] !== undefined);
  const state = (last === undefined ? undefined : stateAfter[last.kind]) ?? 'interrupted';
  const source = sources.find(({ migration }) => migration.id === id);
  const applied = segments.filter(({ pass }) => pass === 'apply');
  return {
    id,
    description: known.description ?? source?.migration.description ?? '',
    state,
    // One that is not known makes an unsettled migration begin again from its start.
    checksum: known.checksum ?? (settledStates.includes(state) ? source?.checksum : undefined) ?? 'unknown',
    generation: Math.max(1, known.generation ?? 0, traced),
    who: last?.who ?? known.who ?? 'unknown',
    host: last?.host ?? known.host ?? 'unknown',
    startedAt: known.startedAt ?? events[0]?.at ?? at,
    updatedAt: at,
    token: Math.max(known.token ?? 0, last?.token ?? 0),
    counts: applied.reduce((sum, segment) => addCounts(sum, segment.counts), noCounts),
    units: applied.reduce((sum, segment) => addUnits(sum, segment.units), noUnits),
    dead: ofThis(survey.of(deadLetterRecord)).length,
  };
}

export function mendState(item: Item, { mendedStates }: MigrationFacts): Mending {
  const { id = '' } = salvage(stateRecord, item);
  const record = mendedStates.get(id);
  if (record === undefined) {
    return dropped(item, "nothing else is known of it, so it counts as never run; 'tablewright migrate' runs it");
  }
  const next = record.state === 'rolled-back' ? 'runs it again' : 'goes on with it and proves it';
  return rebuilt(stateRecord, record, `from its history, as ${record.state}; 'tablewright migrate' ${next}`);
}

export function mendStep(item: Item, facts: MigrationFacts): Mending {
  const known = salvage(stepRecord, item);
  const { migration = '', generation = 0, step = 0 } = known;
  const declared = facts.sources.find((source) => source.migration.id === migration)?.migration.steps[step];
  const name = known.name ?? declared?.name;
  const kind = known.kind ?? declared?.kind;
  const needsSegments = declared !== undefined && isPass(declared);
  const segments = known.segments ?? segmentsOf(facts.survey, { migration, generation, step }) ?? (needsSegments ? undefined : 0);
  if (name === undefined || kind === undefined || segments === undefined) {
    return dropped(item, `step ${step} of ${migration} begins again when it is run, and is proven at its end`);
  }
  const done = known.done ?? wasDone(stateOf(facts, migration), generation);
  const { checkpoint } = known;
  const spread = known.spread ?? isSpread(facts.survey, { migration, generation, step });
  const record = {
    ...{ migration, generation, step, name, kind, segments, done },
    ...(checkpoint === undefined ? {} : { checkpoint }),
    ...(spread ? { spread } : {}),
  };
  return rebuilt(
    stepRecord,
    record,
    done ? 'the step counts as done' : "the step is not done yet; 'tablewright migrate' goes on",
  );
}

/** Into how many segments a step was cut, by the segments themselves or by their journals. */
function segmentsOf(
  survey: LedgerSurvey,
  place: { readonly migration: string; readonly generation: number; readonly step: number },
): number | undefined {
  const isOfIt = (record: typeof place): boolean =>
    record.migration === place.migration && record.generation === place.generation && record.step === place.step;
  const said = survey.segments.flatMap((record) => (isOfIt(record) && record.segments > 0 ? [record.segments] : []));
  const journals = [...survey.journals.values()].flatMap((journal) => (isOfIt(journal) ? [journal.segment + 1] : []));
  return said.length + journals.length === 0 ? undefined : Math.max(...(said.length > 0 ? said : journals));
}

/** Workers were at it, if there is a unit of it: its checkpoints are there and nowhere else. */
function isSpread(
  survey: LedgerSurvey,
  place: { readonly migration: string; readonly generation: number; readonly step: number },
): boolean {
  return survey
    .of(unitRecord)
    .some(
      ({ migration, generation, step }) =>
        migration === place.migration && generation === place.generation && step === place.step,
    );
}

function stateOf({ survey, mendedStates }: MigrationFacts, migration: string): StateRecord | undefined {
  return mendedStates.get(migration) ?? survey.of(stateRecord).find(({ id }) => id === migration);
}

function wasDone(state: StateRecord | undefined, generation: number): boolean {
  return state !== undefined && state.generation === generation && [...settledStates, 'incomplete'].includes(state.state);
}

export function mendSegment(item: Item, facts: MigrationFacts, entity: typeof segmentRecord | typeof unitRecord): Mending {
  const { migration = '', segment = 0 } = salvage<typeof segmentRecord | typeof unitRecord>(entity, item);
  const state = stateOf(facts, migration);
  const isSettled = state !== undefined && settledStates.includes(state.state);
  return dropped(
    item,
    isSettled
      ? `${migration} stays ${state.state}; later totals lack what segment ${segment} counted`
      : `segment ${segment} is read again from its start; items that are right already cost no write`,
  );
}

export function mendDeadLetter(item: Item, { at }: MigrationFacts): Mending {
  const known = salvage(deadLetterRecord, item);
  const { migration = '', digest = '', step = 0, key, table } = known;
  if (key === undefined || table === undefined) {
    return dropped(item, `'tablewright verify ${migration}' finds its item if it is still wrong`);
  }
  const shownKey = known.shownKey ?? JSON.stringify(key);
  const reason = known.reason ?? 'its reason was lost';
  const record = { migration, step, digest, key, shownKey, table, reason, at: known.at ?? at };
  return rebuilt(deadLetterRecord, record, `'tablewright retry ${migration}' tries its item again`);
}

export function mendPart(item: Item, { survey }: MigrationFacts): Mending {
  const known = salvage(partRecord, item);
  const { generation, token, attempt, sequence, table, entries, before, skipped, ...place } = known;
  const count = entries === undefined ? undefined : survey.entriesIn(entries);
  const isPlaced = generation !== undefined && token !== undefined && attempt !== undefined && sequence !== undefined;
  const isWhole = entries !== undefined && count !== undefined && table !== undefined && before !== undefined;
  if (!isPlaced || !isWhole || lacksMarks(item, skipped)) return lostPart(item, place);
  const { migration = '', step = 0, segment = 0 } = place;
  const writer = { migration, step, segment, generation, token, attempt };
  const record = { ...writer, sequence, table, entries, count, before, ...(skipped === undefined ? {} : { skipped }) };
  return rebuilt(partRecord, record, 'nothing of it is lost');
}

export function mendChunk(item: Item, { survey }: MigrationFacts): Mending {
  const { generation, token, sequence, entries, skipped, ...place } = salvage(chunkRecord, item);
  const isPlaced = generation !== undefined && token !== undefined && sequence !== undefined;
  const isWhole = entries !== undefined && survey.entriesIn(entries) !== undefined;
  if (!isPlaced || !isWhole || lacksMarks(item, skipped)) return lostPart(item, place);
  const { migration = '', step = 0, segment = 0 } = place;
  const record = {
    migration,
    step,
    segment,
    generation,
    token,
    sequence,
    entries,
    ...(skipped === undefined ? {} : { skipped }),
  };
  return rebuilt(chunkRecord, record, 'nothing of it is lost');
}

/** Without the marks a rollback could take somebody else's equal value for the migration's. */
const lacksMarks = (item: Item, skipped: readonly number[] | undefined): boolean =>
  skipped === undefined && item.skipped !== undefined;

function lostPart(
  item: Item,
  place: { readonly migration?: string; readonly step?: number; readonly segment?: number },
): Mending {
  const { migration = '', step = 0, segment = 0 } = place;
  return dropped(
    item,
    `what it kept of the items of ${migration}, step ${step}, segment ${segment}, is lost: a rollback refuses to go past it unless --accept-gaps is given, and leaves those items as they are`,
  );
}

export function mendHead(item: Item, { survey }: MigrationFacts): Mending {
  const { migration = '', step = 0, segment = 0, generation = 0, token = 0, attempt = 0, ...known } = salvage(headRecord, item);
  const writer = { migration, step, segment, generation, token, attempt };
  const written = survey.writtenBy(writer);
  if (written === undefined) return dropped(item, 'there is no part of a journal that it would count');
  const { parts = written.parts, entries = written.entries, left, after } = known;
  const record = {
    ...writer,
    parts,
    entries,
    ...(left === undefined ? {} : { left }),
    ...(after === undefined ? {} : { after }),
  };
  return rebuilt(headRecord, record, 'from the parts that are there; what is missing behind them is no longer missed');
}
