import type { JsonValue } from '../item/dynamo-json.ts';
import { plural } from './numbers.ts';

/** What the catalogue says of an attribute, as far as showing it goes. */
export interface Hint {
  readonly kind?: string | undefined;
  readonly time?: string | null | undefined;
}

/** A stored value as people read it. No digit of a number is lost: numbers are texts and stay so. */
export function showValue(value: JsonValue | null, hint: Hint = {}, nowMs?: number): string {
  if (value === null) return '–';
  const [type = '', held] = Object.entries(value)[0] ?? [];
  if (type === 'N') return hint.time === 'epoch' ? showEpoch(String(held), nowMs) : groupDigits(String(held));
  if (type === 'S')
    return hint.time === 'iso' ? showIso(String(held)) : hint.kind === 'number' ? groupDigits(String(held)) : String(held);
  if (type === 'BOOL') return held === true ? 'yes' : 'no';
  if (type === 'NULL') return 'null';
  if (type === 'B') return plural(bytesIn(String(held)), 'byte');
  if (Array.isArray(held)) return showList(type, held);
  return `{ ${Object.entries(held as Readonly<Record<string, JsonValue>>)
    .map(([name, member]) => `${name}: ${showValue(member)}`)
    .join(', ')} }`;
}

/** Four letters of base64 are three bytes; what fills up the last four is none. */
function bytesIn(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}

function showList(type: string, held: readonly unknown[]): string {
  if (type === 'L') return `[${held.map((member) => showValue(member as JsonValue)).join(', ')}]`;
  if (type === 'BS') return `${held.length} binary values`;
  return held.map((member) => (type === 'NS' ? groupDigits(String(member)) : String(member))).join(', ');
}

/** `1234567.8901` as `1,234,567.8901`; what is written with an exponent stays as it is. */
export function groupDigits(number: string): string {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(number) ?? [];
  if (whole === '') return number;
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${rest}`;
}

/** `2025-11-14T10:30:00.250Z` as `2025-11-14 10:30:00.250`, UTC. */
function showIso(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T([\d:.]+)Z$/, '$1 $2');
}

/** Seconds since 1970 as a time, and how far that is from now. */
function showEpoch(text: string, nowMs: number | undefined): string {
  const seconds = Number(text);
  if (!/^\d{1,11}$/.test(text)) return groupDigits(text);
  const shown = `${new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')}`;
  if (nowMs === undefined) return shown;
  const away = Math.round(seconds - nowMs / 1_000);
  return `${shown} (${away < 0 ? `${showAway(-away)} ago` : `in ${showAway(away)}`})`;
}

const units = [
  [86_400 * 365, 'year'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

function showAway(seconds: number): string {
  const [size, name] = units.find(([least]) => seconds >= least) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** `90 days`, exactly: in the largest unit that it is a whole number of. */
export function showSpan(seconds: number): string {
  const [size, name] = units.find(([least, unit]) => unit !== 'year' && seconds >= least && seconds % least === 0) ?? [
    1,
    'second',
  ];
  return plural(seconds / size, name);
}
