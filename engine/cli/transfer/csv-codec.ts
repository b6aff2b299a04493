import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CsvError, parse } from 'csv-parse';
import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { FileCodec } from '../../core/transfer/codec.ts';
import { type CellType, cellTypes, readCell } from '../../core/transfer/csv/csv-cell.ts';
import { printItem, printItemLines } from '../../core/transfer/export-line.ts';
import { maxLineBytes } from '../../core/transfer/line-limits.ts';
import { gzipCodec } from '../../local/gzip-codec.ts';

export interface CsvOptions {
  readonly table: Table;
  /** One of `,` `;` `:` `|`, a tab or a space (API reference, CsvOptions). */
  readonly delimiter: string;
  /** The columns; without them the first line of each file names them. */
  readonly header?: readonly string[] | undefined;
  /** Told of everything that is wrong with a record; without it the first one ends the reading. */
  readonly onProblem?: ((line: number, problem: string) => void) | undefined;
}

/** A record that is no item of the table. */
class CsvProblem extends Error {
  readonly line: number;

  constructor(line: number, problem: string) {
    super(problem);
    this.name = 'CsvProblem';
    this.line = line;
  }
}

/**
 * Reads CSV, plain or gzip, as the lines of an export: one for each record, and a blank one for the header, so that a line's
 * number is that of the record in its file.
 */
export function csvCodec(options: CsvOptions): FileCodec {
  return { ...gzipCodec, unpack: (chunks) => unpack(chunks, options) };
}

/** Unquoted and empty: the attribute is not there. */
const missing = Symbol('missing');
type Cell = string | typeof missing;

async function* unpack(chunks: AsyncIterable<Uint8Array>, options: CsvOptions): AsyncGenerator<Uint8Array> {
  const parser = parse({
    bom: true,
    delimiter: options.delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxLineBytes,
    cast: (value, { quoting }) => (value === '' && !quoting ? missing : value),
  });
  const source = await opened(chunks);
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let columns = options.header === undefined ? undefined : columnsOf(options.table, options.header);
  let line = 0;
  try {
    for await (const record of parser as AsyncIterable<readonly Cell[]>) {
      line += 1;
      if (columns === undefined) {
        columns = columnsOf(
          options.table,
          record.map((cell) => (cell === missing ? '' : cell)),
        );
        const lacking = keyNames(options.table).filter((name) => !columns?.some((column) => column.name === name));
        for (const name of lacking) tell(options, line, `no column ${name}, which the table’s key needs`);
        yield new Uint8Array([0x0a]);
        continue;
      }
      const item = itemOf(options, columns, record, line);
      yield item === undefined ? new Uint8Array([0x0a]) : printItemLines([printItem(item)]);
    }
  } catch (error) {
    const problem = brokenFile(error);
    if (problem === undefined) throw error;
    tell(options, line + 1, problem);
  } finally {
    source.destroy();
    parser.destroy();
  }
}

/** What is wrong with the file as a whole; undefined for any other error. */
function brokenFile(error: unknown): string | undefined {
  if (error instanceof CsvError) return `not valid CSV: ${error.code}`;
  const { code = '' } = error as { readonly code?: string };
  return code.startsWith('Z_') ? 'the gzip data ends too early or is none' : undefined;
}

interface Column {
  readonly name: string;
  readonly type: CellType;
}

function columnsOf(table: Table, names: readonly string[]): readonly Column[] {
  const types = cellTypes(table, names);
  return names.map((name, at) => ({ name, type: types[at] ?? 'S' }));
}

function itemOf(options: CsvOptions, columns: readonly Column[], record: readonly Cell[], line: number): Item | undefined {
  const problems: string[] = [];
  if (record.length !== columns.length) problems.push(`expected ${columns.length} cells, found ${record.length}`);
  const item: Record<string, Item[string]> = {};
  const keys = keyNames(options.table);
  for (const [at, { name, type }] of columns.entries()) {
    const cell = record[at] ?? missing;
    if ((cell === missing || cell === '') && keys.includes(name)) problems.push(`${name}: empty, and the table’s key needs it`);
    if (cell === missing) continue;
    const value = readCell(type, cell);
    if ('problem' in value) problems.push(`${name}: ${value.problem}`);
    else item[name] = value;
  }
  for (const problem of problems) tell(options, line, problem);
  return problems.length === 0 ? item : undefined;
}

function keyNames({ key }: Table): readonly string[] {
  return key.range === undefined ? [key.hash.name] : [key.hash.name, key.range.name];
}

function tell({ onProblem }: CsvOptions, line: number, problem: string): void {
  if (onProblem === undefined) throw new CsvProblem(line, problem);
  onProblem(line, problem);
}

/** Told by its first two bytes (RFC 1952), so that files may be packed or not. */
async function opened(chunks: AsyncIterable<Uint8Array>): Promise<Readable> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all(): AsyncGenerator<Uint8Array> {
    if (!first.done) yield first.value;
    for (let step = await iterator.next(); !step.done; step = await iterator.next()) yield step.value;
  }
  const source = Readable.from(all());
  if (first.done || first.value[0] !== 0x1f || first.value[1] !== 0x8b) return source;
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}
