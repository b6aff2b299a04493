import { TablewrightError } from '../../../tables/model/error.ts';
import type { BlobStore } from '../../core/transfer/blob-store.ts';
import { type FileCodec, md5Of } from '../../core/transfer/codec.ts';
import { badExport, type ExportFile, type OpenExport } from './open-export.ts';

const newLine = 0x0a;
const mostProblems = 20;

export interface CsvSource {
  readonly source: BlobStore;
  /** Only this file of it; every one that ends with .csv or .csv.gz when left out. */
  readonly only?: string | undefined;
  /** Reads CSV as the lines of an export; tells what is wrong through `problems`. */
  readonly codec: FileCodec;
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * CSV files as if they were an export: every record is read and typed once before anything is written, and what is wrong with any
 * is told together. The same content is the same import, wherever it lies.
 */
export async function openCsv({ source, only, codec, problems, signal }: CsvSource): Promise<OpenExport> {
  const names = (await source.list('', signal))
    .map(({ name }) => name)
    .filter((name) => (only === undefined ? /\.csv(\.gz)?$/.test(name) : name === only));
  if (names.length === 0) throw badExport(source.place, ['expected files that end with .csv or .csv.gz, found none']);
  const files: ExportFile[] = [];
  const told: string[] = [];
  for (const name of names) {
    const before = problems.length;
    const shown = `${source.place.replace(/\/$/, '')}/${name}`;
    const counted = await count(source, name, codec, signal);
    told.push(...problems.slice(before).map(({ line, problem }) => `${shown}:${line}: ${problem}`));
    files.push({ shown, store: source, name, ...counted });
  }
  if (told.length > 0) throw wrongCells(source.place, told);
  const itemCount = files.reduce((sum, file) => sum + file.itemCount, 0);
  const digest = md5Of(codec, Buffer.from(files.map(({ md5 }) => md5).join()));
  const id = `csv-${Buffer.from(digest, 'base64').toString('hex')}`;
  const summary = {
    exportArn: id,
    tableArn: 'a CSV file',
    startTime: '',
    endTime: '',
    exportTime: '',
    itemCount,
    kind: 'full' as const,
  };
  return { id, place: source.place, folder: source, summary, files, identity: id };
}

function wrongCells(place: string, told: readonly string[]): TablewrightError {
  const more = told.length - mostProblems;
  return new TablewrightError('BAD_EXPORT', `${place}: not all records are items of the table`, {
    problems: [...told.slice(0, mostProblems), ...(more > 0 ? [`and ${more} more`] : [])],
    next: 'Nothing was written. Correct them, then run the command again.',
  });
}

async function count(source: BlobStore, name: string, codec: FileCodec, signal: AbortSignal | undefined) {
  const chunks = await source.read(name, signal);
  const digest = codec.md5();
  async function* tapped(): AsyncGenerator<Uint8Array> {
    if (chunks === undefined) return;
    for await (const chunk of chunks) {
      digest.update(chunk);
      yield chunk;
    }
  }
  let itemCount = 0;
  for await (const line of codec.unpack(tapped())) {
    signal?.throwIfAborted();
    if (line[0] !== newLine) itemCount += 1;
  }
  return { itemCount, md5: digest.base64() };
}
