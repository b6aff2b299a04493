import { extname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Entity } from '../../../tables/model/entity.ts';
import { fromJsonItem } from '../../core/item/dynamo-json.ts';
import type { DeclaredRow, RowPlace } from '../../core/seed/declared-record.ts';
import { ExactNumber } from '../../core/seed/declared-record.ts';
import type { EntityFile, Fixture, FixtureTable, RawFile, Records } from '../../core/seed/define-seed.ts';
import { parseCsv } from './parse-csv.ts';
import { parseJsonArray, parseJsonLines } from './parse-json.ts';
import { readFixtureText } from './read-fixture-text.ts';

export interface ReadRows {
  readonly rows: readonly DeclaredRow[];
  readonly problems: readonly string[];
}

interface Entry {
  readonly value: unknown;
  readonly line: RowPlace['line'];
}

interface ReadEntries {
  readonly entries: readonly Entry[];
  readonly problems: readonly string[];
}

export interface FixturePlace {
  /** The repository; files are named from here in messages. */
  readonly root: string;
  /** The set's folder. */
  readonly folder: string;
}

/** The rows of a fixture as they are declared. Problems name file and line; nothing is thrown for what a file says. */
export async function readFixture(fixture: Fixture, place: FixturePlace): Promise<ReadRows> {
  const path = fixture.kind === 'records' ? 'seed.ts' : fixture.path;
  const file = relative(place.root, join(place.folder, path));
  const read =
    fixture.kind === 'records' ? entriesOfRecords(fixture) : await readEntries(join(place.folder, path), file, fixture);
  const rows: DeclaredRow[] = [];
  const problems = [...read.problems];
  for (const [at, entry] of read.entries.entries()) {
    const where: RowPlace = { file, line: entry.line, number: at + 1 };
    const declared =
      fixture.kind === 'raw' ? rawRow(fixture, entry, where) : recordRow(fixture, entry, where, extname(path) === '.csv');
    if (typeof declared !== 'string') rows.push(declared);
    else problems.push(`${file}${entry.line([]) === undefined ? ` (record ${at + 1})` : `:${entry.line([])}`}: ${declared}`);
  }
  return { rows, problems };
}

function entriesOfRecords(fixture: Records): ReadEntries {
  return { entries: fixture.records.map((value) => ({ value, line: () => undefined })), problems: [] };
}

async function readEntries(path: string, file: string, fixture: EntityFile | RawFile): Promise<ReadEntries> {
  const extension = extname(path);
  const parser = { '.json': parseJsonArray, '.jsonl': parseJsonLines, '.csv': parseCsv }[extension];
  if ((parser === undefined && extension !== '.ts') || (fixture.kind === 'raw' && extension === '.csv')) {
    const known = fixture.kind === 'raw' ? '.json or .jsonl' : '.json, .jsonl, .csv or .ts';
    return { entries: [], problems: [`${file}: expected a file that ends in ${known}`] };
  }
  const read = await readFixtureText(path);
  if ('problem' in read) return { entries: [], problems: [`${file}${read.problem}`] };
  if (parser === undefined) return readModule(path, file);
  const { entries, problems } = parser(read.text);
  return { entries, problems: problems.map(({ line, message }) => `${file}:${line}: ${message}`) };
}

async function readModule(path: string, file: string): Promise<ReadEntries> {
  try {
    const { default: list } = (await import(pathToFileURL(path).href)) as { readonly default: unknown };
    if (!Array.isArray(list)) return { entries: [], problems: [`${file}: expected a default export that is a list of records`] };
    return { entries: list.map((value: unknown) => ({ value, line: () => undefined })), problems: [] };
  } catch (error) {
    return { entries: [], problems: [`${file}: cannot be loaded: ${(error as Error).message}`] };
  }
}

function recordRow(fixture: EntityFile | Records, { value }: Entry, place: RowPlace, textual: boolean): DeclaredRow | string {
  if (!isRecord(value)) return `expected a record, found ${JSON.stringify(value)}`;
  const { $entity, $ttl, ...values } = value;
  const entity = fixture.entity ?? entityNamed(fixture.table, $entity);
  if (entity === undefined) return entityMessage(fixture.table, $entity);
  if (fixture.entity !== undefined && $entity !== undefined && $entity !== entity.name) {
    return `$entity: the file holds ${entity.name}, found ${JSON.stringify($entity)}`;
  }
  const ttl = $ttl instanceof ExactNumber ? $ttl.text : $ttl;
  if (ttl !== undefined && typeof ttl !== 'string') return `$ttl: expected a text such as now+90d, found ${JSON.stringify(ttl)}`;
  return { place, table: fixture.table, entity, values, textual, ...(ttl === undefined ? {} : { ttl }) };
}

function entityNamed(table: FixtureTable, name: unknown): Entity | undefined {
  return table.entities.find((entity) => entity.name === name);
}

function entityMessage(table: FixtureTable, name: unknown): string {
  const known = table.entities.map((entity) => entity.name).join(', ');
  return `$entity: expected one of ${known}, found ${name === undefined ? 'nothing' : JSON.stringify(name)}`;
}

function rawRow(fixture: RawFile, { value }: Entry, place: RowPlace): DeclaredRow | string {
  const item = isRecord(value) && Object.keys(value).join() === 'Item' ? fromJsonItem(value.Item) : undefined;
  if (item === undefined) return 'expected {"Item":{…}} in DynamoDB JSON, numbers as texts: {"N":"1.5"}';
  return { place, table: fixture.table, item };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}
