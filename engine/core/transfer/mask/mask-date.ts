import type { KeyedHash } from './permute.ts';

/** Forward only, so that what is kept for a while does not expire by its mask. */
const mostDays = 365;
const secondsPerDay = 86_400;

/** The days by which all dates of a subject move: order and distances of one subject's dates stay. */
export function shiftedBy(subject: string, hash: KeyedHash): number {
  return 1 + (Buffer.from(hash(`date|${subject}`)).readUInt32BE() % mostDays);
}

const dayFirst = /^(\d{4}-\d\d-\d\d)(.*)$/s;
const brazilian = /^(\d\d)\/(\d\d)\/(\d{4})(.*)$/s;

/** The date moved by whole days in its own spelling: ISO, `DD/MM/YYYY`, seconds or milliseconds since 1970; undefined when it is none. */
export function shiftDate(text: string, days: number): string | undefined {
  const [, day, rest = ''] = dayFirst.exec(text) ?? [];
  if (day !== undefined) return withRest(moved(day, days), rest);
  const [, date, month, year, end = ''] = brazilian.exec(text) ?? [];
  if (year !== undefined) {
    const after = moved(`${year}-${month}-${date}`, days);
    return after === undefined ? undefined : `${after.slice(8)}/${after.slice(5, 7)}/${after.slice(0, 4)}${end}`;
  }
  if (/^\d{9,10}$/.test(text)) return String(Number(text) + days * secondsPerDay);
  return /^\d{12,13}$/.test(text) ? String(Number(text) + days * secondsPerDay * 1_000) : undefined;
}

function withRest(day: string | undefined, rest: string): string | undefined {
  return day === undefined ? undefined : day + rest;
}

function moved(day: string, days: number): string | undefined {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(ms) ? undefined : new Date(ms + days * secondsPerDay * 1_000).toISOString().slice(0, 10);
}
