import type {
  ExecutionRecord,
  SegmentRecord,
  StepRecord,
  SurveyedJournal,
} from '../../../../tables/model/ledger/migration-records.ts';
import type { Table } from '../../../../tables/model/table.ts';
import { type PlannedRollback, rollbackProblems } from '../../../core/migrate/decide-rollback.ts';
import { isPassKind } from '../../../core/migrate/define-migration.ts';
import { placeOfPart } from '../../../core/migrate/journal.ts';
import { journalGaps, type PartOutline, type PlacedGap } from '../../../core/migrate/journal-gaps.ts';
import { journalEntries } from '../../ledger/journal-entries.ts';
import type { JournalOf } from '../../ledger/ledger-reader.ts';
import type { Session } from '../../ledger/session.ts';

/** What the ledger knows of a migration that is to be undone. */
export interface SurveyedMigration extends PlannedRollback {
  /** Those that were begun, the newest first. */
  readonly steps: readonly StepRecord[];
  /** How many entries the journal has of a step. */
  readonly entriesOf: (step: StepRecord) => number;
  /** What keeps it from being undone. */
  readonly problems: readonly string[];
  readonly gaps: readonly PlacedGap[];
  /** Nothing is missing of this journal. */
  readonly isWhole: (unit: JournalOf) => boolean;
}

/** Looks at the whole journal of a migration before anything of it is undone: is all of it there, and can all of it be undone? */
export async function surveyMigration(session: Session, planned: PlannedRollback): Promise<SurveyedMigration> {
  const { reader, environment } = session;
  const { id, counts, state } = planned.state;
  const segments = await reader.allSegments(id);
  const steps = begunSteps(await reader.steps(id), segments, await reader.executions(id));
  const gaps: PlacedGap[] = [];
  const torn = new Set<string>();
  const former: StepRecord[] = [];
  const problems: string[] = [];
  const entries = new Map<StepRecord, number>();
  for (const step of steps.filter(isJournalled)) {
    const tables = new Set<string>();
    const surveys = await surveysElsewhere(session, id, step);
    for (const unit of journalsOf(step)) {
      session.stop.throwIfAborted();
      const own = segments.filter((record) => isOf(unit, record));
      const found = surveys === undefined ? await surveyJournal(session, unit, own) : surveys.get(unit.segment);
      if (found === undefined) throw session.stop.reason;
      gaps.push(...found.gaps.map(({ what, items }) => ({ what, items, where: whereOf(step, unit) })));
      if (found.gaps.length > 0) torn.add(whichOf(unit));
      for (const table of found.tables) tables.add(table);
      if (found.former) former.push(step);
      entries.set(step, (entries.get(step) ?? 0) + found.entries);
    }
    problems.push(
      ...unknownTables(environment.tables, tables).map((name) => `${id}: step ${step.name}: ${name} is no table of this stack`),
    );
  }
  // One that is being rolled back may be as good as done.
  if (steps.length === 0 && counts.changed > 0 && state !== 'rolling-back') {
    gaps.push({ where: id, what: 'the ledger knows no step of it, and changes were counted', items: counts.changed });
  }
  const entriesOf = (step: StepRecord): number => entries.get(step) ?? 0;
  const isWhole = (unit: JournalOf): boolean => !torn.has(whichOf(unit));
  return { ...planned, steps, entriesOf, gaps, isWhole, problems: [...problems, ...rollbackProblems(planned, steps, former)] };
}

const whichOf = ({ generation, step, segment }: JournalOf): string => `${generation} ${step} ${segment}`;

/** For people to see. */
export const whereOf = ({ migration, name }: StepRecord, { segment }: JournalOf): string =>
  `${migration}, step ${name}, segment ${segment + 1}`;

export const isJournalled = ({ kind, carried }: StepRecord): boolean => isPassKind(kind) && carried !== true;

