import { type BlobStore, readText } from '../../core/transfer/blob-store.ts';
import { segmentFile } from '../../core/transfer/export-layout.ts';
import type { SegmentRecords } from './export-environment.ts';

/** Records of segments beside the export; they go with the rest of its progress. */
export function folderRecords(folder: BlobStore): SegmentRecords {
  return {
    read: (_, segment, signal) => readText(folder, segmentFile(segment), signal),
    write: async (_, segment, text) => void (await folder.write(segmentFile(segment), Buffer.from(text))),
    clear: async () => undefined,
  };
}
