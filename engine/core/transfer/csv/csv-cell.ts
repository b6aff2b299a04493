import type { AttributeValue } from '../../../../tables/model/attribute-value.ts';
import { decimalProblem } from '../../../../tables/model/decimal.ts';
import { type Schema, viewSchema } from '../../../../tables/model/schema-view.ts';
import { keyAttributes, type Table } from '../../../../tables/model/table.ts';
import { adoptItem } from '../adopt-item.ts';
import { printItem } from '../export-line.ts';

/** What the cells of a column are read as. `JSON`: DynamoDB JSON of one value, for maps, lists and sets. */
export type CellType = 'S' | 'N' | 'B' | 'BOOL' | 'JSON';

/**
 * The types of columns: keys by the table, others by the catalogue where its entities agree. Everything else is a text, as
 * DynamoDB's own import takes it (Developer Guide, "Amazon S3 import formats for DynamoDB", CSV).
 */
export function cellTypes(table: Table, columns: readonly string[]): readonly CellType[] {
  const keys = new Map(keyAttributes(table).map(({ name, type }) => [name, type]));
  return columns.map((column): CellType => {
    const key = keys.get(column);
    if (key !== undefined) return key;
    const found = new Set(
      table.entities.flatMap(({ schema }) => (Object.hasOwn(schema.shape, column) ? [typeOf(schema.shape[column])] : [])),
    );
    const [only = 'S'] = found;
    return found.size === 1 ? only : 'S';
  });
}

function typeOf(schema: Schema | undefined): CellType {
  const kind = schema === undefined ? 'text' : viewSchema(schema).kind;
  if (kind === 'number') return 'N';
  if (kind === 'flag') return 'BOOL';
  if (kind === 'bytes') return 'B';
  return kind === 'map' || kind === 'list' || kind === 'plain' ? 'JSON' : 'S';
}

/** The value of a cell, or what is wrong with it. */
export function readCell(type: CellType, cell: string): AttributeValue | { readonly problem: string } {
  if (type === 'S') return { S: cell };
  if (type === 'N') {
    const problem = decimalProblem(cell);
    return problem === undefined ? { N: cell } : { problem: `expected a number: ${problem}` };
  }
  if (type === 'BOOL') {
    return cell === 'true' || cell === 'false' ? { BOOL: cell === 'true' } : { problem: 'expected true or false' };
  }
  if (type === 'B') {
    const bytes = Buffer.from(cell, 'base64');
    return bytes.toString('base64') === cell ? { B: bytes } : { problem: 'expected base64' };
  }
  return readJson(cell);
}

function readJson(cell: string): AttributeValue | { readonly problem: string } {
  const problem = 'expected DynamoDB JSON such as {"L":[{"S":"a"}]}';
  try {
    return adoptItem({ value: JSON.parse(cell) as unknown })?.value ?? { problem };
  } catch {
    return { problem };
  }
}

/** A value as a cell's text: what is no text, number, truth or binary goes as DynamoDB JSON. */
export function printCell(value: AttributeValue): string {
  if ('S' in value) return value.S;
  if ('N' in value) return value.N;
  if ('BOOL' in value) return String(value.BOOL);
  if ('B' in value) return Buffer.from(value.B).toString('base64');
  const text = new TextDecoder().decode(printItem({ value }));
  return text.slice('{"value":'.length, -1);
}

/** RFC 4180: in quotes where it must be. An empty text is quoted, and so told from an attribute that is not there. */
export function quoteCell(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
