import type { KeyedHash } from './permute.ts';

/** Forward only, so that what is kept for a while does not expire by its mask. */
const mostDays = 365;
const secondsPerDay = 86_400;

/** The days by which all dates of a subject move: order and distances of one subject's dates stay. */
export function shiftedBy(subject: string, hash: KeyedHash): number {
  return 1 + (Buffer.from(hash(`date|${subject}`)).readUInt32BE() % mostDays);
}

/** Nothing but a time may stand behind a day: what else is there is no date, and is masked as a whole. */
const time = String.raw`(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?)?`;
const dayFirst = new RegExp(`^(\\d{4})-(\\d\\d)-(\\d\\d)(${time})$`);
const brazilian = new RegExp(`^(\\d\\d)/(\\d\\d)/(\\d{4})(${time})$`);
const compact = /^((?:19|20)\d\d)(\d\d)(\d\d)$/;
/** Seconds since 1970 have up to ten digits, milli-, micro- and nanoseconds three more each. Less than a few days are no date. */
const epoch = /^(-?)(\d{7,19})(\.\d+)?$/;

type Day = readonly [year: string, month: string, day: string];

/** The day that a text says, and how it is written. */
function readDay(text: string): { readonly day: Day; readonly write: (day: Day) => string } | undefined {
  const iso = dayFirst.exec(text);
  if (iso !== null) return { day: dayAt(iso, 1, 2, 3), write: (day) => day.join('-') + (iso[4] ?? '') };
  const turned = brazilian.exec(text);
  if (turned !== null) return { day: dayAt(turned, 3, 2, 1), write: (day) => day.toReversed().join('/') + (turned[4] ?? '') };
  const digits = compact.exec(text);
  return digits === null ? undefined : { day: dayAt(digits, 1, 2, 3), write: (day) => day.join('') };
}

function dayAt(found: RegExpExecArray, year: number, month: number, day: number): Day {
  return [found[year] ?? '', found[month] ?? '', found[day] ?? ''];
}

/** Year, month and day of a date that is written as such. */
export function dayOf(text: string): Day | undefined {
  const day = readDay(text)?.day;
  return day === undefined || moved(day, 0) === undefined ? undefined : day;
}

/** The date moved by whole days in its own spelling: ISO, `DD/MM/YYYY`, `YYYYMMDD`, time since 1970; undefined when it is none. */
export function shiftDate(text: string, days: number): string | undefined {
  const found = readDay(text);
  const after = found === undefined ? undefined : moved(found.day, days);
  return found === undefined || after === undefined ? sinceEpoch(text, days) : found.write(after);
}

/** Undefined where the calendar has no such day. */
function moved([year, month, day]: Day, days: number): Day | undefined {
  const ms = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(8, 10) !== day) return undefined;
  const [, ...parts] = /^(\d{4})-(\d\d)-(\d\d)T/.exec(new Date(ms + days * secondsPerDay * 1_000).toISOString()) ?? [];
  return parts.length === 3 ? (parts as unknown as Day) : undefined;
}

function sinceEpoch(text: string, days: number): string | undefined {
  const [, sign, digits, fraction = ''] = epoch.exec(text) ?? [];
  // Below nought a fraction points back; nobody spells dates so.
  if (digits === undefined || (sign === '-' && fraction !== '')) return undefined;
  const perSecond = 1_000n ** BigInt(Math.max(0, Math.ceil((digits.length - 10) / 3)));
  return String(BigInt(sign + digits) + BigInt(days * secondsPerDay) * perSecond) + fraction;
}
