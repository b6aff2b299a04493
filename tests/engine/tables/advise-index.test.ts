import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { adviseIndex, sparseRecords } from '../../../engine/core/tables/advise-index.ts';
import { savingsOf } from '../../../engine/core/tables/index-savings.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { integer, text } from '../../../tables/model/attributes.ts';
import { equals } from '../../../tables/model/condition.ts';
import { defineEntity, type EntityOptions } from '../../../tables/model/entity.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { defineTable, type Index } from '../../../tables/model/table.ts';
import { adviceRow } from '../../support/advice-row.ts';
import { tables } from '../../support/project.ts';

const attributes = { id: text(), owner: text(), region: text(), size: integer() };

function adviceFor(
  derive: NonNullable<EntityOptions<typeof attributes>['derive']>,
  others: readonly ReturnType<typeof defineEntity>[] = [],
) {
  const thing = defineEntity({ name: 'THING', description: 'A thing', attributes, constants: { kind: 'THING' }, derive });
  const table = defineTable({
    name: 'things',
    system: 'toys',
    namespace: 'toys',
    description: 'Things',
    hash: 'id',
    indexes: { X: { hash: 'pk', range: 'sk' } },
    entities: [thing, ...others],
  });
  return adviseIndex(table, table.indexes[0] as Index);
}

const reasonsOf = (advice: ReturnType<typeof adviceFor>) =>
  advice.verdict === 'stays' ? advice.reasons.map(({ reason }) => reason) : advice.verdict;

describe('advice on indexes', () => {
  it('for the four systems stands in the docs, with its reason', () => {
    const docs = readFileSync(new URL('../../../docs/indexes.md', import.meta.url), 'utf8');
    const rows = tables.flatMap((table) => table.indexes.map((index) => adviceRow(table, index)));
    expect(rows).to.have.length(19);
    const written = docs.split('\n').filter((line) => /^\| `[\w-]+` \| `\w+` \|/.test(line));
    expect(written).to.deep.equal(rows);
  });

  it('gives the definition as code where every part is an attribute', () => {
    expect(adviceFor([{ set: { pk: 'OWNER#{owner}#{region}', sk: '{size}' } }])).to.deep.equal({
      verdict: 'could be natural',
      hash: ['owner', 'region'],
      range: ['size'],
      discriminator: undefined,
      spared: ['pk', 'sk'],
      code: "X: { hash: ['owner', 'region'], range: 'size' }",
    });
  });

  it('says why not: each reason by its name', () => {
    expect(reasonsOf(adviceFor([{ when: equals('region', 'x'), set: { pk: '{owner}', sk: '{region}' } }]))).to.deep.equal([
      'sparse rule',
    ]);
    expect(reasonsOf(adviceFor([{ set: { pk: '{owner}', sk: '{size|negate}' } }]))).to.include('transform');
    expect(reasonsOf(adviceFor([{ set: { pk: '{owner}', sk: '{region}#{size}' } }]))).to.include('order of texts');
    expect(reasonsOf(adviceFor([{ set: { pk: 'ALL', sk: '{region}' } }]))).to.deep.equal(['one name for all']);
    expect(reasonsOf(adviceFor([{ set: { pk: '{gone}', sk: '{region}' } }]))).to.include('only in the primary key');
  });

  it('adds a stored constant where other records have the attributes too, or says that there is none', () => {
    const other = (constants: Readonly<Record<string, string>>) =>
      defineEntity({
        name: 'OTHER',
        description: 'Another',
        attributes: { id: text(), owner: text(), region: text() },
        constants,
      });
    const derive = [{ set: { pk: 'OWNER#{owner}', sk: '{region}' } }];
    expect(adviceFor(derive, [other({ kind: 'OTHER' })])).to.include({
      discriminator: 'kind',
      code: "X: { hash: ['kind', 'owner'], range: 'region' }",
    });
    expect(reasonsOf(adviceFor(derive, [other({ kind: 'THING' })]))).to.deep.equal(['no discriminator']);
  });

  it('counts the backfill of a constant that old records lack into the price of moving', () => {
    const table = { indexes: [{ name: 'X', hash: [], range: [], projection: 'ALL' as const }] };
    const items = [{ id: { S: 'a' }, kind: { S: 'THING' } }, { id: { S: 'b' } }];
    const lacks = (one: Item) => !Object.hasOwn(one, 'kind');
    const { lacking, moving, movingCost } = savingsOf(table, { spared: [], lacks }, items, 'us-east-1');
    expect({ lacking, moving }).to.deep.equal({
      lacking: 1,
      moving: { fill: 1_000_000, remove: 2_000_000, backfill: 1_000_000 },
    });
    const { movingCost: without } = savingsOf(table, { spared: [] }, items, 'us-east-1');
    expect(Number(movingCost) / Number(without)).to.equal(4 / 3);
  });

  it('counts the records that a natural index would hold and a sparse one does not', () => {
    const thing = defineEntity({
      name: 'THING',
      description: 'A thing',
      attributes,
      derive: [{ when: equals('region', 'x'), set: { pk: 'OWNER#{owner}', sk: '{region}' } }],
    });
    const table = defineTable({
      ...{ name: 'things', system: 'toys', namespace: 'toys', description: 'Things', hash: 'id' },
      indexes: { X: { hash: 'pk', range: 'sk' } },
      entities: [thing],
    });
    const inputs = ['x', 'x', 'y', 'z', 'y'].map((region, at) => ({ id: `${at}`, owner: 'o', region, size: 1 }));
    const bare: Item = { id: { S: 'bare' }, owner: { S: 'o' } };
    const items = [...inputs.map((one) => buildItem(table, thing, one)), bare];
    expect(sparseRecords(table, table.indexes[0] as Index, items)).to.equal(3);
  });

  it('measures what it saves: bytes with their names, in the table and in every index that holds them', () => {
    const table = { indexes: [{ name: 'X', hash: [], range: [], projection: 'ALL' as const }] };
    const item = { id: { S: 'a' }, pk: { S: 'x'.repeat(1_000) }, body: { S: 'y'.repeat(100) } };
    expect(savingsOf(table, { spared: ['pk'] }, [item], 'us-east-1')).to.deep.include({
      sampled: 1,
      bytesPerItem: 1_002,
      unitsPerMillion: 2_000_000,
      lacking: 0,
      moving: { fill: 1_000_000, remove: 4_000_000, backfill: 0 },
    });
    expect(savingsOf(table, { spared: ['pk'] }, [item], 'nowhere')).to.include({
      storagePerMillion: undefined,
      movingCost: undefined,
    });
  });
});
