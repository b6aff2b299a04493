import { extname, join, relative } from 'node:path';
import type { Entity } from '../../../tables/model/entity.ts';
import { fromJsonItem } from '../../core/item/dynamo-json.ts';
import type { DeclaredRecord, DeclaredRow, RowPlace } from '../../core/seed/declared-record.ts';
import { ExactNumber, showPlace } from '../../core/seed/declared-record.ts';
import type { EntityFile, Fixture, FixtureTable, RawFile, Records } from '../../core/seed/define-seed.ts';
import { importDefault } from '../project/import-default.ts';
import { parseCsv } from './parse-csv.ts';
import { parseJsonArray, parseJsonLines } from './parse-json.ts';
import { readFixtureText } from './read-fixture-text.ts';
import { FixtureFault, fileSource } from './text-source.ts';

/** What is wrong with a part of a fixture; names file and line. */
export interface FixtureProblem {
  readonly problem: string;
}

interface Entry {
  readonly value: unknown;
  readonly line: RowPlace['line'];
}

export interface FixturePlace {
  /** The repository; files are named from here in messages. */
  readonly root: string;
  /** The set's folder. */
  readonly folder: string;
}

/** The rows of a fixture as they are declared, one at a time. Nothing is thrown for what a file says. */
export async function* readFixture(fixture: Fixture, place: FixturePlace): AsyncGenerator<DeclaredRow | FixtureProblem> {
  const path = fixture.kind === 'records' ? 'seed.ts' : fixture.path;
  const file = relative(place.root, join(place.folder, path));
  const entries = fixture.kind === 'records' ? entriesOf(fixture.records) : readEntries(join(place.folder, path), file, fixture);
  let number = 0;
  for await (const entry of entries) {
    if ('problem' in entry) {
      yield entry;
      continue;
    }
    number += 1;
    const where: RowPlace = { file, line: entry.line, number };
    const declared =
      fixture.kind === 'raw' ? rawRow(fixture, entry, where) : recordRow(fixture, entry, where, extname(path) === '.csv');
    yield typeof declared === 'string' ? { problem: `${showPlace(where)}: ${declared}` } : declared;
  }
}

function* entriesOf(list: readonly unknown[]): Generator<Entry | FixtureProblem> {
  for (const value of list) yield { value, line: () => undefined };
}

async function* readEntries(path: string, file: string, fixture: EntityFile | RawFile): AsyncGenerator<Entry | FixtureProblem> {
  const extension = extname(path);
  const parser = { '.json': parseJsonArray, '.jsonl': parseJsonLines, '.csv': parseCsv }[extension];
  if ((parser === undefined && extension !== '.ts') || (fixture.kind === 'raw' && extension === '.csv')) {
    const known = fixture.kind === 'raw' ? '.json or .jsonl' : '.json, .jsonl, .csv or .ts';
    yield { problem: `${file}: expected a file that ends in ${known}` };
    return;
  }
  if (parser === undefined) return yield* readModule(path, file);
  try {
    for await (const entry of parser(fileSource(path))) {
      yield 'message' in entry ? { problem: `${file}:${entry.line}: ${entry.message}` } : entry;
    }
  } catch (error) {
    if (!(error instanceof FixtureFault)) throw error;
    yield { problem: `${file}${error.message}` };
  }
}

async function* readModule(path: string, file: string): AsyncGenerator<Entry | FixtureProblem> {
  const read = await readFixtureText(path);
  if ('problem' in read) return yield { problem: `${file}${read.problem}` };
  try {
    const list = await importDefault(path);
    if (!Array.isArray(list)) yield { problem: `${file}: expected a default export that is a list of records` };
    else yield* entriesOf(list);
  } catch (error) {
    yield { problem: `${file}: cannot be loaded: ${(error as Error).message}` };
  }
}

function recordRow(fixture: EntityFile | Records, { value }: Entry, place: RowPlace, textual: boolean): DeclaredRow | string {
  if (!isRecord(value)) return `expected a record, found ${JSON.stringify(value)}`;
  const { $entity, $ttl } = value;
  const entity = fixture.entity ?? entityNamed(fixture.table, $entity);
  if (entity === undefined) return entityMessage(fixture.table, $entity);
  if (fixture.entity !== undefined && $entity !== undefined && $entity !== entity.name) {
    return `$entity: the file holds ${entity.name}, found ${JSON.stringify($entity)}`;
  }
  const ttl = $ttl instanceof ExactNumber ? $ttl.text : $ttl;
  if (ttl !== undefined && typeof ttl !== 'string') return `$ttl: expected a text such as now+90d, found ${JSON.stringify(ttl)}`;
  const row = { place, table: fixture.table, entity, values: ownOf(value), textual };
  return ttl === undefined ? row : { ...row, ttl };
}

/** The record's own attributes. Copied only where there is more: most rows have nothing else, and this runs for each. */
function ownOf(record: Readonly<Record<string, unknown>>): DeclaredRecord['values'] {
  if (!Object.hasOwn(record, '$entity') && !Object.hasOwn(record, '$ttl')) return record;
  const { $entity: _, $ttl: __, ...own } = record;
  return own;
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
