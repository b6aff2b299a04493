/** The time spellings of the sources. All are UTC; conversions go by the calendar, never by the machine's zone. */

export const secondsPerMinute = 60;
export const secondsPerHour = 3_600;
export const secondsPerDay = 86_400;

const brazilian = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{2}):(\d{2}):(\d{2})$/;
const iso = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;
const isoDate = /^\d{4}-\d{2}-\d{2}$/;

/** `14/11/2025 10:30:00` as `2025-11-14T10:30:00Z`; undefined when it is no such time. */
export function brazilianToIso(text: string): string | undefined {
  // A record has one time in several keys: the last answer is asked for again and again.
  if (last.text !== text) last = { text, iso: convertBrazilian(text) };
  return last.iso;
}

let last: { readonly text: string; readonly iso: string | undefined } = { text: '', iso: undefined };

function convertBrazilian(text: string): string | undefined {
  const found = brazilian.exec(text);
  if (!found) return undefined;
  const [, day, month, year, hour, minute, second] = found;
  const candidate = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  return isIsoTime(candidate) ? candidate : undefined;
}

/** `2025-11-14T10:30:00Z` as `14/11/2025 10:30:00`; a fraction of a second has no place there and is left out. */
export function isoToBrazilian(text: string): string | undefined {
  if (!isIsoTime(text)) return undefined;
  return `${text.slice(8, 10)}/${text.slice(5, 7)}/${text.slice(0, 4)} ${text.slice(11, 19)}`;
}

/** A full ISO 8601 time in UTC that exists in the calendar. By digits: this runs for every time of every record built. */
export function isIsoTime(text: string): boolean {
  if (!iso.test(text)) return false;
  const month = number(text, 5);
  const day = number(text, 8);
  if (month < 1 || month > 12 || day < 1) return false;
  if (day > 28 && day > daysIn(month, number(text, 0) * 100 + number(text, 2))) return false;
  return number(text, 11) < 24 && number(text, 14) < 60 && number(text, 17) < 60;
}

/** The two digits at a place. */
function number(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}

function daysIn(month: number, year: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

export function isIsoDate(text: string): boolean {
  return isoDate.test(text) && isIsoTime(`${text}T00:00:00Z`);
}

/** Whole seconds since 1970 of an ISO time, a Brazilian time or an epoch text; undefined for anything else. */
export function epochSecondsOf(text: string): number | undefined {
  if (/^\d{1,11}$/.test(text)) return Number(text);
  const isoText = isIsoTime(text) ? text : brazilianToIso(text);
  return isoText === undefined ? undefined : Math.floor(Date.parse(isoText) / 1_000);
}

/** With its thousandths of a second, as records of the ledger have it. */
export function isoOfEpochMs(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOfEpochSeconds(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}
