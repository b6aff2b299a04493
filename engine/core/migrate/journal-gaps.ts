import type { HeadRecord } from '../../../tables/model/ledger/journal-records.ts';
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
  // Who came after a writer knows what it had written in the end; its own head, which a rollback lowers, knows better.
  for (const { after } of heads) if (after !== undefined) expected.set(nameOf(after), after);
  for (const head of heads) expected.set(nameOf(head), head.left ?? head);
  return [...expected].map(([name, extent]) => ({
    name,
    isFormer: former.has(name),
    parts: parts.filter(({ place }) => nameOf(place) === name).toSorted((a, b) => a.place.sequence - b.place.sequence),
    expected: extent,
  }));
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
