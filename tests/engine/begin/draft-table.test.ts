import { expect } from 'chai';
import fc from 'fast-check';
import ts from 'typescript';
import { findSets } from '../../../engine/cli/seed/find-sets.ts';
import { modelOf } from '../../../engine/core/begin/draft-model.ts';
import { draftTable, type Naming } from '../../../engine/core/begin/draft-table.ts';
import { draftText } from '../../../engine/core/begin/draft-text.ts';
import type { TableDraft } from '../../../engine/core/begin/table-draft.ts';
import { volumeItems } from '../../../engine/core/seed/volume-items.ts';
import type { TableDescription } from '../../../engine/core/store/store.ts';
import { compareTable } from '../../../engine/core/tables/compare-table.ts';
import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import { canonicalValue } from '../../../tables/model/canonical.ts';
import { deriveAttributes, entityOf, recoverKeyValues, showKey } from '../../../tables/model/item.ts';
import { prove } from '../../../tables/model/prove.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { keyAttributes, keyParts, type Table } from '../../../tables/model/table.ts';
import { tryReadRecord } from '../../../tables/model/unmarshal.ts';
import { plainSettings } from '../../support/plain-settings.ts';
import { project, tables } from '../../support/project.ts';
import { repository, type SeedBench, seedBench } from '../../support/seed-bench.ts';
import { useEngine } from '../../support/test-engine.ts';

const naming: Naming = { name: 'some-orders', system: 'some', suffix: 'outside-prod', kind: 'development' };

/** What a definition has to hold of the items that it was made from. */
function expectTrue(table: Table, items: readonly Item[]): void {
  expect(prove([table])).to.deep.equal([]);
  for (const item of items) {
    const entity = entityOf(table, item);
    expect(entity, showKey(table, item)).not.to.equal(undefined);
    if (entity === undefined) continue;
    expect(tryReadRecord(entity, item), showKey(table, item)).to.have.property('record');
    const inKey = Object.entries(recoverKeyValues(table, entity, item) ?? {}).map(([name, text]) => [name, { S: text }]);
    const { set } = deriveAttributes(table, entity, { ...Object.fromEntries(inKey), ...item });
    const shown = (value: AttributeValue | undefined) => (value === undefined ? 'none' : canonicalValue(value));
    for (const [name, made] of Object.entries(set)) {
      expect(shown(made), `${showKey(table, item)}: ${name}`).to.equal(shown(item[name]));
    }
  }
}

/** The file as the compiler reads it. */
function syntaxProblems(text: string): readonly string[] {
  const { diagnostics = [] } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { module: ts.ModuleKind.ESNext },
  });
  return diagnostics.map(({ messageText }) => String(messageText));
}

describe('a first definition of our own tables, from what was created and loaded', () => {
  const engine = useEngine();
  let bench: SeedBench;
  before(async () => {
    bench = seedBench(engine());
    for (const name of ['oms', 'markets', 'backtest', 'order-management', 'legacy']) await bench.load(repository, name);
  });
  after(() => bench.close());

  const describeOf = async (table: Table): Promise<TableDescription> => {
    const found = await engine().environment.store.describeTable(physicalName(table, engine().config));
    if (found === undefined) throw new Error(`${table.name} is missing`);
    return found;
  };
  const named = ({ name, system, suffix }: Table): Naming => ({ name, system, suffix, kind: 'development' });

  for (const table of tables) {
    it(`${table.name}: proves, is true of every item, and differs in nothing from the table that is there`, async () => {
      const found = await describeOf(table);
      const items = await bench.scan(table);
      const draft = draftTable(found, { items, complete: true }, named(table));
      const model = modelOf(draft);
      expectTrue(model, items);
      expect(compareTable(model, engine().config, found)).to.deep.equal([]);
      expect(syntaxProblems(draftText(draft, 'tablewright'))).to.deep.equal([]);
      const read = new Set(draft.patterns.map(({ index }) => index));
      expect([undefined, ...table.indexes.map(({ name }) => name)].filter((index) => !read.has(index))).to.deep.equal([]);
    });

    it(`${table.name}: is true of every item too where few of them were seen, or none`, async () => {
      const found = await describeOf(table);
      const items = await bench.scan(table);
      for (const count of [0, 1, 3]) {
        const draft = draftTable(found, { items: items.slice(0, count), complete: false }, named(table));
        expectTrue(modelOf(draft), items.slice(0, count));
        expect(compareTable(modelOf(draft), engine().config, found)).to.deep.equal([]);
      }
    });
  }

  it('finds the entities and key templates of a table with many entities', async () => {
    const table = tables.find(({ name }) => name === 'order-management') as Table;
    const draft = draftTable(await describeOf(table), { items: await bench.scan(table), complete: true }, named(table));
    const derived = Object.fromEntries(draft.entities.map(({ name, derive }) => [name, derive[0]?.set.PK]));
    expect(Object.keys(derived).toSorted()).to.deep.equal(table.entities.map(({ name }) => name).toSorted());
    expect(new Set(Object.values(derived))).to.deep.equal(new Set(['COMPANY#{company_cnpj}#ORDER#{order_id}']));
  });
});

