import { TablewrightError } from '../../../../tables/model/error.ts';
import type { JobMemory } from '../../../core/transfer/native-store.ts';
import type { NativeEnvironment } from '../native/native-environment.ts';
import { type NativeExportOptions, nativeExportJob, runNativeExport } from '../native/run-export.ts';

/** A table as DynamoDB has exported it. */
export interface NativeSource {
  readonly arn: string;
  /** The key of its summary in the bucket. */
  readonly manifest: string;
}

/**
 * The export that a refresh reads a table from; undefined where point-in-time recovery is off. All runs of one refresh read the same one,
 * until it is forgotten: how far a run came is a place in its files, which is none in another export's.
 */
export async function nativeSource(
  environment: NativeEnvironment,
  request: NativeExportOptions,
): Promise<NativeSource | undefined> {
  const { native, memory, signal } = environment;
  const { enabled } = await native.pitr(request.tableName, signal);
  if (!enabled) return undefined;
  const kept = { ...memory, forget: async () => undefined };
  const result = await runNativeExport({ ...environment, memory: kept }, request);
  if (result.outcome === 'interrupted') throw new DOMException('stopped', 'AbortError');
  const { arn } = result;
  const { failure, manifest = '' } = result.export;
  if (result.outcome === 'complete') return { arn, manifest };
  await forgetNativeSource(memory, request);
  throw new TablewrightError('STORE_FAILED', `${arn}: the export failed: ${failure?.code ?? '?'}: ${failure?.message ?? ''}`, {
    next: 'Correct what it names, then run the command again; or give --portable to read the table.',
  });
}

/** The next refresh has another one made. */
export function forgetNativeSource(memory: JobMemory, request: NativeExportOptions): Promise<void> {
  return memory.forget(nativeExportJob(request));
}
