import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { adviseIndex, sparseRecords } from '../../../engine/core/tables/advise-index.ts';
import { savingsOf } from '../../../engine/core/tables/index-savings.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { choice, flag, integer, isoTime, mapOf, text } from '../../../tables/model/attributes.ts';
import { equals } from '../../../tables/model/condition.ts';
import { defineEntity, type EntityOptions } from '../../../tables/model/entity.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { pricesByRegion } from '../../../tables/model/stack/prices.ts';
import { defineTable, type Index } from '../../../tables/model/table.ts';
import { adviceRow } from '../../support/advice-row.ts';
import { tables } from '../../support/project.ts';

const attributes = {
  ...{ id: text(), owner: text(), region: text(), size: integer() },
  ...{ at: isoTime().optional(), state: choice('open', 'done').optional(), a: text().optional(), b: text().optional() },
  ...{ place: mapOf({ city: text() }).optional(), open: flag().optional() },
};

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
    // The rule of two indexes: without what the other is made of, a record is in neither.
    expect(reasonsOf(adviceFor([{ set: { pk: '{owner}', sk: '{region}', other: '{a}' } }]))).to.deep.equal(['sparse rule']);
    expect(reasonsOf(adviceFor([{ set: { pk: '{owner}', sk: '{region}', other: '{size}#{region}' } }]))).to.equal(
      'could be natural',
    );
    expect(reasonsOf(adviceFor([{ set: { pk: '{owner}', sk: '{size|negate}' } }]))).to.include('transform');
    expect(reasonsOf(adviceFor([{ set: { pk: '{owner}', sk: '{region}#{size}' } }]))).to.include('order of texts');
    expect(reasonsOf(adviceFor([{ set: { pk: 'ALL', sk: '{region}' } }]))).to.deep.equal(['one name for all']);
    expect(reasonsOf(adviceFor([{ set: { pk: '{owner}', sk: '{place}' } }]))).to.deep.equal(['part in a map']);
    expect(reasonsOf(adviceFor([{ set: { pk: '{open}', sk: '{region}' } }]))).to.deep.equal(['no key']);
    expect(reasonsOf(adviceFor([{ set: { pk: '{owner}#{region}#{a}#{b}#{id}', sk: '{at}' } }]))).to.deep.equal([
      'too many parts',
    ]);
    expect(reasonsOf(adviceFor([{ set: { pk: '{gone}', sk: '{region}' } }]))).to.include('only in the primary key');
  });

  it('gives several parts in order where the text sorts as they do: padded numbers, times, listed values', () => {
    const codeOf = (sk: string) => {
      const advice = adviceFor([{ set: { pk: 'OWNER#{owner}', sk } }]);
      return advice.verdict === 'could be natural' ? advice.code : reasonsOf(advice);
    };
    expect(codeOf('{size|pad5}#{at}#{region}')).to.equal("X: { hash: 'owner', range: ['size', 'at', 'region'] }");
    expect(codeOf('{state}#{region}')).to.equal("X: { hash: 'owner', range: ['state', 'region'] }");
    expect(codeOf('{region|rest}')).to.equal("X: { hash: 'owner', range: 'region' }");
    // What the partition fixes is no part of the order.
    expect(codeOf('{owner}')).to.equal("X: { hash: 'owner' }");
    expect(codeOf('{region}#{at}')).to.deep.equal(['order of texts']);
    expect(codeOf('{region|pad5}')).to.deep.equal(['transform']);
    // 'a!#END' comes before 'a#END', and 'a' before 'a!'.
    expect(codeOf('{region}#END')).to.deep.equal(['order of texts']);
    expect(codeOf('AT#{at}#END')).to.equal("X: { hash: 'owner', range: 'at' }");
  });

  it('keeps entities apart that only a fixed text tells apart: by a constant in its place, or not at all', () => {
    const member = (pk: string, sk: string, kind: string) =>
      defineEntity({
        ...{ name: 'OTHER', description: 'Another', attributes: { id: text(), owner: text(), region: text() } },
        ...{ constants: { kind }, derive: [{ set: { pk, sk } }] },
      });
    const of = (pk: string, sk: string, kind = 'OTHER') =>
      adviceFor([{ set: { pk: 'THING#{owner}', sk: 'T#{region}' } }], [member(pk, sk, kind)]);
    expect(of('OTHER#{owner}', 'T#{region}')).to.include({
      discriminator: 'kind',
      code: "X: { hash: ['kind', 'owner'], range: 'region' }",
    });
    expect(of('THING#{owner}', 'O#{region}')).to.include({ code: "X: { hash: 'owner', range: ['kind', 'region'] }" });
    expect(of('THING#{owner}', 'T#{region}')).to.include({ discriminator: undefined });
    // The constants sort the other way round than the fixed texts, or are the same.
    expect(reasonsOf(of('THING#{owner}', 'Z#{region}'))).to.deep.equal(['no discriminator']);
    expect(reasonsOf(of('OTHER#{owner}', 'T#{region}', 'THING'))).to.deep.equal(['no discriminator']);
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
    const lacks = (one: Item) => (Object.hasOwn(one, 'kind') ? [] : ['kind']);
    const { lacking, lacked, moving, movingCost } = savingsOf(table, { spared: [], lacks }, items, 'us-east-1');
    expect({ lacking, lacked }).to.deep.equal({ lacking: 1, lacked: ['kind'] });
    expect(moving).to.include({ fill: 1_000_000, remove: 2_000_000, backfill: 1_000_000 });
    const { movingCost: without } = savingsOf(table, { spared: [] }, items, 'us-east-1');
    // A million write units more, at their price.
    expect(Number(movingCost) - Number(without)).to.be.closeTo(pricesByRegion['us-east-1']?.writeRequestUnits ?? 0, 1e-9);
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
    const savings = savingsOf(table, { spared: ['pk'] }, [item], 'us-east-1');
    expect(savings).to.include({ sampled: 1, bytesPerItem: 1_002, unitsPerItem: 2, unitsPerMillion: 2_000_000, lacking: 0 });
    expect(savings.moving).to.include({ fill: 1_000_000, remove: 4_000_000, backfill: 0 });
    // 1,109 bytes, read 5.6 times in units of 4 KB.
    expect(savings.moving.read).to.be.closeTo((1_109 / 4_096) * 5.6 * 1_000_000, 1);
    // Three of four records are another entity's: the table is read for all of them.
    const { moving } = savingsOf(table, { spared: ['pk'], looked: 4 }, [item], 'us-east-1');
    expect(moving.read).to.be.closeTo(savings.moving.read * 4, 1);
    expect(moving).to.include({ fill: 1_000_000, remove: 4_000_000 });
    const gigabyte = 1_024 ** 3;
    expect(savings.storagePerMillion).to.be.closeTo(((1_002 * 2 * 1e6) / gigabyte) * 0.25, 1e-9);
    const keysOnly = { ...table.indexes[0], hash: [{ name: 'pk', type: 'S' }], projection: 'KEYS_ONLY' } as Index;
    // Its own key stands in every index.
    expect(savingsOf({ indexes: [keysOnly] }, { spared: ['pk'] }, [item], 'us-east-1').storagePerMillion).to.equal(
      savings.storagePerMillion,
    );
    expect(savingsOf(table, { spared: ['pk'] }, [item], 'nowhere')).to.include({
      storagePerMillion: undefined,
      movingCost: undefined,
    });
  });
});
