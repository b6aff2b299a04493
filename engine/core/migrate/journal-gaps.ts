import { TablewrightError } from '../../../tables/model/error.ts';
import type { HeadRecord, JournalPart } from '../../../tables/model/ledger/journal-records.ts';
import type { PartPlace, SegmentRecord } from '../../../tables/model/ledger/migration-records.ts';
import { plural } from '../show/numbers.ts';

/** What is known of a part without its entries. Parts of before format 2 do not say how many came before them. */
export interface PartOutline {
  readonly place: PartPlace;
  readonly count: number;
  readonly before: number | undefined;
  readonly skipped: number;
}

/** The journal of one segment in one generation. */
export interface SegmentJournal {
  readonly heads: readonly HeadRecord[];
  readonly parts: readonly PartOutline[];
  /** The segment's checkpoint; undefined where there is none, as of retried dead letters. */
  readonly checkpoint: SegmentRecord | undefined;
  /** A rollback has begun on it, so that there may be less than was written. */
  readonly undoing: boolean;
}

export interface JournalGap {
  /** What is missing. */
  readonly what: string;
  /** Items that it may hold; undefined when nothing tells. */
  readonly items: number | undefined;
}

export type PlacedGap = JournalGap & {
  /** Migration, step and segment. */
  readonly where: string;
};

export function gapError(gaps: readonly PlacedGap[], sofar: string): TablewrightError {
  return new TablewrightError('JOURNAL_GAP', `a part of the journal is missing, so not everything can be restored; ${sofar}`, {
    problems: gaps.map(({ where, what, items }) => `${where}: ${what}: ${held(items)}`),
    next: "Run 'tablewright rollback --accept-gaps' to restore the rest and leave those items as they are, or restore the table to a point in time.",
  });
}

const held = (items: number | undefined): string =>
  items === undefined ? 'how many items it held cannot be told' : `it may hold ${plural(items, 'item')}`;

interface Extent {
  readonly parts: number;
  readonly entries: number;
}

/** One writer's parts, and how many there should be. */
interface Writer {
  readonly name: string;
  readonly isFormer: boolean;
  readonly parts: readonly PartOutline[];
  /** Undefined when nothing tells. */
  readonly expected: Extent | undefined;
}

/** What is missing of a journal. Pure; see docs/design/migrations.md for what can be found out and what cannot. */
export function journalGaps(journal: SegmentJournal): readonly JournalGap[] {
  const gaps = writersOf(journal).flatMap((writer) => (writer.isFormer ? holes(writer) : writerGaps(writer)));
  return gaps.length > 0 ? gaps : shortage(journal);
}

const nameOf = ({ token, attempt }: Pick<PartPlace, 'token' | 'attempt'>): string =>
  attempt === undefined || attempt === 0 ? `token ${token}` : `token ${token}, attempt ${attempt}`;

/** Every writer that left parts or a head, or that another record names. */
function writersOf({ heads, parts, checkpoint }: SegmentJournal): readonly Writer[] {
  const expected = new Map<string, Extent | undefined>();
  const former = new Set<string>();
  for (const { place } of parts) {
    expected.set(nameOf(place), undefined);
    if (place.attempt === undefined) former.add(nameOf(place));
  }
  if (checkpoint?.attempt !== undefined && checkpoint.chunks > 0) expected.set(nameOf(checkpoint), undefined);
  for (const [name, extent] of extentsOf(heads)) expected.set(name, extent);
  return [...expected].map(([name, extent]) => ({
    name,
    isFormer: former.has(name),
    parts: parts.filter(({ place }) => nameOf(place) === name).toSorted((a, b) => a.place.sequence - b.place.sequence),
    expected: extent,
  }));
}

/** What there should be of every writer that heads tell of. */
function extentsOf(heads: readonly HeadRecord[]): ReadonlyMap<string, Extent> {
  const extents = new Map<string, Extent>();
  // Who came after a writer knows what it had written in the end; its own head, which a rollback lowers, knows better.
  for (const { after } of heads) if (after !== undefined) extents.set(nameOf(after), after);
  for (const head of heads) extents.set(nameOf(head), head.left ?? head);
  return extents;
}

/**
 * Follows a journal that was found whole while it is undone, the newest part first: one that is lost in between is missed before an
 * older one is settled, which would lower the head and so forget it.
 */
export class JournalWalk {
  readonly #left: Map<string, Extent>;

  constructor(heads: readonly HeadRecord[]) {
    this.#left = new Map(extentsOf(heads));
  }

  /** What is missing between the part before and this one. Parts of before format 2 say nothing of it. */
  meet(part: JournalPart): JournalGap | undefined {
    if (!('attempt' in part)) return undefined;
    const name = nameOf(part);
    const left = this.#left.get(name);
    this.#left.set(name, { parts: part.sequence, entries: part.before });
    if (left === undefined || left.parts <= part.sequence + 1) return undefined;
    return gap(name, part.sequence + 1, left.parts, left.entries - part.before - part.count);
  }

  /** What is missing behind the last one. */
  end(): readonly JournalGap[] {
    return [...this.#left].flatMap(([name, { parts, entries }]) => (parts > 0 ? [gap(name, 0, parts, entries)] : []));
  }
}

function writerGaps({ name, parts, expected }: Writer): readonly JournalGap[] {
  const gaps: JournalGap[] = [];
  let end: Extent = { parts: 0, entries: 0 };
  for (const { place, before = 0, count } of parts) {
    if (place.sequence > end.parts) gaps.push(gap(name, end.parts, place.sequence, before - end.entries));
    end = { parts: place.sequence + 1, entries: before + count };
  }
  if (expected === undefined) {
    gaps.push({
      what: `${name}: its head is missing, so what is missing behind part ${end.parts} cannot be told`,
      items: undefined,
    });
  } else if (end.parts < expected.parts) gaps.push(gap(name, end.parts, expected.parts, expected.entries - end.entries));
  return gaps;
}

/** `to` is not missing any more. */
function gap(name: string, from: number, to: number, items: number): JournalGap {
  const which = to - from === 1 ? `part ${from + 1} is` : `parts ${from + 1} to ${to} are`;
  return { what: `${name}: ${which} missing`, items };
}

/** Parts of before format 2 begin anywhere and do not say where they end. */
function holes({ name, parts }: Writer): readonly JournalGap[] {
  return parts.flatMap(({ place: { sequence } }, at) => {
    const previous = parts[at - 1]?.place.sequence ?? sequence - 1;
    if (sequence === previous + 1) return [];
    return [{ ...gap(name, previous + 1, sequence, 0), items: undefined }];
  });
}

/** Each change that the checkpoint counts has its entry. */
function shortage({ parts, checkpoint, undoing }: SegmentJournal): readonly JournalGap[] {
  if (undoing || checkpoint === undefined) return [];
  const entries = parts.reduce((sum, { count, skipped }) => sum + count - skipped, 0);
  const items = checkpoint.counts.changed - entries;
  const what = `${plural(checkpoint.counts.changed, 'change')} counted, ${entries} in its journal`;
  return items > 0 ? [{ what, items }] : [];
}
