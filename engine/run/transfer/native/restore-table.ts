import { TablewrightError } from '../../../../tables/model/error.ts';
import type { RestoreRequest } from '../../../core/transfer/native-store.ts';
import type { NativeEnvironment, TargetTable } from './native-environment.ts';
import { type SettledTable, settleTable } from './settle-table.ts';

export type RestoreResult =
  | { readonly outcome: 'complete'; readonly settled: SettledTable }
  | { readonly outcome: 'interrupted' };

/**
 * Restores into a new table and puts back what a restore loses. Interrupted and run again, it waits for the same restore, unless its table was
 * deleted since: then there is nothing to wait for.
 */
export async function restoreTable(
  environment: NativeEnvironment,
  target: TargetTable,
  request: RestoreRequest,
): Promise<RestoreResult> {
  const { native, store, memory, signal, onEvent } = environment;
  const job = `restore ${target.tableName} ${request.from === 'backup' ? request.backupArn : `${request.source} ${request.time ?? 'latest'}`}`;
  const known = await remembered(environment, job, target.tableName);
  if (known === undefined) {
    await refuseExisting(store, target.tableName, signal);
    await preflight(environment, request);
    await native.restore(request, signal);
    await memory.set(job, target.tableName);
  }
  onEvent?.({ kind: known === undefined ? 'started' : 'picked-up', arn: target.tableName });
  const settled = await settleTable(environment, target);
  if (settled === undefined) return { outcome: 'interrupted' };
  await memory.forget(job);
  return { outcome: 'complete', settled };
}

async function remembered(
  { store, memory, signal, onEvent }: NativeEnvironment,
  job: string,
  tableName: string,
): Promise<string | undefined> {
  const known = await memory.get(job);
  if (known === undefined || (await store.describeTable(tableName, signal)) !== undefined) return known;
  onEvent?.({ kind: 'left', arn: known, why: `${tableName} is gone` });
  await memory.forget(job);
  return undefined;
}

async function refuseExisting(
  store: NativeEnvironment['store'],
  tableName: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  if ((await store.describeTable(tableName, signal)) === undefined) return;
  throw new TablewrightError('CONFLICT', `${tableName} is there already, and a restore only makes new tables`, {
    next: 'Take another name with --as.',
  });
}

async function preflight({ native, signal }: NativeEnvironment, request: RestoreRequest): Promise<void> {
  if (request.from === 'backup') {
    const backup = await native.backup(request.backupArn, signal);
    if (backup?.status === 'AVAILABLE') return;
    throw new TablewrightError(
      'PREFLIGHT_FAILED',
      `${request.backupArn}: expected an AVAILABLE backup, found ${backup?.status ?? 'none'}`,
      {
        next: "'tablewright backup list' shows what there is.",
      },
    );
  }
  const { enabled, earliest, latest } = await native.pitr(request.source, signal);
  if (!enabled) {
    throw new TablewrightError(
      'PREFLIGHT_FAILED',
      `${request.source}: point-in-time recovery is off, there is nothing to restore from`,
      {
        next: "Restore from a backup instead; 'tablewright backup list' shows what there is.",
      },
    );
  }
  if (request.time === undefined) return;
  const at = Date.parse(request.time);
  if (at >= Date.parse(earliest ?? '') && at <= Date.parse(latest ?? '')) return;
  throw new TablewrightError('BAD_ARGUMENT', `--to-time: ${request.time} cannot be restored`, {
    next: `Take a time from ${earliest ?? '?'} to ${latest ?? '?'}.`,
  });
}
