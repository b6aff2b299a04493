import type { Item } from '../../../tables/model/attribute-value.ts';
import { keyAttributes, type Table } from '../../../tables/model/table.ts';
import type { FileCodec } from '../../core/transfer/codec.ts';
import { printCell, quoteCell } from '../../core/transfer/csv/csv-cell.ts';
import type { ExportFile, OpenExport } from './open-export.ts';
import { readLines } from './read-lines.ts';

/** Where the CSV files of an export lie, beside its data. */
export const csvFolder = 'csv/';

/**
 * Writes an export's items as CSV beside it, a file for each data file, all with the same columns: keys first, then every
 * attribute that any item has. Gives the names.
 */
export async function writeCsv(
  opened: OpenExport,
  table: Table,
  codec: FileCodec,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const columns = await columnsOf(opened, table, codec, signal);
  const names: string[] = [];
  for (const [at, file] of opened.files.entries()) {
    if (file.itemCount === 0) continue;
    const name = `${csvFolder}part-${String(at + 1).padStart(6, '0')}.csv`;
    const lines = [`${columns.map(quoteCell).join(',')}\n`];
    for await (const item of itemsOf(file, codec, signal)) lines.push(`${rowOf(columns, item)}\n`);
    await opened.folder.write(name, Buffer.from(lines.join('')), signal);
    names.push(name);
  }
  return names;
}

async function columnsOf(opened: OpenExport, table: Table, codec: FileCodec, signal?: AbortSignal): Promise<readonly string[]> {
  const keys = keyAttributes(table).map(({ name }) => name);
  const found = new Set<string>();
  for (const file of opened.files) {
    for await (const item of itemsOf(file, codec, signal)) for (const name in item) found.add(name);
  }
  return [...keys.filter((name) => found.has(name)), ...[...found].filter((name) => !keys.includes(name)).toSorted()];
}

function rowOf(columns: readonly string[], item: Item): string {
  return columns
    .map((name) => {
      const value = item[name];
      return value === undefined ? '' : quoteCell(printCell(value));
    })
    .join(',');
}

async function* itemsOf(file: ExportFile, codec: FileCodec, signal?: AbortSignal): AsyncGenerator<Item> {
  for await (const lines of readLines(file, codec, 0, signal)) {
    for (const { content } of lines) if (content?.kind === 'item') yield content.item;
  }
}
