import type { Table } from '../../../tables/model/table.ts';
import type { FileCodec } from '../../core/transfer/codec.ts';
import { openCsv } from '../../run/transfer/open-csv.ts';
import type { OpenExport } from '../../run/transfer/open-export.ts';
import type spec from '../commands/import.spec.js';
import type { Context } from '../context.ts';
import type { OpenStack } from '../open-stack.ts';
import type { ExportPlace, GivenIn } from '../spec/command-spec.ts';
import { csvCodec } from './csv-codec.ts';
import { openPlace } from './open-place.ts';

const delimiters: Readonly<Record<string, string>> = { tab: '\t', space: ' ' };

/** CSV files of a folder, or one of them, as an export that can be imported. */
export async function openCsvSource(
  context: Context,
  stack: OpenStack,
  table: Table,
  { source: given, delimiter = ',', header }: GivenIn<typeof spec, 'write' | 'named'>,
): Promise<{ readonly opened: OpenExport; readonly codec: FileCodec }> {
  const { folder, only } = fileOf(given);
  const { store } = await openPlace(context, stack, folder);
  const problems: { readonly line: number; readonly problem: string }[] = [];
  const options = { table, delimiter: delimiters[delimiter] ?? delimiter, header };
  const checking = csvCodec({ ...options, onProblem: (line, problem) => problems.push({ line, problem }) });
  const opened = await openCsv({ source: store, only, codec: checking, problems, signal: context.signal });
  return { opened, codec: csvCodec(options) };
}

/** A place that ends like a CSV file is one: its folder, and its name there. */
function fileOf(place: ExportPlace): { readonly folder: ExportPlace; readonly only: string | undefined } {
  const text = place.text.replace(/\/$/, '');
  if (!/\.csv(\.gz)?$/.test(text)) return { folder: place, only: undefined };
  const cut = text.lastIndexOf('/');
  const only = text.slice(cut + 1);
  const folder = cut === -1 ? '.' : text.slice(0, cut) || '/';
  if (place.kind === 'directory') return { folder: { kind: 'directory', text: folder, path: folder }, only };
  const prefix = place.prefix.slice(0, place.prefix.length - only.length - 1);
  return { folder: { ...place, text: `${folder}/`, prefix }, only };
}
