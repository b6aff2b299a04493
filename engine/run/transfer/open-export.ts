import { TablewrightError } from '../../../tables/model/error.ts';
import { type BlobStore, readText, within } from '../../core/transfer/blob-store.ts';
import { type FileCodec, md5Of } from '../../core/transfer/codec.ts';
import { exportsFolder, filesFile, hashFilesOf, relativeDataFile, summaryFile } from '../../core/transfer/export-layout.ts';
import {
  type DataFileEntry,
  type ExportSummary,
  hashAgrees,
  type ParsedManifest,
  parseFiles,
  parseSummary,
} from '../../core/transfer/manifest.ts';

export interface ExportFile {
  /** As people find it: place and name. */
  readonly shown: string;
  readonly store: BlobStore;
  readonly name: string;
  readonly itemCount: number;
  readonly md5: string;
}

export interface OpenExport {
  readonly id: string;
  readonly place: string;
  readonly folder: BlobStore;
  readonly summary: ExportSummary;
  readonly files: readonly ExportFile[];
  /** The same for the same export, wherever it lies. */
  readonly identity: string;
}

export interface SourceStores {
  /** What the user named. */
  readonly source: BlobStore;
  /** The folder above it, where incremental exports keep their data. */
  readonly parent: BlobStore | undefined;
  readonly codec: FileCodec;
  readonly signal?: AbortSignal | undefined;
}

/** Finds the export at a place and reads its manifests; whatever is wrong with them is told together. */
export async function openExport(stores: SourceStores): Promise<OpenExport> {
  const { folder, parent } = await findFolder(stores);
  const { codec, signal } = stores;
  const summaryText = await manifestText(folder, summaryFile, codec, signal);
  const summary = parsed(folder, summaryFile, parseSummary(summaryText));
  const filesText = await manifestText(folder, filesFile, codec, signal);
  const entries = parsed(folder, filesFile, parseFiles(filesText));
  const total = entries.reduce((sum, entry) => sum + entry.itemCount, 0);
  if (total !== summary.itemCount) {
    const problem = `itemCount: ${summaryFile} says ${summary.itemCount}, the files of ${filesFile} add up to ${total}`;
    throw badExport(folder.place, [problem]);
  }
  const id = summary.exportArn.slice(summary.exportArn.lastIndexOf('/') + 1);
  const files = filesOf({ folder, parent }, id, entries);
  const identity = `${id}#${Buffer.from(md5Of(codec, Buffer.from(filesText)), 'base64').toString('hex')}`;
  return { id, place: folder.place, folder, summary, files, identity };
}

/** A manifest may name files of its export only, wherever that was copied to. */
function filesOf({ folder, parent }: Found, id: string, entries: readonly DataFileEntry[]): readonly ExportFile[] {
  const problems: string[] = [];
  const files = entries.flatMap(({ itemCount, md5, key }, at) => {
    const found = relativeDataFile(id, key);
    if (found === undefined) {
      problems.push(`${filesFile}:${at + 1}: dataFileS3Key: expected a file of this export, found ${JSON.stringify(key)}`);
      return [];
    }
    const { shared, name } = found;
    const store = shared && parent !== undefined ? parent : folder;
    return [{ shown: `${store.place.replace(/\/$/, '')}/${name}`, store, name, itemCount, md5 }];
  });
  if (problems.length > 0) throw badExport(folder.place, problems);
  return files;
}

interface Found {
  readonly folder: BlobStore;
  readonly parent: BlobStore | undefined;
}

async function findFolder({ source, parent, signal }: SourceStores): Promise<Found> {
  const names = (await source.list('', signal)).map((entry) => entry.name);
  if (names.includes(summaryFile)) return { folder: source, parent };
  if (
    [source.place, ...names].some((name) => /\.csv(?:\.gz)?$/.test(name)) &&
    !names.some((name) => name.endsWith(summaryFile))
  ) {
    throw new TablewrightError('BAD_EXPORT', `${source.place}: CSV, and no export`, { next: 'Give --csv to import CSV files.' });
  }
  if (names.length === 0) {
    throw new TablewrightError('BAD_EXPORT', `${source.place}: there is nothing here`, {
      next: `Name the place that 'tablewright export' printed, or the folder above ${exportsFolder}/.`,
    });
  }
  const summaries = names.filter((name) => new RegExp(`^(${exportsFolder}/)?[^/]+/${summaryFile}$`).test(name));
  const [only] = summaries;
  if (only !== undefined && summaries.length === 1) {
    const folder = only.slice(0, -summaryFile.length);
    return { folder: within(source, folder), parent: within(source, folder.replace(/[^/]+\/$/, '')) };
  }
  if (summaries.length > 1) throw several(source, summaries);
  const begun = names.some((name) => /(^|\/)(_started|_tablewright\/plan\.json)$/.test(name));
  if (begun) {
    throw new TablewrightError('BAD_EXPORT', `${source.place}: the export is unfinished: it has no ${summaryFile}`, {
      next: 'Run the same export command again; it goes on where it was. Then import it.',
    });
  }
  throw new TablewrightError(
    'BAD_EXPORT',
    `${source.place}: no export: expected ${summaryFile}, found ${names.length} other files`,
    {
      problems: names.slice(0, 5).map((name) => `found ${name}`),
      next: 'Name the folder of a DynamoDB export or of a portable one.',
    },
  );
}

function several(source: BlobStore, summaries: readonly string[]): TablewrightError {
  const folders = summaries.map((name) => `${source.place.replace(/\/$/, '')}/${name.slice(0, -summaryFile.length - 1)}`);
  return new TablewrightError('BAD_EXPORT', `${source.place}: ${folders.length} exports are here`, {
    problems: folders,
    next: `Name one of them; the latest is ${folders.toSorted().at(-1)}.`,
  });
}

/** A manifest that agrees with its hash file. One without a hash file is taken as it is: some tools copy only the JSON. */
async function manifestText(folder: BlobStore, name: string, codec: FileCodec, signal: AbortSignal | undefined): Promise<string> {
  const text = await readText(folder, name, signal);
  if (text === undefined) throw badExport(folder.place, [`${name}: missing`]);
  for (const hashFile of hashFilesOf(name)) {
    const stated = await readText(folder, hashFile, signal);
    if (stated === undefined) continue;
    const found = md5Of(codec, Buffer.from(text));
    if (hashAgrees(stated, found)) return text;
    throw badExport(folder.place, [`${name}: its MD5 is ${found}, ${hashFile} says ${stated.trim().slice(0, 40)}`]);
  }
  return text;
}

function parsed<T>(folder: BlobStore, name: string, result: ParsedManifest<T>): T {
  if ('value' in result) return result.value;
  throw badExport(
    folder.place,
    result.problems.map((problem) => `${name}: ${problem}`),
  );
}

export function badExport(place: string, problems: readonly string[]): TablewrightError {
  return new TablewrightError('BAD_EXPORT', `${place}: the export cannot be read as it is`, {
    problems,
    next: 'Nothing was written from it. Get a sound copy of the export, then run the command again.',
  });
}
