import { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { CsvError, parse } from 'csv-parse';
import { type Item, setAttribute } from '../../../tables/model/attribute-value.ts';
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
  const unread = { bytes: 0 };
  const source = Readable.from(textOf(await opened(chunks), unread));
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let columns = options.header === undefined ? undefined : columnsOf(options, options.header);
  let line = 0;
  try {
    for await (const record of parser as AsyncIterable<readonly Cell[]>) {
      line += 1;
      unread.bytes = 0;
      if (columns === undefined) {
        columns = columnsOf(
          options,
          record.map((cell) => (cell === missing ? '' : cell)),
        );
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
  if (error instanceof NoRecord) return `expected a record within ${maxLineBytes / 1_024 ** 2} MB, found none`;
  const { code = '' } = error as { readonly code?: string };
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'expected UTF-8, found other bytes; save the file as UTF-8';
  return code.startsWith('Z_') ? 'the gzip data ends too early or is none' : undefined;
}

interface Column {
  readonly name: string;
  readonly type: CellType;
}

function columnsOf(options: CsvOptions, names: readonly string[]): readonly Column[] {
  const { table } = options;
  for (const problem of headerProblems(table, names)) tell(options, 1, problem);
  const types = cellTypes(table, names);
  return names.map((name, at) => ({ name, type: types[at] ?? 'S' }));
}

/** Of two columns of one name the second would silently replace the first. */
function headerProblems(table: Table, names: readonly string[]): readonly string[] {
  const twice = new Set(names.filter((name, at) => name !== '' && names.indexOf(name) !== at));
  return [
    ...keyNames(table).flatMap((name) => (names.includes(name) ? [] : [`no column ${name}, which the table’s key needs`])),
    ...names.flatMap((name, at) => (name === '' ? [`column ${at + 1} has no name`] : [])),
    ...[...twice].map((name) => `several columns are named ${name}`),
  ];
}

function itemOf(options: CsvOptions, columns: readonly Column[], record: readonly Cell[], line: number): Item | undefined {
  const problems: string[] = [];
  if (record.length !== columns.length) problems.push(`expected ${columns.length} cells, found ${record.length}`);
  const item: Item = {};
  const keys = keyNames(options.table);
  for (const [at, { name, type }] of columns.entries()) {
    const cell = record[at] ?? missing;
    if ((cell === missing || cell === '') && keys.includes(name)) problems.push(`${name}: empty, and the table’s key needs it`);
    if (cell === missing) continue;
    const value = readCell(type, cell);
    if ('problem' in value) problems.push(`${name}: ${value.problem}`);
    else setAttribute(item, name, value);
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

/** So much was read, and no record came of it. */
class NoRecord extends Error {}

/** UTF-8, or UTF-16 where a mark says so. Other bytes would be stored as question marks; what unpacks to empty lines without end is left. */
async function* textOf(chunks: AsyncIterable<Uint8Array>, unread: { bytes: number }): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    unread.bytes += chunk.byteLength;
    if (unread.bytes > 2 * maxLineBytes) throw new NoRecord();
    decoder ??= new TextDecoder(chunk[0] === 0xff && chunk[1] === 0xfe ? 'utf-16le' : 'utf-8', { fatal: true });
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder?.decode() ?? '';
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
