import { TablewrightError } from '../../../../tables/model/error.ts';
import { createTableRequest } from '../../../core/tables/create-table.ts';
import type { NativeImport } from '../../../core/transfer/native-store.ts';
import { type NativeEnvironment, poll, type TargetTable } from './native-environment.ts';
import { type SettledTable, settleTable } from './settle-table.ts';

/** DynamoDB Developer Guide, "Import format quotas": an import reads at most this many objects. */
export const maxImportObjects = 50_000;

export interface NativeImportOptions extends TargetTable {
  readonly bucket: string;
  /** The folder of the data files. */
  readonly prefix: string;
  readonly objects: number;
  readonly kmsKey?: string | undefined;
}

/** As many of the log's errors are told; the log has the rest. */
export const mostErrorsTold = 20;

export type NativeImportResult =
  | {
      readonly outcome: 'complete';
      readonly import: NativeImport;
      readonly problems: readonly string[];
      readonly settled: SettledTable;
    }
  | { readonly outcome: 'failed'; readonly import: NativeImport; readonly problems: readonly string[] }
  | { readonly outcome: 'interrupted'; readonly arn: string };

/** Has DynamoDB make the table from the export, as the catalogue describes it, and sets what an import cannot. */
export async function runNativeImport(environment: NativeEnvironment, options: NativeImportOptions): Promise<NativeImportResult> {
  const { native, memory, signal, onEvent, steadyMs, config } = environment;
  const job = `import s3://${options.bucket}/${options.prefix} ${options.tableName}`;
  const known = await remembered(environment, job, options.tableName);
  const arn = known ?? (await start(environment, options));
  await memory.set(job, arn);
  onEvent?.({ kind: known === undefined ? 'started' : 'picked-up', arn });
  const startedMs = steadyMs();
  const ended = await poll(environment, async () => {
    const found = await native.importJob(arn, signal);
    if (found === undefined) {
      await memory.forget(job);
      throw new TablewrightError('STORE_FAILED', `${arn}: DynamoDB does not know this import any more`, {
        next: 'Run the command again; it starts another one.',
      });
    }
    const detail = `${found.imported} of ${found.processed} items imported, ${found.errors} errors`;
    onEvent?.({ kind: 'waiting', what: 'import', status: found.status, elapsedMs: steadyMs() - startedMs, detail });
    return found.status === 'IN_PROGRESS' || found.status === 'CANCELLING' ? undefined : found;
  });
  if (ended === undefined) return { outcome: 'interrupted', arn };
  const problems = await problemsOf(environment, ended);
  if (ended.status !== 'COMPLETED') {
    await memory.forget(job);
    return { outcome: 'failed', import: ended, problems };
  }
  const settled = await settleTable({ ...environment, config }, options);
  if (settled === undefined) return { outcome: 'interrupted', arn };
  await memory.forget(job);
  return { outcome: 'complete', import: ended, problems, settled };
}

/**
 * The import that an earlier run has started, unless there is nothing left of it to wait for: DynamoDB knows it no more, or it
 * has ended and its table was deleted since.
 */
async function remembered(environment: NativeEnvironment, job: string, tableName: string): Promise<string | undefined> {
  const { native, store, memory, signal, onEvent } = environment;
  const arn = await memory.get(job);
  if (arn === undefined) return undefined;
  const found = await native.importJob(arn, signal);
  const running = found?.status === 'IN_PROGRESS' || found?.status === 'CANCELLING';
  if (running || (found !== undefined && (await store.describeTable(tableName, signal)) !== undefined)) return arn;
  const why = found === undefined ? 'DynamoDB does not know it any more' : `it has ended, and ${tableName} is gone`;
  onEvent?.({ kind: 'left', arn, why });
  await memory.forget(job);
  return undefined;
}

/** What was wrong with single items, from the import's log. That it cannot be read changes nothing about the import. */
async function problemsOf({ native, signal }: NativeEnvironment, ended: NativeImport): Promise<readonly string[]> {
  if (ended.errors === 0) return [];
  try {
    const found = await native.importErrors(ended.arn, ended.logGroup, mostErrorsTold, signal);
    return found.map(({ place, messages }) => [...(place === undefined ? [] : [place]), messages.join('; ')].join(': '));
  } catch (error) {
    return [`the import's log could not be read: ${error instanceof Error ? error.message : String(error)}`];
  }
}

async function start(environment: NativeEnvironment, options: NativeImportOptions): Promise<string> {
  const { native, store, config, signal } = environment;
  const { table, tableName, bucket, prefix, objects, kmsKey } = options;
  if (objects > maxImportObjects) {
    throw new TablewrightError(
      'PREFLIGHT_FAILED',
      `the export has ${objects} files; ImportTable reads at most ${maxImportObjects}`,
      {
        next: 'Import it into a table that is there (leave --native out).',
      },
    );
  }
  if ((await store.describeTable(tableName, signal)) !== undefined) {
    throw new TablewrightError('CONFLICT', `${tableName} is there already, and ImportTable only makes new tables`, {
      next: 'Leave --native out to import into it, or take another name with --as.',
    });
  }
  const { Tags: _, ...creation } = createTableRequest(table, config);
  const request = { bucket, prefix, kmsKey, table: { ...creation, TableName: tableName }, token: environment.token() };
  return native.startImport(request, signal);
}
