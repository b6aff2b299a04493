import { TablewrightError } from '../../../../tables/model/error.ts';
import { pitrOf } from '../../../../tables/model/stack/stack-config.ts';
import { tableTags } from '../../../../tables/model/stack/tags.ts';
import { compareTable, type TableDifference } from '../../../core/tables/compare-table.ts';
import { tagList } from '../../../core/tables/create-table.ts';
import { type NativeEnvironment, poll, type TargetTable } from './native-environment.ts';

/** What is left to do by other means. */
export interface SettledTable {
  readonly putBack: readonly string[];
  readonly differences: readonly TableDifference[];
}

/**
 * Gives a table that DynamoDB has made by itself what such tables lack (Developer Guide, "Restoring a DynamoDB table": TTL,
 * point-in-time recovery, tags and deletion protection are not restored), then compares it with the catalogue.
 */
export async function settleTable(environment: NativeEnvironment, target: TargetTable): Promise<SettledTable | undefined> {
  const { native, store, config, signal, onEvent } = environment;
  const { table, tableName } = target;
  const description = await untilActive(environment, tableName);
  if (description === undefined) return undefined;
  const putBack: string[] = [];
  const done = (what: string): void => {
    putBack.push(what);
    onEvent?.({ kind: 'put-back', what });
  };
  if (table.ttl !== undefined && description.ttl.status === 'DISABLED') {
    await store.enableTtl(tableName, table.ttl, signal);
    done(`TTL on ${table.ttl}`);
  }
  const recovery = pitrOf(table, config);
  if (recovery.enabled && !(await native.pitr(tableName, signal)).enabled) {
    await native.setPitr(tableName, recovery.recoveryDays, signal);
    done(`point-in-time recovery over ${recovery.recoveryDays} days`);
  }
  const arn = await native.tableArn(tableName, signal);
  const wanted = tagList(tableTags(table, config));
  const present = await native.tags(arn, signal);
  const missing = wanted.filter(({ Key, Value }) => present[Key] !== Value);
  if (missing.length > 0) {
    await native.tag(arn, missing, signal);
    done(`tags ${missing.map(({ Key }) => Key).join(', ')}`);
  }
  if (config.protect) {
    await native.protect(tableName, signal);
    done('deletion protection');
  }
  const found = await store.describeTable(tableName, signal);
  const differences = compareTable(table, config, found).map((difference) => ({ ...difference, table: tableName }));
  return { putBack, differences };
}

/**
 * DescribeTable may lag behind a table that was made a moment ago (API reference, DescribeTable); what it does not see for so long was deleted.
 */
const longestMissingMs = 60_000;

/** Undefined when the signal came first. */
export function untilActive(environment: NativeEnvironment, tableName: string) {
  const { store, signal, onEvent, steadyMs } = environment;
  const startedMs = steadyMs();
  let seenMs = startedMs;
  return poll(environment, async () => {
    const found = await store.describeTable(tableName, signal);
    const status = found?.status ?? 'missing';
    const nowMs = steadyMs();
    if (found !== undefined) seenMs = nowMs;
    else if (nowMs - seenMs >= longestMissingMs) throw gone(tableName);
    const elapsedMs = nowMs - startedMs;
    const waiting = found?.indexes.filter((index) => index.status !== 'ACTIVE').length ?? 0;
    onEvent?.({ kind: 'waiting', what: tableName, status, elapsedMs, detail: waiting > 0 ? `${waiting} indexes to come` : '' });
    return found !== undefined && status === 'ACTIVE' && waiting === 0 ? found : undefined;
  });
}

function gone(tableName: string): TablewrightError {
  return new TablewrightError('TABLE_MISSING', `${tableName}: DynamoDB was to make it, and it is not there any more`, {
    next: 'Somebody deleted it. Run the command again: it begins anew.',
  });
}
