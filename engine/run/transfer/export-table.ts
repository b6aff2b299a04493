import pLimit from 'p-limit';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { schemaFile } from '../../../tables/model/transfer/table-schema.ts';
import { type BlobStore, within } from '../../core/transfer/blob-store.ts';
import { md5Of } from '../../core/transfer/codec.ts';
import {
  exportId,
  exportsFolder,
  filesFile,
  hashFilesOf,
  planFile,
  progressFolder,
  startedFile,
  summaryFile,
} from '../../core/transfer/export-layout.ts';
import { freshSegment, type SegmentProgress } from '../../core/transfer/export-progress.ts';
import { printFiles, printSummary } from '../../core/transfer/manifest.ts';
import { addTallies, type MaskTally } from '../../core/transfer/mask/mask-tally.ts';
import { ExportCounts, itemsOf } from './export-counts.ts';
import {
  type ExportEnvironment,
  type ExportRequest,
  type ExportResult,
  type SegmentRecords,
  segmentConcurrency,
} from './export-environment.ts';
import { ExportOwner, untilUnowned } from './export-owner.ts';
import { exportSegment } from './export-segment.ts';
import { findUnfinished } from './find-unfinished.ts';
import { folderRecords } from './folder-records.ts';
import { refuseSameKeys } from './refuse-same-keys.ts';
import { defaultTakeOverWaitMs } from './take-over.ts';

interface Started {
  readonly id: string;
  readonly folder: BlobStore;
  readonly startedAt: string;
  readonly resumed: boolean;
  readonly segments: readonly SegmentProgress[];
}

/**
 * Reads the table in segments and writes an export in DynamoDB's own layout. Killed at any moment and run again, it goes on
 * with the unfinished one; what has no summary manifest is no export.
 */
export async function exportTable(environment: ExportEnvironment, request: ExportRequest): Promise<ExportResult> {
  const startedMs = environment.clock.steadyMs();
  const started = await start(environment, request);
  const owner = new ExportOwner(started.folder, environment.clock, environment.randomId());
  await owner.take();
  // Whoever wrote them has lost the export to this run.
  await started.folder.clearUnfinished?.('', 0);
  environment.onEvent?.({
    kind: 'started',
    place: started.folder.place,
    id: started.id,
    resumed: started.resumed,
    segments: started.segments.length,
  });
  try {
    const counts = new ExportCounts(environment, started.segments, startedMs);
    const segments = await readSegments(environment, request, started, owner, counts);
    const items = itemsOf(segments);
    if (!segments.every((segment) => segment.done)) {
      await owner.leave();
      return { outcome: 'interrupted', id: started.id, place: started.folder.place, items };
    }
    await owner.check();
    const masked = await checkMask(environment, request, started, segments).catch((error: unknown) => {
      if (environment.signal?.aborted) return 'stopped' as const;
      throw error;
    });
    if (masked === 'stopped') {
      await owner.leave();
      return { outcome: 'interrupted', id: started.id, place: started.folder.place, items };
    }
    await finish(environment, request, started, segments);
    await owner.release();
    await removeProgress(started.folder);
    await recordsOf(environment)(started.folder).clear([started.id]);
    const { read, files, bytes, units, elapsedMs } = counts.progress(segments);
    const { id, resumed } = started;
    return { outcome: 'complete', id, place: started.folder.place, items, read, files, bytes, units, elapsedMs, resumed, masked };
  } finally {
    await owner.release();
  }
}

async function start(environment: ExportEnvironment, request: ExportRequest): Promise<Started> {
  const { target, nowMs, randomId, sleep, takeOverWaitMs = defaultTakeOverWaitMs, signal } = environment;
  const unfinished = await findUnfinished(target, request.tableName, request.options, recordsOf(environment), signal);
  if (unfinished !== undefined) {
    const { id, folder, plan, segments } = unfinished;
    await untilUnowned(folder, () => sleep(takeOverWaitMs, signal));
    return { id, folder, startedAt: plan.startedAt, resumed: true, segments };
  }
  await forgetComplete(environment);
  const startedMs = nowMs();
  const id = exportId(startedMs, randomId());
  const folder = within(target, `${exportsFolder}/${id}`);
  const startedAt = isoOfEpochMs(startedMs);
  await folder.write(startedFile, new Uint8Array());
  const plan = { table: request.tableName, options: request.options, segments: request.segments, startedAt };
  await folder.write(planFile, Buffer.from(JSON.stringify(plan)));
  return { id, folder, startedAt, resumed: false, segments: Array.from({ length: request.segments }, () => freshSegment) };
}

