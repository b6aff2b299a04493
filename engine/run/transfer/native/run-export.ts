import { TablewrightError } from '../../../../tables/model/error.ts';
import { exportWindowProblems } from '../../../core/transfer/export-window.ts';
import type { NativeExport, NativeExportRequest } from '../../../core/transfer/native-store.ts';
import { type NativeEnvironment, poll } from './native-environment.ts';

export interface NativeExportOptions extends Omit<NativeExportRequest, 'tableArn' | 'token'> {
  readonly tableName: string;
}

export type NativeExportResult =
  | { readonly outcome: 'complete'; readonly arn: string; readonly export: NativeExport }
  | { readonly outcome: 'failed'; readonly arn: string; readonly export: NativeExport }
  | { readonly outcome: 'interrupted'; readonly arn: string };

/**
 * Starts an export, or picks up the one that an interrupted run has started, and waits for its end. Interrupted, it leaves the
 * export running: its ARN is remembered, and should that be lost, DynamoDB's list of running exports tells it.
 */
export async function runNativeExport(environment: NativeEnvironment, options: NativeExportOptions): Promise<NativeExportResult> {
  const { native, memory, signal, onEvent, steadyMs } = environment;
  await preflight(environment, options);
  const tableArn = await native.tableArn(options.tableName, signal);
  const job = nativeExportJob(options);
  const known = (await remembered(environment, job)) ?? (await running(environment, tableArn, options));
  const arn = known ?? (await native.startExport({ ...options, tableArn, token: environment.token() }, signal));
  await memory.set(job, arn);
  onEvent?.({ kind: known === undefined ? 'started' : 'picked-up', arn });
  const startedMs = steadyMs();
  const ended = await poll(environment, async () => {
    const found = await native.exportJob(arn, signal);
    if (found === undefined) throw vanished(arn);
    const { status, items } = found;
    const detail = items === undefined ? '' : `${items} items`;
    onEvent?.({ kind: 'waiting', what: 'export', status, elapsedMs: steadyMs() - startedMs, detail });
    return status === 'IN_PROGRESS' ? undefined : found;
  });
  if (ended === undefined) return { outcome: 'interrupted', arn };
  await memory.forget(job);
  return { outcome: ended.status === 'COMPLETED' ? 'complete' : 'failed', arn, export: ended };
}

/** The same command has the same name, whenever it is run. */
export function nativeExportJob({ tableName, bucket, prefix, asOf, window }: NativeExportOptions): string {
  const when = window === undefined ? (asOf ?? 'latest') : `${window.from}..${window.to}/${window.images}`;
  return `export ${tableName} s3://${bucket}/${prefix} ${when}`;
}

async function remembered({ native, memory, signal }: NativeEnvironment, job: string): Promise<string | undefined> {
  const arn = await memory.get(job);
  if (arn === undefined) return undefined;
  const found = await native.exportJob(arn, signal);
  return found === undefined ? undefined : arn;
}

async function running({ native, signal }: NativeEnvironment, tableArn: string, wanted: NativeExportOptions) {
  const kind = wanted.window === undefined ? 'full' : 'incremental';
  // A full export as of a certain moment is not any running one.
  if (wanted.asOf !== undefined) return undefined;
  const same = (await native.runningExports(tableArn, signal)).find(
    (job) =>
      job.kind === kind &&
      job.bucket === wanted.bucket &&
      job.prefix.replace(/\/$/, '') === wanted.prefix.replace(/\/$/, '') &&
      (wanted.window === undefined ||
        (sameTime(job.window?.from, wanted.window.from) && sameTime(job.window?.to, wanted.window.to))),
  );
  return same?.arn;
}

function sameTime(a: string | undefined, b: string): boolean {
  return a !== undefined && Math.floor(Date.parse(a) / 1_000) === Math.floor(Date.parse(b) / 1_000);
}

async function preflight({ native, signal }: NativeEnvironment, options: NativeExportOptions): Promise<void> {
  const { tableName } = options;
  const pitr = await native.pitr(tableName, signal);
  if (!pitr.enabled) {
    throw new TablewrightError(
      'PREFLIGHT_FAILED',
      `${tableName}: point-in-time recovery is off, and DynamoDB exports from its log`,
      {
        next: "Switch it on (tablewright:pitr in the stack's file, then 'npx pulumi up'), or export with --portable.",
      },
    );
  }
  const problems = exportWindowProblems(options, pitr);
  if (problems.length === 0) return;
  throw new TablewrightError('BAD_ARGUMENT', `${tableName}: DynamoDB would not export this`, {
    problems,
    next: `What can be exported reaches from ${pitr.earliest ?? '?'} to ${pitr.latest ?? '?'}.`,
  });
}

function vanished(arn: string): TablewrightError {
  return new TablewrightError('STORE_FAILED', `${arn}: DynamoDB does not know this export any more`, {
    next: 'Run the command again; it starts another one.',
  });
}
