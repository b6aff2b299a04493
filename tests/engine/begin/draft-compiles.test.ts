import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { modelOf } from '../../../engine/core/begin/draft-model.ts';
import { draftTable, type SeenItems } from '../../../engine/core/begin/draft-table.ts';
import { draftText } from '../../../engine/core/begin/draft-text.ts';
import type { TableDraft } from '../../../engine/core/begin/table-draft.ts';
import type { IndexDescription } from '../../../engine/core/store/store.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import type { KeyType } from '../../../tables/model/key-types.ts';
import { prove } from '../../../tables/model/prove.ts';
import type { Table } from '../../../tables/model/table.ts';
import { scratchProject } from '../../support/scratch-project.ts';
import { strictProblems } from '../../support/strict-problems.ts';

type Described = Parameters<typeof draftTable>[0];
type Attribute = readonly [name: string, type: KeyType];

/** Names that mean something in a file of TypeScript, or that leave nothing to name a constant by. */
const tableNames = [
  ...['new', 'class', 'await', 'default', 'static', 'arguments', 'undefined', 'globalThis', 'Object'],
  ...['note', 'text', 'known', 'is_', 'integer', 'list-of', 'listOf', 'map-of', 'define-table', 'define.entity', 'provisioned'],
  ...['begins-with', 'values-of', 'plain-data', 'iso-time', 'epoch-seconds', 'bytes'],
  ...['123', '...', '___', '-.-', '9-lives', 'Sales.Orders_2026', 'news', 'classes', 'notes', 'status'],
];

const keyNames = [
  'PK',
  'SK',
  'id',
  'a-b',
  "it's",
  'at',
  'GSI1PK',
  'a b',
  'line\nbreak',
  'ls\u2028ps',
  '*/',
  '{x}',
  'constructor',
  '`',
];

const elements = (hash: readonly Attribute[], range: readonly Attribute[]) => [
  ...hash.map(([AttributeName]) => ({ AttributeName, KeyType: 'HASH' as const })),
  ...range.map(([AttributeName]) => ({ AttributeName, KeyType: 'RANGE' as const })),
];

/** Tables as DynamoDB has them: one type for an attribute, no attribute twice in a key. */
const anyDescribed: fc.Arbitrary<Described> = fc
  .record({
    types: fc.array(fc.constantFrom<KeyType>('S', 'N', 'B'), { minLength: keyNames.length, maxLength: keyNames.length }),
    order: fc.shuffledSubarray(keyNames, { minLength: 8 }),
    hasRange: fc.boolean(),
    indexes: fc.array(
      fc.record({
        hash: fc.integer({ min: 1, max: 4 }),
        range: fc.integer({ min: 0, max: 4 }),
        from: fc.nat({ max: 7 }),
        projection: fc.constantFrom<IndexDescription['projection']>(
          { ProjectionType: 'ALL' },
          { ProjectionType: 'KEYS_ONLY' },
          { ProjectionType: 'INCLUDE', NonKeyAttributes: ['status', 'class', "o'clock"] },
        ),
      }),
      { maxLength: 3 },
    ),
    ttl: fc.option(fc.constantFrom('ttl', 'expires-at'), { nil: undefined }),
    provisioned: fc.boolean(),
  })
  .map(({ types, order, hasRange, indexes, ttl, provisioned }) => {
    const typed = order.map((name): Attribute => [name, types[keyNames.indexOf(name)] ?? 'S']);
    const turn = (at: number) => [...typed.slice(at), ...typed.slice(0, at)];
    return {
      key: elements(typed.slice(0, 1), hasRange ? typed.slice(1, 2) : []),
      attributes: Object.fromEntries(typed),
      billing: provisioned ? ('PROVISIONED' as const) : ('PAY_PER_REQUEST' as const),
      capacity: provisioned ? { read: 5, write: 6 } : { read: 0, write: 0 },
      ttl: { status: ttl === undefined ? 'DISABLED' : 'ENABLED', attribute: ttl },
      indexes: indexes.map(({ hash, range, from, projection }, at) => ({
        name: `Index.${at}-of`,
        status: 'ACTIVE' as const,
        key: elements(turn(from).slice(0, hash), turn(from).slice(hash, hash + range)),
        projection,
        capacity: { read: 0, write: 0 },
      })),
      settings: { localIndexes: [] },
    };
  });

