import { expect } from 'chai';
import { dangerousChanges } from '../../infra/shape/dangerous-changes.ts';
import { guardShape } from '../../infra/shape/guard.ts';
import { readShapes } from '../../infra/shape/read-shapes.ts';
import { afterRelease, waitingTtls } from '../../tables/model/shape/after-release.ts';
import { type CatalogueShape, shapeOf, type TableShape } from '../../tables/model/shape/shape.ts';
import { defineTable } from '../../tables/model/table.ts';
import { project, tables } from '../support/project.ts';
import { repository } from '../support/run-cli.ts';
import { thrown } from './support/thrown.ts';

const { released: releasedShape, allowed: allowedChanges } = readShapes(project, repository);

const released = shapeOf(tables);

function changed(name: string, change: (shape: TableShape) => Partial<TableShape>): CatalogueShape {
  const shape = released[name];
  if (shape === undefined) throw new Error(`the catalogue has no ${name}`);
  return { ...released, [name]: { ...shape, ...change(shape) } };
}

const dev = { project: 'tablewright', stack: 'dev', region: 'eu-west-1', nameSuffix: {}, tables: {} };

const losses: readonly (readonly [string, CatalogueShape, string, string, string?])[] = [
  [
    'a dropped table',
    Object.fromEntries(Object.entries(released).filter(([name]) => name !== 'orders')),
    'orders/table',
    'the table is deleted, with all its items and its 3 indexes',
  ],
  [
    'another key',
    changed('orders', () => ({ key: 'id (N)' })),
    'orders/key',
    'the table is replaced, with the loss of all its items: its key was id (S) and becomes id (N)',
  ],
  [
    'another suffix rule',
    changed('orders', () => ({ suffix: 'always' })),
    'orders/suffix',
    'the table is replaced, with the loss of all its items: its suffix was outside-prod and becomes always',
  ],
  [
    'a dropped index',
    changed('orders', ({ indexes }) => ({ indexes: indexes.slice(0, 2) })),
    'orders/index/orders_by_owner',
    'the index on gsi3pk (S) / gsi3sk (S) is deleted and every query on it fails from then on',
  ],
  [
    'another projection',
    changed('orders', ({ indexes }) => ({
      indexes: indexes.map((index) => (index.name === 'orders_by_owner' ? { ...index, projection: 'KEYS_ONLY' } : index)),
    })),
    'orders/index/orders_by_owner',
    'the index is deleted and built again, and queries on it fail meanwhile: it was gsi3pk (S) / gsi3sk (S) with ALL and becomes gsi3pk (S) / gsi3sk (S) with KEYS_ONLY',
  ],
  [
    'a moved TTL',
    changed('control', () => ({ ttl: 'expires' })),
    'control/ttl',
    'items do not expire for an hour or more: DynamoDB cannot move the TTL from ttl to expires in one step',
    "it takes two deployments an hour apart: 'npx pulumi up -s dev' switches the TTL on ttl off; then run 'npx tablewright shape release', wait an hour, and 'npx pulumi up -s dev' switches it on for expires",
  ],
  [
    'the last index dropped',
    changed('oms_config', () => ({ indexes: [] })),
    'oms_config/index/GSI1',
    'the index on GSI1_PK (S) / GSI1_SK (S) is deleted and every query on it fails from then on',
    `Pulumi leaves an index in place where a table keeps none, so after the deployment drop it with: aws dynamodb update-table --region eu-west-1 --table-name oms_config_dev --global-secondary-index-updates '[{"Delete":{"IndexName":"GSI1"}}]'`,
  ],
  [
    'a TTL switched off',
    changed('control', () => ({ ttl: null })),
    'control/ttl',
    'items no longer expire: the TTL on ttl is switched off',
  ],
];

