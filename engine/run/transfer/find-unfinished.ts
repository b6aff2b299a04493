import { type BlobStore, readText, within } from '../../core/transfer/blob-store.ts';
import { exportsFolder, planFile, summaryFile } from '../../core/transfer/export-layout.ts';
import {
  type ExportPlan,
  freshSegment,
  parsePlan,
  parseSegment,
  type SegmentProgress,
} from '../../core/transfer/export-progress.ts';
import type { SegmentRecords } from './export-environment.ts';

export interface UnfinishedExport {
  readonly id: string;
  readonly folder: BlobStore;
  readonly plan: ExportPlan;
  readonly segments: readonly SegmentProgress[];
}

/** The latest unfinished export of this table with these options, with how far each segment got. */
export async function findUnfinished(
  target: BlobStore,
  table: string,
  options: string,
  recordsOf: (folder: BlobStore) => SegmentRecords,
  signal?: AbortSignal,
): Promise<UnfinishedExport | undefined> {
  const names = (await target.list(`${exportsFolder}/`, signal)).map((entry) => entry.name);
  const ids = new Set(names.map((name) => name.split('/')[1] ?? ''));
  for (const id of [...ids].toSorted().toReversed()) {
    const root = `${exportsFolder}/${id}/`;
    if (names.includes(root + summaryFile) || !names.includes(root + planFile)) continue;
    const folder = within(target, root);
    const plan = parsePlan(await readText(folder, planFile, signal));
    if (plan?.table === table && plan.options === options) {
      return { id, folder, plan, segments: await segmentsOf(id, folder, plan, recordsOf(folder)) };
    }
  }
  return undefined;
}

/** A segment whose files are not all there as recorded begins again. */
async function segmentsOf(
  id: string,
  folder: BlobStore,
  plan: ExportPlan,
  records: SegmentRecords,
): Promise<readonly SegmentProgress[]> {
  const found = new Map((await folder.list('data/')).map(({ name, bytes }) => [name, bytes]));
  const segments: SegmentProgress[] = [];
  for (let segment = 0; segment < plan.segments; segment += 1) {
    const progress = parseSegment(await records.read(id, segment));
    const whole = progress.files.every(({ name, bytes }) => found.get(name) === bytes);
    segments.push(whole ? progress : freshSegment);
  }
  return segments;
}
