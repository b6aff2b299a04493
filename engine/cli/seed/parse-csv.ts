import { CsvError, parse } from 'csv-parse/sync';
import { attributeOf, setAttribute } from '../../../tables/model/attribute-value.ts';
import type { ParsedEntries } from './parse-json.ts';

/** A CSV record: every value a text, dotted columns as maps, empty cells left out. */
export interface CsvEntry {
  readonly value: Readonly<Record<string, unknown>>;
  readonly line: () => number;
}

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** RFC 4180 with a header line. */
export function parseCsv(text: string): ParsedEntries<CsvEntry> {
  try {
    const rows = parse(text, { bom: true, info: true, skip_empty_lines: true, relax_column_count: true }) as unknown as Row[];
    const [header, ...rest] = rows;
    if (header === undefined)
      return { entries: [], problems: [{ line: 1, message: 'expected a header line with the attribute names' }] };
    return entriesOf(header.record, rest);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === 'number' ? error.lines : 1;
    return { entries: [], problems: [{ line, message: `not valid CSV: ${error.message}` }] };
  }
}

function entriesOf(columns: readonly string[], rows: readonly Row[]): ParsedEntries<CsvEntry> {
  const repeated = columns.filter((name, at) => columns.indexOf(name) !== at);
  const problems = repeated.map((name) => ({ line: 1, message: `the column ${name} stands twice` }));
  const entries: CsvEntry[] = [];
  for (const { record, info } of rows) {
    // `info.lines` is the line that the record ends on; cells with line breaks make it start earlier.
    const line = info.lines - record.join('').split('\n').length + 1;
    if (record.length !== columns.length) {
      problems.push({ line, message: `expected ${columns.length} cells as in the header, found ${record.length}` });
      continue;
    }
    entries.push({ value: nest(columns, record), line: () => line });
  }
  return { entries, problems };
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