const otherValues: Item = {
  class: { S: 'first' },
  'new order': { N: '12.5' },
  __proto__x: { BOOL: true },
  tags: { SS: ['a', 'b'] },
  sizes: { NS: ['1', '2'] },
  digest: { B: new Uint8Array([1]) },
  digests: { BS: [new Uint8Array([1])] },
  nothing: { NULL: true },
  lines: { L: [{ M: { constructor: { S: 'x' }, amount: { N: '1' } } }, { M: { amount: { N: '2' } } }] },
  empty: { L: [] },
  created_at: { S: '2026-11-14T10:30:00Z' },
  settings: { S: '{"dark":true}' },
};

/** Items whose keys are put together, or are not. */
const anySample = ({ attributes }: Described): fc.Arbitrary<SeenItems> => {
  const value = (type: string) =>
    type === 'N'
      ? fc.integer().map((n) => ({ N: String(n) }))
      : type === 'B'
        ? fc.uint8Array({ minLength: 1, maxLength: 3 }).map((B) => ({ B }))
        : fc
            .tuple(fc.constantFrom('ORDER#', 'CLIENT#', 'note#', ''), fc.nat({ max: 9 }))
            .map(([word, n]) => ({ S: `${word}${n}` }));
  const keys = fc.record(Object.fromEntries(Object.entries(attributes).map(([name, type]) => [name, value(type)])));
  const rest = fc.subarray(Object.entries(otherValues));
  const item = fc.tuple(keys, rest).map(([own, others]): Item => ({ ...Object.fromEntries(others), ...own }));
  return fc.record({ items: fc.array(item, { maxLength: 6 }), complete: fc.boolean() });
};

/** Drafts of tables of every name above, with keys and items of any kind. */
const drafts: readonly TableDraft[] = fc
  .sample(
    anyDescribed.chain((described) => fc.tuple(fc.constant(described), anySample(described))),
    { numRuns: tableNames.length * 3, seed: 17 },
  )
  .map(([described, sample], at) => {
    const name = tableNames[at % tableNames.length] ?? '';
    return draftTable(described, sample, { name, system: 'some', suffix: 'outside-prod', kind: 'development' });
  });

describe('the file of a first definition, whatever the table, its keys and attributes are called and of whichever type they are', function () {
  this.timeout(120_000);
  let root = '';
  const fileOf = (at: number) => join(root, `${at}.ts`);
  before(async () => {
    root = (await scratchProject({ 'package.json': '{ "type": "module" }' })).root;
    for (const [at, draft] of drafts.entries()) writeFileSync(fileOf(at), draftText(draft, 'tablewright'));
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it('compiles under strict', () => {
    expect(strictProblems(drafts.map((_, at) => fileOf(at)))).to.deep.equal([]);
  });

  it('gives a table that proves and is the one that was drafted', async () => {
    for (const [at, draft] of drafts.entries()) {
      const module = (await import(pathToFileURL(fileOf(at)).href)) as Readonly<Record<string, Table>>;
      const table = module[draft.variable];
      if (table === undefined) throw new Error(`${draft.variable} is not exported by ${fileOf(at)}`);
      expect(prove([table]), draft.name).to.deep.equal([]);
      expect(comparable(table)).to.deep.equal(comparable(modelOf(draft)));
    }
  });

  it('would be found not to compile', () => {
    const file = join(root, 'wrong.ts');
    writeFileSync(file, "import { text } from 'tablewright';\n\nexport const wrong: number = text();\n");
    const [first, ...more] = strictProblems([file]);
    expect(more).to.deep.equal([]);
    expect(first).to.match(/^wrong\.ts:3: Type /);
  });
});

/** All of a table but the schemas of its attributes and parameters. */
function comparable({ entities, patterns, ...table }: Table) {
  return {
    ...table,
    entities: entities.map(({ schema, stored: _, ...entity }) => ({ ...entity, attributes: Object.keys(schema.shape) })),
    patterns: Object.values(patterns).map(({ params, result, ...pattern }) => ({
      ...pattern,
      params: Object.keys(params),
      result: result.map(({ name }) => name),
    })),
  };
}
