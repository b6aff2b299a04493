import { type BlobStore, readText } from '../../core/transfer/blob-store.ts';
import { summaryFile } from '../../core/transfer/export-layout.ts';
import { parseSummary } from '../../core/transfer/manifest.ts';

export interface FinishedExport {
  readonly id: string;
  readonly items: number;
}

/** The latest complete export of a folder that began no earlier than this: of a run that was killed after it was complete. */
export async function findFinished(folder: BlobStore, since: string, signal?: AbortSignal): Promise<FinishedExport | undefined> {
  const summaries = (await folder.list('', signal)).filter(({ name }) => name.endsWith(`/${summaryFile}`));
  for (const { name } of summaries.toReversed()) {
    const summary = parseSummary((await readText(folder, name, signal)) ?? '');
    if ('value' in summary && summary.value.startTime >= since)
      return { id: name.split('/')[0] ?? '', items: summary.value.itemCount };
  }
  return undefined;
}