describe('a first definition of volume data', () => {
  it('has the same entities, keys and index keys as our own, and lists the words of statuses', async () => {
    const seen: Record<string, Item[]> = {};
    for (const set of await findSets({ root: repository, project })) {
      if (set.volume === undefined) continue;
      for (const { table, item } of volumeItems(set.name, set.volume, { count: 400, seed: 3, base: 1_794_800_000 }, 0)) {
        seen[table] = [...(seen[table] ?? []), item];
      }
    }
    const trading = tables.find(({ name }) => name === 'oms_trading_data') as Table;
    const draft = draftTable(descriptionOf(trading), { items: seen[trading.name] ?? [], complete: false }, naming);
    expectTrue(modelOf(draft), seen[trading.name] ?? []);
    for (const entity of draft.entities) {
      const own = trading.entities.find(({ name }) => name === entity.name);
      const wanted = own?.derive.flatMap(({ set }) => Object.entries(set)) ?? [];
      const made = entity.derive.flatMap(({ set }) => Object.entries(set));
      expect(made.filter(([name]) => name === 'PK' || name === 'SK')).to.deep.equal(
        wanted.filter(([name]) => name === 'PK' || name === 'SK'),
      );
    }
    const order = draft.entities.find(({ name }) => name === 'ORDER');
    expect(order?.attributes.side?.type).to.deep.equal({ kind: 'known', values: ['BUY', 'SELL'] });
  });
});

function descriptionOf(table: Table): TableDescription {
  const elements = (schema: Table['key'] | Table['indexes'][number]) => {
    const { hash, range } = keyParts(schema);
    return [
      ...hash.map(({ name }) => ({ AttributeName: name, KeyType: 'HASH' as const })),
      ...range.map(({ name }) => ({ AttributeName: name, KeyType: 'RANGE' as const })),
    ];
  };
  return {
    name: table.name,
    status: 'ACTIVE',
    key: elements(table.key),
    attributes: Object.fromEntries(keyAttributes(table).map(({ name, type }) => [name, type])),
    billing: 'PAY_PER_REQUEST',
    capacity: { read: 0, write: 0 },
    encryption: 'KMS',
    itemCount: 0,
    bytes: 0,
    ttl: { status: table.ttl === undefined ? 'DISABLED' : 'ENABLED', attribute: table.ttl },
    indexes: table.indexes.map((index) => ({
      name: index.name,
      status: 'ACTIVE',
      key: elements(index),
      projection: { ProjectionType: 'ALL' },
      capacity: { read: 0, write: 0 },
    })),
    settings: plainSettings,
  };
}

