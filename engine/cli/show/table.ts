import type { Tone } from './paint.js';
import type { Sheet } from './screen.ts';
import { cutText, padText, textWidth } from './text-width.ts';

export interface Toned {
  readonly text: string;
  readonly tone: Tone;
}

export type Cell = string | number | Toned;

/** A column of a table, and what becomes of it where not all of them have room. */
export interface Column {
  readonly title: string;
  /** 0 stays in any case. Of the others the highest goes first. */
  readonly rank?: number;
  /** It may be cut to so many characters before any column goes; whole when left out. */
  readonly least?: number;
  /** Shown only where all others are whole. */
  readonly extra?: true;
  /** Numbers written as text. */
  readonly right?: true;
}

const gap = 2;
/** A column that stays in any case is cut to this, if there is no other way. */
const bareLeast = 6;

const textOf = (cell: Cell | undefined): string =>
  cell === undefined ? '' : typeof cell === 'object' ? cell.text : String(cell);

/**
 * Columns padded to their widest cell, numbers to the right. On a terminal no line is longer than its width: columns are cut
 * first, then left out, the least important first, and a line below says which.
 */
export function renderTable(page: Sheet, columns: readonly (string | Column)[], rows: readonly (readonly Cell[])[]): string {
  const all = columns.map((column): Column => (typeof column === 'string' ? { title: column } : column));
  const natural = all.map(({ title }, at) => Math.max(textWidth(title), ...rows.map((row) => textWidth(textOf(row[at])))));
  const { kept, widths } =
    page.columns === undefined ? { kept: natural.keys(), widths: natural } : fitColumns(all, natural, page.columns);
  const shown = [...kept];
  const line = (cells: readonly Cell[], tone?: Tone): string => {
    const padded = shown.map((at) => {
      const cell = cells[at] ?? '';
      const text = cutText(textOf(cell), widths[at] ?? 0);
      const isRight = typeof cell === 'number' || (all[at]?.right === true && tone === undefined);
      const last = at === shown.at(-1) && !isRight;
      const full = last ? text : padText(text, widths[at] ?? 0, isRight);
      const own = typeof cell === 'object' ? cell.tone : tone;
      return own === undefined ? full : full.replace(text, () => page.paint(own, text));
    });
    return padded.join(' '.repeat(gap)).trimEnd();
  };
  const rule = all.map((_, at) => '-'.repeat(widths[at] ?? 0));
  const lost = all.filter(({ title }, at) => !shown.includes(at) && title !== '').map(({ title }) => title);
  return [
    line(
      all.map(({ title }) => title),
      'strong',
    ),
    line(rule, 'soft'),
    ...rows.map((row) => line(row)),
    ...(lost.length === 0 ? [] : [page.paint('soft', leftOut(lost, page.columns ?? 0))]),
  ].join('\n');
}

function leftOut(titles: readonly string[], columns: number): string {
  const names = titles.join(', ');
  const sayings = [`(no room for ${names}: a wider terminal or --json shows them)`, `(no room for ${names}; see --json)`];
  return (
    sayings.find((one) => textWidth(one) <= columns) ?? cutText(`(no room for ${titles.length} columns; see --json)`, columns)
  );
}

/** Which columns stay, and how wide each of them is. */
export function fitColumns(
  columns: readonly Column[],
  natural: readonly number[],
  room: number,
): { readonly kept: readonly number[]; readonly widths: readonly number[] } {
  const wide = (at: number): number => natural[at] ?? 0;
  const least = (at: number): number => Math.min(wide(at), columns[at]?.least ?? wide(at));
  const rank = (at: number): number => columns[at]?.rank ?? (at === 0 ? 0 : 1);
  let kept = [...natural.keys()];
  const total = (width: (at: number) => number): number => kept.reduce((sum, at) => sum + width(at) + gap, -gap);
  const leave = (goes: number): void => {
    kept = kept.filter((at) => at !== goes);
  };
  for (const at of kept.toReversed()) if (columns[at]?.extra === true && total(wide) > room) leave(at);
  const leaving = kept.filter((at) => rank(at) > 0).toSorted((a, b) => rank(b) - rank(a) || b - a);
  const gone = leaving.filter((at) => {
    if (total(least) <= room) return false;
    leave(at);
    return true;
  });
  // One that is wide has gone last: narrow ones that went before it may have room again.
  for (const at of gone.toReversed()) {
    kept = [...kept, at].toSorted((a, b) => a - b);
    if (total(least) > room) leave(at);
  }
  const widths = [...natural];
  const shorten = (at: number, to: number): void => {
    const present = widths[at] ?? 0;
    const over = total((one) => widths[one] ?? 0) - room;
    // Never wider again than it has become already.
    widths[at] = Math.max(Math.min(present, to), present - Math.max(0, over));
  };
  const byRank = kept.toSorted((a, b) => rank(b) - rank(a) || wide(b) - wide(a));
  // Titles stay readable as long as that is possible at all.
  for (const to of [(at: number) => Math.max(least(at), bareLeast), () => bareLeast, least]) {
    for (const at of byRank) shorten(at, to(at));
  }
  return { kept, widths };
}