/** A run that ended between the summary and its records has left them. */
async function forgetComplete({ records, target, signal }: ExportEnvironment): Promise<void> {
  if (records === undefined) return;
  const names = (await target.list(`${exportsFolder}/`, signal)).map((entry) => entry.name);
  const complete = names.filter((name) => name.endsWith(`/${summaryFile}`)).map((name) => name.split('/')[1] ?? '');
  await records.clear(complete);
}

async function readSegments(
  environment: ExportEnvironment,
  request: ExportRequest,
  { id, folder, segments }: Started,
  owner: ExportOwner,
  counts: ExportCounts,
): Promise<readonly SegmentProgress[]> {
  const limit = pLimit(segmentConcurrency);
  // One segment's failure stops the others at their next page; what they have written stays.
  const stop = new AbortController();
  const signal = environment.signal === undefined ? stop.signal : AbortSignal.any([environment.signal, stop.signal]);
  const context = {
    environment: { ...environment, signal },
    request,
    folder,
    keep: (segment: number, text: string) => recordsOf(environment)(folder).write(id, segment, text),
    segments: segments.length,
    checkOwner: () => owner.check(),
    onPage: (read: number, exported: number, units: number) => counts.page(read, exported, units),
    onFile: (bytes: number) => counts.file(bytes),
  };
  const work = segments.map((before, segment) =>
    limit(async () => {
      try {
        const after = await exportSegment(context, segment, before);
        if (after.done) counts.segmentDone();
        return after;
      } catch (error) {
        stop.abort();
        throw error;
      }
    }),
  );
  const ended = await Promise.allSettled(work);
  const failed = ended.filter((end) => end.status === 'rejected').map((end) => end.reason as unknown);
  const cause = failed.find((reason) => !(reason instanceof Error && reason.name === 'AbortError')) ?? failed[0];
  if (cause !== undefined && !environment.signal?.aborted) throw cause;
  return ended.map((end, segment) => (end.status === 'fulfilled' ? end.value : (segments[segment] ?? freshSegment)));
}

/** Where segments keep how far they got. */
function recordsOf({ records }: ExportEnvironment): (folder: BlobStore) => SegmentRecords {
  return (folder) => records ?? folderRecords(folder);
}

/** A mask has to have done what it is for, and no two keys may have become one, before there is an export. */
async function checkMask(
  { codec, signal }: ExportEnvironment,
  { mask, tableName }: ExportRequest,
  { folder }: Started,
  segments: readonly SegmentProgress[],
): Promise<MaskTally | undefined> {
  if (mask === undefined) return undefined;
  const tally = segments.reduce((sum, segment) => addTallies(sum, segment.tally ?? {}), {} as MaskTally);
  mask.check(tally);
  const files = segments
    .flatMap((segment) => segment.files)
    .map((file) => ({ ...file, shown: `${folder.place}/${file.name}`, store: folder }));
  await refuseSameKeys(tableName, mask.key, files, codec, signal);
  return tally;
}

/** The summary comes last: an export without one is unfinished. */
async function finish(
  { codec, nowMs }: ExportEnvironment,
  request: ExportRequest,
  { id, folder, startedAt }: Started,
  segments: readonly SegmentProgress[],
): Promise<void> {
  const prefix = folder.s3?.prefix ?? `${exportsFolder}/${id}/`;
  const written = segments.flatMap((segment) => segment.files);
  const files = written.map(({ name, itemCount, md5, etag }) => ({ itemCount, md5, etag, key: prefix + name }));
  const summary = {
    exportArn: `${request.tableArn}/export/${id}`,
    tableArn: request.tableArn,
    startTime: startedAt,
    endTime: isoOfEpochMs(nowMs()),
    exportTime: startedAt,
    itemCount: itemsOf(segments),
    kind: 'full' as const,
  };
  const s3Prefix = prefix.slice(0, prefix.lastIndexOf(`${exportsFolder}/${id}/`)).replace(/\/$/, '');
  const place = { bucket: folder.s3?.bucket ?? '', prefix: s3Prefix, manifestKey: prefix + filesFile };
  const filesText = Buffer.from(printFiles(files));
  const summaryText = Buffer.from(printSummary(summary, place, request.remarks));
  if (request.schema !== undefined) await folder.write(schemaFile, Buffer.from(request.schema));
  await folder.write(filesFile, filesText);
  await folder.write(hashFilesOf(filesFile)[0] ?? '', Buffer.from(md5Of(codec, filesText)));
  await folder.write(hashFilesOf(summaryFile)[0] ?? '', Buffer.from(md5Of(codec, summaryText)));
  await folder.write(summaryFile, summaryText);
}

async function removeProgress(folder: BlobStore): Promise<void> {
  const left = await folder.list(`${progressFolder}/`);
  await folder.remove(left.map((entry) => entry.name));
}