describe('the guard of the released shape', () => {
  it('lets the catalogue of this repository through', () => {
    expect(guardShape({ released: releasedShape, current: shapeOf(tables), allowed: allowedChanges }, dev)).to.deep.equal([]);
  });

  it('knows all of our own tables as released', () => {
    const missing = tables.map(({ name }) => name).filter((name) => !Object.hasOwn(releasedShape, name));
    expect(missing, "'npx tablewright shape release' records them").to.deep.equal([]);
  });

  for (const [what, current, id, loss, after] of losses) {
    it(`refuses ${what} and says what would be lost`, () => {
      const expected = after === undefined ? { id, loss } : { id, loss, after };
      expect(dangerousChanges(released, current, dev)).to.deep.equal([expected]);
      const error = thrown(() => guardShape({ released, current, allowed: [] }, dev));
      expect(error.code).to.equal('DANGEROUS_CHANGE');
      const text = after === undefined ? loss : `${loss}; ${after}`;
      expect(error.message).to.equal(`The catalogue differs from its released shape in ways that lose data\n  - ${id}: ${text}`);
      expect(error.next).to.equal(
        "Take the change back, or name it in tables/allowed-changes.json with the reason; after the deployment run 'npx tablewright shape release'.",
      );
    });

    it(`lets ${what} through when it is allowed by name`, () => {
      const allowed = [{ change: id, reason: 'nobody reads it any more' }];
      const left = guardShape({ released, current, allowed }, dev);
      expect(left).to.deep.equal(after === undefined ? [] : [`${id}: ${after}`]);
    });
  }

  it('knows keys of several attributes apart by which of them are the partition, and by their order', () => {
    const shapeWith = (hash: readonly string[], range: readonly string[]) =>
      shapeOf([
        defineTable({
          ...{ name: 'tuples', system: 'samples', namespace: 'samples.tuples', description: 'Tuples', hash: 'id' },
          indexes: { ByPlace: { hash, range } },
        }),
      ]);
    const before = shapeWith(['a', 'b'], ['c']);
    expect(dangerousChanges(before, shapeWith(['a', 'b'], ['c']), dev)).to.deep.equal([]);
    for (const other of [shapeWith(['a'], ['b', 'c']), shapeWith(['b', 'a'], ['c']), shapeWith(['a', 'b'], ['c', 'd'])]) {
      const [change] = dangerousChanges(before, other, dev);
      expect(change?.id).to.equal('tuples/index/ByPlace');
      expect(change?.loss).to.contain('it was a (S) + b (S) / c (S) with ALL and becomes ');
    }
  });

  it('lets new tables, new indexes and a new TTL through', () => {
    const index = { name: 'GSI9', key: 'a (S)', projection: 'ALL' };
    const more = {
      ...changed('oms_config', ({ indexes }) => ({ indexes: [...indexes, index], ttl: 'ttl' })),
      extra: { suffix: 'always', key: 'id (S)', indexes: [], ttl: null } as const,
    };
    expect(guardShape({ released, current: more, allowed: [] }, dev)).to.deep.equal([]);
  });

  it('reports every change at once', () => {
    const current = { ...changed('orders', () => ({ indexes: [] })), control: undefined } as unknown as CatalogueShape;
    expect(thrown(() => guardShape({ released, current, allowed: [] }, dev)).problems).to.have.lengthOf(4);
  });

  it('refuses an entry of the allow list that fits no change, because it would let a later one through', () => {
    const error = thrown(() =>
      guardShape({ released, current: released, allowed: [{ change: 'orders/key', reason: 'last year' }] }, dev),
    );
    expect(error.problems).to.deep.equal([
      'orders/key: tables/allowed-changes.json allows it, and the catalogue has no such change',
    ]);
  });
});

describe('the released shape', () => {
  const ttl = (shape: CatalogueShape) => {
    const { ttl, formerTtl } = shape.control as TableShape;
    return { ttl, formerTtl };
  };
  const withTtl = (attribute: string | null) => changed('control', () => ({ ttl: attribute }));

  it('remembers the attribute of a TTL that was switched off, through every later release', () => {
    let recorded = released;
    for (let release = 0; release < 4; release += 1) {
      recorded = afterRelease(recorded, withTtl(null));
      expect(ttl(recorded)).to.deep.equal({ ttl: null, formerTtl: 'ttl' });
    }
    expect(ttl(afterRelease(recorded, withTtl('expires')))).to.deep.equal({ ttl: 'expires', formerTtl: undefined });
  });

  it('has a moved TTL off after the first deployment, says who waits, and on after the second', () => {
    const half = afterRelease(released, withTtl('expires'));
    expect(ttl(half)).to.deep.equal({ ttl: null, formerTtl: 'ttl' });
    expect(waitingTtls(half, withTtl('expires'))).to.deep.equal([['control', 'expires']]);
    const whole = afterRelease(half, withTtl('expires'));
    expect(ttl(whole)).to.deep.equal({ ttl: 'expires', formerTtl: undefined });
    expect(waitingTtls(whole, withTtl('expires'))).to.deep.equal([]);
  });

  it('takes everything else from the catalogue, and new tables without a former TTL', () => {
    const extra: TableShape = { suffix: 'always', key: 'id (S)', indexes: [], ttl: null };
    expect(afterRelease({}, { ...released, extra })).to.deep.equal({ ...released, extra });
    expect(afterRelease(releasedShape, shapeOf(tables))).to.deep.equal(releasedShape);
  });
});