/** Every value has a digit in it that no tag may have, so that one in the file is found. */
const secret = fc.nat({ max: 40 }).map((n) => `7Mallory${n}`);
const word = fc.constantFrom('ORDER', 'CLIENT', 'order', 'Item_Of', 'A');
const keyText = fc.oneof(
  fc.tuple(word, secret).map(([tag, value]) => `${tag}#${value}`),
  fc.tuple(word, secret, word, secret).map((parts) => parts.join('#')),
  fc.tuple(word, secret).map((parts) => parts.join(':')),
  secret,
  word,
  fc.tuple(secret, secret).map((parts) => parts.join('#')),
);
const scalar: fc.Arbitrary<AttributeValue> = fc.oneof(
  secret.map((S) => ({ S })),
  fc.integer().map((n) => ({ N: String(n) })),
  fc.constant({ S: '2026-11-14T10:30:00Z' }),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant({ NULL: true } as AttributeValue),
  fc.constant({ S: '' }),
);
const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }).map((L) => ({ L })),
  fc.dictionary(fc.oneof(secret, fc.constantFrom('city', 'street')), scalar, { maxKeys: 3 }).map((M) => ({ M })),
  fc.uniqueArray(secret, { minLength: 1, maxLength: 3 }).map((SS) => ({ SS })),
);
const attributeNames = ['id', 'order_id', 'status', 'type', 'price', 'created_at', 'a-b', "it's", 'constructor'];
const anyItem = fc
  .record({
    PK: keyText,
    SK: keyText,
    GSI1_PK: fc.option(keyText, { nil: undefined }),
    sort: fc.option(fc.integer(), { nil: undefined }),
    rest: fc.dictionary(fc.constantFrom(...attributeNames), value),
    copies: fc.boolean(),
  })
  .map(
    ({ PK, SK, GSI1_PK, sort, rest, copies }): Item => ({
      ...rest,
      ...(copies ? { order_id: { S: PK.split('#').at(-1) ?? PK } } : {}),
      PK: { S: PK },
      SK: { S: SK },
      ...(GSI1_PK === undefined ? {} : { GSI1_PK: { S: GSI1_PK } }),
      ...(sort === undefined ? {} : { sort: { N: String(sort) } }),
    }),
  );

const anyTable: TableDescription = {
  ...descriptionOf(tables[0] as Table),
  key: [
    { AttributeName: 'PK', KeyType: 'HASH' },
    { AttributeName: 'SK', KeyType: 'RANGE' },
  ],
  attributes: { PK: 'S', SK: 'S', GSI1_PK: 'S', sort: 'N' },
  ttl: { status: 'ENABLED', attribute: 'ttl' },
  indexes: [
    {
      name: 'By-Type',
      status: 'ACTIVE',
      key: [
        { AttributeName: 'GSI1_PK', KeyType: 'HASH' },
        { AttributeName: 'sort', KeyType: 'RANGE' },
      ],
      projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['status'] },
      capacity: { read: 0, write: 0 },
    },
  ],
};

describe('a first definition of any items', () => {
  const check = (items: readonly Item[], complete: boolean): TableDraft => {
    const draft = draftTable(anyTable, { items, complete }, naming);
    expectTrue(modelOf(draft), items);
    return draft;
  };

  it('proves, takes every item that it was made from, and derives nothing that is not stored', () => {
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 12 }), fc.boolean(), (items, complete) => void check(items, complete)),
      {
        numRuns: 400,
      },
    );
  });

  it('holds no value of an item, and is a file that compiles', () => {
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 12 }), fc.boolean(), (items, complete) => {
        const text = draftText(check(items, complete), 'tablewright');
        expect(text).not.to.contain('Mallory');
        expect(syntaxProblems(text)).to.deep.equal([]);
      }),
      { numRuns: 60 },
    );
  });

  it('takes a word that people may be called for data: seen once or twice, or held by an attribute', () => {
    const people = ['alice', 'bob', 'carol'].map((S) => ({ PK: { S: `${S}#1` }, SK: { S: `x${S}` }, name: { S } }));
    expect(draftText(check(people, true), 'tablewright')).not.to.match(/alice|bob|carol/i);
    const strangers = ['alice', 'bob'].map((S) => ({ PK: { S: `${S}#1` }, SK: { S: '9' } }));
    expect(draftText(check(strangers, true), 'tablewright')).not.to.match(/alice|bob/i);
  });

  it('refuses none of the records that were not seen: a narrow kind takes all items, or many of them', () => {
    const items = Array.from({ length: 5 }, (_, at) => ({
      PK: { S: `ORDER#${at}` },
      SK: { S: '1' },
      order_id: { S: String(at) },
      created_at: { S: '2026-11-14T10:30:00Z' },
      status: { S: 'OPEN' },
    }));
    const [few] = check(items, false).entities;
    expect(few?.attributes.created_at).to.deep.include({ type: { kind: 'text' }, optional: true });
    expect(few?.attributes.created_at?.seen).to.equal('in all 5; all are isoTime() so far');
    const [all] = check(items, true).entities;
    expect(all?.attributes.created_at).to.deep.include({ type: { kind: 'isoTime' }, optional: false });
    expect(all?.attributes.status?.type).to.deep.equal({ kind: 'text' });
  });
});
