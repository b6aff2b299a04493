import type { Table } from '../../tables/model/table.ts';
import { secondsPerDay } from '../../tables/model/time.ts';
import { type AlarmValues, alarmDefaults, longestWindowSeconds } from '../../tables/stack-config/alarms.ts';

/** DynamoDB deletes expired items within a few days (Developer Guide, "Using time to live"). */
const deletionDelayDays = 2;

/**
 * How long a table may be written to without a deletion before something is wrong: its own retention and the delay. An
 * alarm looks back a week at most, so a table that keeps its items longer has no such alarm unless the stack sets one:
 * it would ring from the first week until the first items expire.
 */
export function ttlDefaults(table: Table): AlarmValues | undefined {
  if (table.ttl === undefined) return undefined;
  const retentions = table.entities.flatMap(({ ttl }) => (ttl === undefined ? [] : [ttl.seconds]));
  const longest = Math.max(0, ...retentions);
  const maxPeriods = longestWindowSeconds.longPeriods / secondsPerDay;
  const fits = longest > 0 && longest <= longestWindowSeconds.longPeriods;
  const periods = Math.min(Math.ceil(longest / secondsPerDay) + deletionDelayDays, maxPeriods);
  return { ...alarmDefaults.ttlDeletions, enabled: fits, periods: fits ? periods : maxPeriods };
}
