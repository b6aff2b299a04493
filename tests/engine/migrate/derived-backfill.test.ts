import { expect } from 'chai';
import { decideItem } from '../../../engine/core/migrate/decide-item.ts';
import { derivedBackfill } from '../../../engine/core/migrate/derived-backfill.ts';
import { text } from '../../../tables/model/attributes.ts';
import { defineEntity } from '../../../tables/model/entity.ts';
import { defineTable } from '../../../tables/model/table.ts';

const order = defineEntity({
  name: 'ORDER',
  description: 'An order',
  attributes: { order_id: text(), client_id: text(), product_id: text(), at: text(), status: text() },
  derive: [
    { set: { PK: 'CLIENT#{client_id}', SK: 'ORDER#{order_id}' } },
    { set: { GSI1_PK: 'PRODUCT#{product_id}', GSI1_SK: '{at}' } },
    { set: { GSI2_PK: 'STATUS#{status}', GSI2_SK: '{at}' } },
  ],
});
const orders = defineTable({
  name: 'orders',
  system: 'shop',
  namespace: 'shop',
  description: 'Orders',
  hash: 'PK',
  range: 'SK',
  indexes: { by_product: { hash: 'GSI1_PK', range: 'GSI1_SK' }, by_status: { hash: 'GSI2_PK', range: 'GSI2_SK' } },
  entities: [order],
});
const item = { PK: { S: 'CLIENT#c' }, SK: { S: 'ORDER#o' }, product_id: { S: 'p' }, at: { S: '2026' } };

describe('a backfill that follows from the catalogue', () => {
  it('reads and guards only what the wanted keys are made of', () => {
    const step = derivedBackfill({ name: 'keys', table: orders, entities: [order], attributes: ['GSI1_PK', 'GSI1_SK'] });
    expect(step.reads).to.have.members(['product_id', 'at']);
    const decision = decideItem(step, item, { nowSeconds: 0 });
    const [change] = decision.kind === 'change' ? decision.changes : [];
    expect(change).to.deep.include({ set: { GSI1_PK: { S: 'PRODUCT#p' }, GSI1_SK: { S: '2026' } } });
    expect(Object.keys(change?.kind === 'update' ? change.guard : {})).to.have.members([
      'product_id',
      'at',
      'GSI1_PK',
      'GSI1_SK',
    ]);
  });

  it('reads what the primary key is made of where it fills that in', () => {
    const step = derivedBackfill({ name: 'all', table: orders, entities: [order] });
    expect(step.reads).to.include.members(['client_id', 'order_id', 'product_id', 'at', 'status']);
    const decision = decideItem(step, item, { nowSeconds: 0 });
    const [change] = decision.kind === 'change' ? decision.changes : [];
    expect(change?.kind === 'update' ? Object.keys(change.set) : []).to.have.members([
      'client_id',
      'order_id',
      'GSI1_PK',
      'GSI1_SK',
    ]);
  });
});
