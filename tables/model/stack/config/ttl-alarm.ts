import type { Table } from '../../table.ts';
import { secondsPerDay } from '../../time.ts';
import { type AlarmValues, alarmDefaults, longestWindowSeconds, resolveAlarm, type TableAlarmSettings } from './alarms.ts';

/** DynamoDB deletes expired items within a few days (Developer Guide, "Using time to live"). */
const deletionDelayDays = 2;

const longestWindowDays = longestWindowSeconds.longPeriods / secondsPerDay;

type TtlRule = TableAlarmSettings['ttlDeletions'];

export interface TtlAlarm extends AlarmValues {
  /** The day from which items must have expired; the alarm is silent before it. */
  readonly from: string | undefined;
  /** Whether the window alone keeps the alarm silent until the first items can have expired. */
  readonly isCovered: boolean;
}

/**
 * The alarm on a table that is written to and yet loses nothing, day after day. A new table is like that until its first
 * items expire and DynamoDB gets to them. Where that fits into the week that an alarm sees, its window covers it; where it
 * does not, or where only the application knows how long items live, the alarm is off unless the stack's file gives a day.
 */
export function ttlAlarm(table: Pick<Table, 'ttl' | 'entities'>, stack: TtlRule, own: TtlRule): TtlAlarm | undefined {
  if (table.ttl === undefined) return undefined;
  const neededDays = silentDays(table);
  const fits = neededDays !== undefined && neededDays <= longestWindowDays;
  const from = own?.from ?? stack?.from;
  const usual = {
    ...alarmDefaults.ttlDeletions,
    enabled: fits || from !== undefined,
    periods: fits ? neededDays : longestWindowDays,
  };
  const values = resolveAlarm(usual, stack, own);
  const windowDays = (values.periodSeconds * values.periods) / secondsPerDay;
  return { ...values, from, isCovered: neededDays !== undefined && windowDays >= neededDays };
}

/** How many days a new table loses nothing; unknown where no entity says how long its items live. */
export function silentDays({ entities }: Pick<Table, 'entities'>): number | undefined {
  const lifetimes = entities.flatMap(({ ttl }) => (ttl === undefined ? [] : [ttl.seconds]));
  if (lifetimes.length === 0) return undefined;
  return Math.ceil(Math.max(...lifetimes) / secondsPerDay) + deletionDelayDays;
}