/** The journals of a step; one more than it has segments: retried dead letters have their own behind the last, and come first. */
export function journalsOf({ migration, generation, step, segments, spread }: StepRecord): readonly JournalOf[] {
  const where = spread === undefined ? {} : { spread };
  const all = Array.from({ length: segments + 1 }, (_, segment) => ({ migration, generation, step, segment, ...where }));
  return all.toReversed();
}

/** Of a step whose record is lost, its segments still tell, or the execution that was at it. */
function begunSteps(
  steps: readonly StepRecord[],
  segments: readonly SegmentRecord[],
  executions: readonly ExecutionRecord[],
): readonly StepRecord[] {
  const identity = ({ generation, step }: Pick<StepRecord, 'generation' | 'step'>) => `${generation} ${step}`;
  const known = new Map(steps.map((record) => [identity(record), record]));
  const workers = executions.map(({ segments: count = 0, ...record }) => ({
    ...record,
    pass: 'apply' as const,
    segments: count,
    spread: true,
  }));
  for (const { migration, generation, step, pass, segments: count, spread } of [...segments, ...workers]) {
    const place = { migration, generation, step };
    if (pass !== 'apply' || known.has(identity(place)) || count === 0) continue;
    const where = spread === undefined ? {} : { spread };
    known.set(identity(place), { ...place, name: String(step + 1), kind: 'backfill', segments: count, done: false, ...where });
  }
  return [...known.values()].toSorted((a, b) => b.generation - a.generation || b.step - a.step);
}

/** What workers have found of the journals of a step, by their segments; undefined where everybody looks for himself. */
async function surveysElsewhere(
  session: Session,
  id: string,
  step: StepRecord,
): Promise<ReadonlyMap<number, SurveyedJournal | undefined> | undefined> {
  if (session.elsewhere === undefined) return undefined;
  const units = journalsOf(step).map(({ segment }) => segment);
  const run = { ...session, id, generation: step.generation };
  const records = await session.elsewhere.pass(run, step, { pass: 'rollback', units, survey: true });
  return new Map(records.map(({ segment, found }) => [segment, found]));
}

/** Looks at one journal; `own` are its segment's records. Undefined when it was stopped first. */
export async function surveyJournal(
  { reader, environment, stop }: Pick<Session, 'reader' | 'environment' | 'stop'>,
  unit: JournalOf,
  own: readonly SegmentRecord[],
): Promise<SurveyedJournal | undefined> {
  const parts: PartOutline[] = [];
  const tables = new Set<string>();
  let former = false;
  let entries = 0;
  for await (const part of reader.parts(unit)) {
    if (stop.aborted) return undefined;
    const counting = journalEntries(environment.codec, part).length;
    entries += counting;
    const skipped = part.skipped?.length ?? 0;
    const isFormer = !('attempt' in part);
    if (isFormer) former = true;
    else tables.add(part.table);
    const before = isFormer ? undefined : part.before;
    parts.push({ place: placeOfPart(part), count: isFormer ? counting + skipped : part.count, before, skipped });
  }
  const checkpoint = own.find(({ pass }) => pass === 'apply');
  const heads = await reader.heads(unit);
  // Its own checkpoint may be lost; what it took away of a writer's parts stands in that writer's head.
  const undoing = own.some(isUndoing) || heads.some(({ left }) => left !== undefined);
  const gaps = journalGaps({ heads, parts, checkpoint, undoing });
  const plain = gaps.map(({ what, items }) => (items === undefined ? { what } : { what, items }));
  return { gaps: plain, tables: [...tables], former, entries };
}

/** A record that only says what was found is none of an undoing. */
function isUndoing({ pass, undoing, counts, found }: SegmentRecord): boolean {
  return pass === 'rollback' && (found === undefined || undoing !== undefined || counts.scanned > 0);
}

function isOf(unit: JournalOf, { generation, step, segment }: Pick<SegmentRecord, 'generation' | 'step' | 'segment'>): boolean {
  return unit.generation === generation && unit.step === step && unit.segment === segment;
}

function unknownTables(tables: readonly Table[], names: ReadonlySet<string>): readonly string[] {
  return [...names].filter((wanted) => !tables.some(({ name }) => name === wanted));
}
