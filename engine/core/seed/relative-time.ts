import type { TimeSpelling } from '../../../tables/model/attributes.ts';
import {
  isoOfEpochSeconds,
  isoToBrazilian,
  secondsPerDay,
  secondsPerHour,
  secondsPerMinute,
} from '../../../tables/model/time.ts';

/**
 * Times counted from the moment that a set was loaded: `now`, `now-2h`, `now-3h+1d`, in units s, m, h, d, w. A record gives
 * one as the whole value of a time attribute; a raw item holds it in a text with its spelling, as in
 * `ORDER#{now-2d:iso}#order_1`.
 */
const secondsPer: Readonly<Record<string, number>> = {
  s: 1,
  m: secondsPerMinute,
  h: secondsPerHour,
  d: secondsPerDay,
  w: 7 * secondsPerDay,
};

const term = /([+-])(\d{1,9})([smhdw])/g;
const relative = /^now(?:[+-]\d{1,9}[smhdw])*$/;
const embedded = /\{(now(?:[+-]\d{1,9}[smhdw])*):(iso|br|epoch|ms|day)\}/g;

export const relativeTimeHint = 'now, now-2h or now+3d (units s, m, h, d, w)';

/** Seconds from now, or undefined when the text is no relative time. */
export function relativeSeconds(text: string): number | undefined {
  if (!relative.test(text)) return undefined;
  let seconds = 0;
  for (const [, sign, amount, unit = ''] of text.matchAll(term)) {
    seconds += (sign === '-' ? -1 : 1) * Number(amount) * (secondsPer[unit] ?? 0);
  }
  return seconds;
}

/** Meant as a relative time, rightly or wrongly written. */
export function looksRelative(text: string): boolean {
  // By its first letters: this runs for every time of every row.
  return text.startsWith('now') && /^now\b/.test(text);
}

export function spellTime(epochSeconds: number, spelling: TimeSpelling): string {
  const iso = isoOfEpochSeconds(epochSeconds);
  switch (spelling) {
    case 'iso':
      return iso;
    case 'day':
      return iso.slice(0, 10);
    case 'brazilian':
      return isoToBrazilian(iso) ?? iso;
    case 'epoch':
      return String(epochSeconds);
  }
}

const spellings: Readonly<Record<string, (epochSeconds: number) => string>> = {
  iso: (seconds) => spellTime(seconds, 'iso'),
  br: (seconds) => spellTime(seconds, 'brazilian'),
  day: (seconds) => spellTime(seconds, 'day'),
  epoch: (seconds) => spellTime(seconds, 'epoch'),
  ms: (seconds) => `${seconds}000`,
};

/** The text with every `{now…:spelling}` in it replaced. */
export function fillTimes(text: string, anchor: number): string {
  return text.replaceAll(embedded, (_, time: string, spelling: string) => {
    const seconds = anchor + (relativeSeconds(time) ?? 0);
    return spellings[spelling]?.(seconds) ?? '';
  });
}
