import { expect } from 'chai';
import { dangerousChanges } from '../../infra/shape/dangerous-changes.ts';
import { guardShape } from '../../infra/shape/guard.ts';
import { allowedChanges, releasedShape } from '../../infra/shape/released.ts';
import { type CatalogueShape, shapeOf, type TableShape } from '../../infra/shape/shape.ts';
import { tables } from '../../tables/tables.ts';
import { thrown } from './support/thrown.ts';

const released = shapeOf(tables);

function changed(name: string, change: (shape: TableShape) => Partial<TableShape>): CatalogueShape {
  const shape = released[name];
  if (shape === undefined) throw new Error(`the catalogue has no ${name}`);
  return { ...released, [name]: { ...shape, ...change(shape) } };
}

const losses: readonly (readonly [string, CatalogueShape, string, string])[] = [
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
    'items no longer expire until a second deployment: DynamoDB cannot move the TTL from ttl to expires in one step',
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
    guardShape(releasedShape, shapeOf(tables), allowedChanges);
  });

  it('keeps the whole catalogue in the repository', () => {
    expect(Object.keys(releasedShape)).to.have.members(tables.map(({ name }) => name));
  });

  for (const [what, current, id, loss] of losses) {
    it(`refuses ${what} and says what would be lost`, () => {
      expect(dangerousChanges(released, current)).to.deep.equal([{ id, loss }]);
      const error = thrown(() => guardShape(released, current, []));
      expect(error.code).to.equal('DANGEROUS_CHANGE');
      expect(error.message).to.equal(`The catalogue differs from its released shape in ways that lose data\n  - ${id}: ${loss}`);
      expect(error.next).to.equal(
        'Take the change back, or name it in tables/allowed-changes.json with the reason; after the deployment run npm run release-shape.',
      );
    });

    it(`lets ${what} through when it is allowed by name`, () => {
      guardShape(released, current, [{ change: id, reason: 'nobody reads it any more' }]);
    });
  }

  it('lets new tables, new indexes and a new TTL through', () => {
    const index = { name: 'GSI9', key: 'a (S)', projection: 'ALL' };
    const more = {
      ...changed('oms_config', ({ indexes }) => ({ indexes: [...indexes, index], ttl: 'ttl' })),
      extra: { suffix: 'always', key: 'id (S)', indexes: [], ttl: null } as const,
    };
    guardShape(released, more, []);
  });

  it('reports every change at once', () => {
    const current = { ...changed('orders', () => ({ indexes: [] })), control: undefined } as unknown as CatalogueShape;
    expect(thrown(() => guardShape(released, current, [])).problems).to.have.lengthOf(4);
  });

  it('refuses an entry of the allow list that fits no change, because it would let a later one through', () => {
    const error = thrown(() => guardShape(released, released, [{ change: 'orders/key', reason: 'last year' }]));
    expect(error.problems).to.deep.equal([
      'orders/key: tables/allowed-changes.json allows it, and the catalogue has no such change',
    ]);
  });
});
