import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { attributeOf, setAttribute } from '../../../tables/model/attribute-value.ts';
import type { LineProblem } from './parse-json.ts';
import type { TextSource } from './text-source.ts';

/** A CSV record: every value a text, dotted columns as maps, empty cells left out. */
export interface CsvEntry {
  readonly value: Readonly<Record<string, unknown>>;
  readonly line: () => number;
}

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** RFC 4180 with a header line, a record at a time. */
export async function* parseCsv(source: TextSource): AsyncGenerator<CsvEntry | LineProblem> {
  const parser = parse({ bom: true, info: true, skip_empty_lines: true, relax_column_count: true });
  const fed = pipeline(Readable.from(source.pieces()), parser);
  // Whoever reads the parser meets the failure; this one only must not go unseen.
  fed.catch(() => undefined);
  let columns: readonly string[] | undefined;
  try {
    for await (const row of parser as AsyncIterable<Row>) {
      if (columns === undefined) {
        columns = row.record;
        yield* headerProblems(columns);
      } else yield entryOf(columns, row);
    }
    await fed;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === 'number' ? error.lines : 1;
    yield { line, message: `not valid CSV: ${error.message}` };
    return;
  }
  if (columns === undefined) yield { line: 1, message: 'expected a header line with the attribute names' };
}

function headerProblems(columns: readonly string[]): readonly LineProblem[] {
  const repeated = columns.filter((name, at) => columns.indexOf(name) !== at);
  return repeated.map((name) => ({ line: 1, message: `the column ${name} stands twice` }));
}

function entryOf(columns: readonly string[], { record, info }: Row): CsvEntry | LineProblem {
  // `info.lines` is the line that the record ends on; cells with line breaks make it start earlier.
  const line = info.lines - record.join('').split('\n').length + 1;
  if (record.length === columns.length) return { value: nest(columns, record), line: () => line };
  return { line, message: `expected ${columns.length} cells as in the header, found ${record.length}` };
}
function nest(columns: readonly string[], cells: readonly string[]): Readonly<Record<string, unknown>> {
  const value: Record<string, unknown> = {};
  for (const [at, column] of columns.entries()) {
    const cell = cells[at] ?? '';
    if (cell !== '') assign(value, column.trim().split('.'), cell);
  }
  return value;
}

function assign(target: Record<string, unknown>, path: readonly string[], cell: string): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    setAttribute(target, name, cell);
    return;
  }
  const inner = (attributeOf(target, name) ?? {}) as Record<string, unknown>;
  setAttribute(target, name, inner);
  assign(inner, rest, cell);
}
