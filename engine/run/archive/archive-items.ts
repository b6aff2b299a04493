import { TablewrightError } from '../../../tables/model/error.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import {
  type ArchivePlan,
  archivePlanFile,
  archiveReportFile,
  parseArchivePlan,
  printArchivePlan,
} from '../../../tables/model/transfer/archive-plan.ts';
import { abandonedAfterMs, type BlobStore, readText, within } from '../../core/transfer/blob-store.ts';
import type { FileCodec } from '../../core/transfer/codec.ts';
import { exportsFolder } from '../../core/transfer/export-layout.ts';
import { checkFiles } from '../transfer/check-files.ts';
import type { ExportResult } from '../transfer/export-environment.ts';
import { findFinished } from '../transfer/find-finished.ts';
import { type ExportFile, type OpenExport, openExport } from '../transfer/open-export.ts';

export interface ArchiveItemsEnvironment {
  readonly target: BlobStore;
  readonly codec: FileCodec;
  readonly nowMs: () => number;
  /** Exports what is older than the moment. */
  readonly exportOlder: (plan: ArchivePlan) => Promise<ExportResult>;
  /** Deletes what is archived in the folder. */
  readonly removal: (folder: BlobStore) => ItemRemoval;
  readonly signal?: AbortSignal | undefined;
}

export interface ItemRemoval {
  /** Puts back what a killed run had deleted and found changed. */
  begin(): Promise<void>;
  /** Deletes the items of a file that are still as they were archived; undefined when it was stopped before its end. */
  remove(file: ExportFile): Promise<RemovedItems | undefined>;
}

export interface RemovedItems {
  readonly removed: number;
  /** They have changed since, or are gone. */
  readonly kept: number;
  /** Of those removed: changed in the same moment, and another item has their key. They lie under `late/` in the archive. */
  readonly late: number;
}

export interface ArchiveItemsRequest extends Pick<ArchivePlan, 'tableName' | 'by' | 'olderThan' | 'remove'> {
  readonly beforeSeconds: number;
}

export type ArchiveItemsResult =
  | ({ readonly outcome: 'complete'; readonly place: string; readonly items: number } & RemovedItems)
  | { readonly outcome: 'interrupted'; readonly archived: boolean };

/**
 * Writes items of a certain age to an export of their own and, where that is asked for, deletes them: only after the whole export
 * was read back, and each only while it is as it was archived. Killed at any moment and run again, it goes on: the moment that
 * divides old from young is kept, and so is the number of files whose items were dealt with.
 */
export async function archiveItems(
  environment: ArchiveItemsEnvironment,
  request: ArchiveItemsRequest,
): Promise<ArchiveItemsResult> {
  const { target, signal, nowMs } = environment;
  await target.clearUnfinished?.('', abandonedAfterMs);
  const plan = await planOf(environment, request);
  const written = await archived(environment, plan);
  if (written === undefined) return { outcome: 'interrupted', archived: false };
  const opened = await readBack(environment, written);
  const removed = plan.remove ? await removeAll(environment, plan, opened) : { removed: 0, kept: 0, late: 0 };
  if (removed === undefined || signal?.aborted) return { outcome: 'interrupted', archived: true };
  const items = opened.summary.itemCount;
  const report = { ...request, beforeSeconds: plan.beforeSeconds, items, ...removed, endedAt: isoOfEpochMs(nowMs()) };
  await opened.folder.write(archiveReportFile, Buffer.from(`${JSON.stringify(report, undefined, 2)}\n`));
  await target.remove([archivePlanFile]);
  return { outcome: 'complete', place: opened.place, items, ...removed };
}

async function planOf(environment: ArchiveItemsEnvironment, request: ArchiveItemsRequest): Promise<ArchivePlan> {
  const { target, signal, nowMs } = environment;
  const before = parseArchivePlan(await readText(target, archivePlanFile, signal));
  if (before !== undefined) {
    const same = (['tableName', 'by', 'olderThan', 'remove'] as const).every((name) => before[name] === request[name]);
    if (same) return before;
    throw new TablewrightError('CONFLICT', `${target.place}: an archive of items with other options is unfinished here`, {
      problems: [`then: ${JSON.stringify(before)}`, `now: ${JSON.stringify(request)}`],
      next: `Give the same options to go on, or remove ${archivePlanFile} there: what is archived stays.`,
    });
  }
  const plan = { ...request, startedAt: isoOfEpochMs(nowMs()), filesDone: 0, removed: 0, kept: 0, late: 0 };
  await target.write(archivePlanFile, Buffer.from(printArchivePlan(plan)));
  return plan;
}

/** The id of the complete export; of this run, or of one that was killed after it. */
async function archived(environment: ArchiveItemsEnvironment, plan: ArchivePlan): Promise<string | undefined> {
  const found = await findFinished(within(environment.target, exportsFolder), plan.startedAt, environment.signal);
  if (found !== undefined) return found.id;
  const result = await environment.exportOlder(plan);
  return result.outcome === 'complete' ? result.id : undefined;
}

/** Every file is there with the bytes that were written, by its own reading: before that, nothing is deleted. */
async function readBack({ target, codec, signal }: ArchiveItemsEnvironment, id: string): Promise<OpenExport> {
  const source = within(target, `${exportsFolder}/${id}`);
  const opened = await openExport({ source, parent: within(target, exportsFolder), codec, signal });
  await checkFiles(opened, opened.files, codec, signal);
  return opened;
}

async function removeAll(
  { target, removal, signal }: ArchiveItemsEnvironment,
  plan: ArchivePlan,
  opened: OpenExport,
): Promise<RemovedItems | undefined> {
  let { filesDone, removed, kept, late } = plan;
  const { begin, remove } = removal(opened.folder);
  await begin();
  for (const file of opened.files.slice(filesDone)) {
    if (signal?.aborted) return undefined;
    const one = await remove(file);
    if (one === undefined) return undefined;
    filesDone += 1;
    removed += one.removed;
    kept += one.kept;
    late += one.late;
    await target.write(archivePlanFile, Buffer.from(printArchivePlan({ ...plan, filesDone, removed, kept, late })));
  }
  return { removed, kept, late };
}
