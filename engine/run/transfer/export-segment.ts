import type { Item } from '../../../tables/model/attribute-value.ts';
import type { BlobStore } from '../../core/transfer/blob-store.ts';
import type { Packer } from '../../core/transfer/codec.ts';
import { dataFile } from '../../core/transfer/export-layout.ts';
import { parseItem, printItem, printItemLines } from '../../core/transfer/export-line.ts';
import { printSegment, type SegmentProgress } from '../../core/transfer/export-progress.ts';
import type { ItemMasker } from '../../core/transfer/mask/mask-item.ts';
import { addTallies } from '../../core/transfer/mask/mask-tally.ts';
import type { RawItem } from '../../core/transfer/split-answer.ts';
import type { ReadContext } from '../store/read-pages.ts';
import { scanPage } from '../store/read-pages.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { defaultFileBytes, type ExportEnvironment, type ExportRequest } from './export-environment.ts';

/** What the segments of a run share. */
export interface SegmentContext {
  readonly environment: ExportEnvironment;
  readonly request: ExportRequest;
  /** The export's own folder. */
  readonly folder: BlobStore;
  /** Keeps how far a segment got. */
  readonly keep: (segment: number, text: string) => Promise<void>;
  readonly segments: number;
  /** Throws when another run has taken over; asked before every record. */
  readonly checkOwner: () => Promise<void>;
  readonly onPage: (read: number, exported: number, units: number) => void;
  readonly onFile: (bytes: number) => void;
}

/** A data file that is being filled. */
interface OpenFile {
  readonly packer: Packer;
  readonly masker: ItemMasker | undefined;
  items: number;
  textBytes: number;
}

/** Exports one segment from where it was. Gives what there is of it, done or not. */
export async function exportSegment(context: SegmentContext, segment: number, before: SegmentProgress): Promise<SegmentProgress> {
  const { environment, request } = context;
  const { signal } = environment;
  let progress = before;
  let file = openFile(context);
  let read = before.read;
  let cursor = before.cursor;
  let coming = before.done ? undefined : nextPage(context, segment, cursor);
  while (!progress.done) {
    const page = await coming;
    if (page === undefined || signal?.aborted) {
      // Stopped: what is in the open file is written and recorded, so that the next run goes on behind it.
      return file.items === 0 ? progress : closeFile(context, segment, file, { ...progress, cursor, read });
    }
    cursor = page.next;
    const done = cursor === undefined;
    // The next page is on its way while this one is packed.
    coming = done ? undefined : nextPage(context, segment, cursor);
    coming?.catch(() => undefined);
    const exported = await addItems(file, request, page.items);
    read += page.items.length;
    context.onPage(page.items.length, exported, page.units);
    if (!done && file.textBytes < (request.fileBytes ?? defaultFileBytes)) continue;
    progress = await closeFile(context, segment, file, { ...progress, cursor, done, read });
    file = openFile(context);
  }
  return progress;
}

function openFile({ environment, request }: SegmentContext): OpenFile {
  return { packer: environment.codec.packer(), masker: request.mask?.masker(), items: 0, textBytes: 0 };
}

function nextPage({ environment, request, segments }: SegmentContext, segment: number, cursor: Item | undefined) {
  const { store, gates, sleep, random, onEvent, signal } = environment;
  const onRetry: ReadContext['onRetry'] = ({ cause, delayMs }) => onEvent?.({ kind: 'retry', cause, delayMs });
  const part = { TableName: request.tableName, Segment: segment, TotalSegments: segments, ConsistentRead: request.consistent };
  const place = cursor === undefined ? {} : { ExclusiveStartKey: cursor };
  const page = scanPage({ store, gates, sleep, random, onRetry }, { ...part, ...place }, signal);
  return untilStopped(page, signal);
}

async function addItems(file: OpenFile, { tableName, shape }: ExportRequest, items: readonly RawItem[]): Promise<number> {
  const { masker } = file;
  const isPlain = shape === undefined && masker === undefined;
  const kept = isPlain ? items : items.flatMap((item) => shaped(tableName, item, shape, masker));
  if (kept.length === 0) return 0;
  const lines = printItemLines(kept);
  file.items += kept.length;
  file.textBytes += lines.length;
  await file.packer.add(lines);
  return kept.length;
}

function shaped(
  tableName: string,
  raw: RawItem,
  shape: ExportRequest['shape'],
  masker: ItemMasker | undefined,
): readonly RawItem[] {
  const item = parseItem(tableName, raw);
  const wanted = shape === undefined ? item : shape(item);
  const masked = wanted === undefined || masker === undefined ? wanted : masker.apply(wanted);
  return masked === undefined ? [] : [printItem(masked)];
}

/** The data file first, then the record that lists it. */
async function closeFile(
  context: SegmentContext,
  segment: number,
  file: OpenFile,
  progress: SegmentProgress,
): Promise<SegmentProgress> {
  const { folder } = context;
  const name = dataFile(segment, progress.files.length + 1);
  const { bytes, md5 } = await file.packer.finish();
  const { etag } = await folder.write(name, bytes);
  const written = { name, itemCount: file.items, md5, etag, bytes: bytes.byteLength };
  const tally = file.masker === undefined ? {} : { tally: addTallies(progress.tally ?? {}, file.masker.take()) };
  const after = { ...progress, ...tally, files: [...progress.files, written] };
  await context.checkOwner();
  await context.keep(segment, printSegment(after));
  context.onFile(bytes.byteLength);
  return after;
}
