/** The time spellings of the sources. All are UTC; conversions go by the calendar, never by the machine's zone. */

export const secondsPerMinute = 60;
export const secondsPerHour = 3_600;
export const secondsPerDay = 86_400;

const brazilian = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{2}):(\d{2}):(\d{2})$/;
const iso = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;
const isoDate = /^\d{4}-\d{2}-\d{2}$/;

/** `14/11/2025 10:30:00` as `2025-11-14T10:30:00Z`; undefined when it is no such time. */
export function brazilianToIso(text: string): string | undefined {
  const found = brazilian.exec(text);
  if (!found) return undefined;
  const [, day, month, year, hour, minute, second] = found;
  const candidate = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  return isIsoTime(candidate) ? candidate : undefined;
}

/** `2025-11-14T10:30:00Z` as `14/11/2025 10:30:00`; a fraction of a second has no place there and is left out. */
export function isoToBrazilian(text: string): string | undefined {
  if (!isIsoTime(text)) return undefined;
  const [date = '', time = ''] = text.split('T');
  const [year, month, day] = date.split('-');
  return `${day}/${month}/${year} ${time.slice(0, 8)}`;
}

/** A full ISO 8601 time in UTC that exists in the calendar. */
export function isIsoTime(text: string): boolean {
  if (!iso.test(text)) return false;
  const seconds = `${text.slice(0, 19)}Z`;
  const parsed = Date.parse(seconds);
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(text.slice(0, 19));
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

export function isoOfEpochSeconds(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}
