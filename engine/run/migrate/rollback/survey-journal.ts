import type { SegmentRecord, StepRecord } from '../../../../tables/model/ledger/migration-records.ts';
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
  const steps = begunSteps(await reader.steps(id), segments);
  const gaps: PlacedGap[] = [];
  const torn = new Set<string>();
  const former: StepRecord[] = [];
  const problems: string[] = [];
  const entries = new Map<StepRecord, number>();
  for (const step of steps.filter(isJournalled)) {
    const tables = new Set<string>();
    for (const unit of journalsOf(step)) {
      session.stop.throwIfAborted();
      const found = await surveyJournal(session, unit, segments);
      gaps.push(...found.gaps.map((gap) => ({ ...gap, where: whereOf(step, unit) })));
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
export function journalsOf({ migration, generation, step, segments }: StepRecord): readonly JournalOf[] {
  const all = Array.from({ length: segments + 1 }, (_, segment) => ({ migration, generation, step, segment }));
  return all.toReversed();
}

/** Of a step whose record is lost, its segments still tell. */
function begunSteps(steps: readonly StepRecord[], segments: readonly SegmentRecord[]): readonly StepRecord[] {
  const identity = ({ generation, step }: Pick<StepRecord, 'generation' | 'step'>) => `${generation} ${step}`;
  const known = new Map(steps.map((record) => [identity(record), record]));
  for (const { migration, generation, step, pass, segments: count } of segments) {
    const place = { migration, generation, step };
    if (pass !== 'apply' || known.has(identity(place))) continue;
    known.set(identity(place), { ...place, name: String(step + 1), kind: 'backfill', segments: count, done: false });
  }
  return [...known.values()].toSorted((a, b) => b.generation - a.generation || b.step - a.step);
}

async function surveyJournal({ reader, environment }: Session, unit: JournalOf, segments: readonly SegmentRecord[]) {
  const parts: PartOutline[] = [];
  const tables = new Set<string>();
  let former = false;
  let entries = 0;
  for await (const part of reader.parts(unit)) {
    const counting = journalEntries(environment.codec, part).length;
    entries += counting;
    const skipped = part.skipped?.length ?? 0;
    const isFormer = !('attempt' in part);
    if (isFormer) former = true;
    else tables.add(part.table);
    const before = isFormer ? undefined : part.before;
    parts.push({ place: placeOfPart(part), count: isFormer ? counting + skipped : part.count, before, skipped });
  }
  const own = segments.filter(({ generation, step, segment }) => isOf(unit, { generation, step, segment }));
  const checkpoint = own.find(({ pass }) => pass === 'apply');
  const heads = await reader.heads(unit);
  // Its own checkpoint may be lost; what it took away of a writer's parts stands in that writer's head.
  const undoing = own.some(({ pass }) => pass === 'rollback') || heads.some(({ left }) => left !== undefined);
  return { gaps: journalGaps({ heads, parts, checkpoint, undoing }), tables, former, entries };
}

function isOf(unit: JournalOf, { generation, step, segment }: Omit<JournalOf, 'migration'>): boolean {
  return unit.generation === generation && unit.step === step && unit.segment === segment;
}

function unknownTables(tables: readonly Table[], names: ReadonlySet<string>): readonly string[] {
  return [...names].filter((wanted) => !tables.some(({ name }) => name === wanted));
}
