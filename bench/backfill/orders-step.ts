import { derivedBackfill } from '../../engine/core/migrate/derived-backfill.ts';
import { text } from '../../tables/model/attributes.ts';
import { defineEntity } from '../../tables/model/entity.ts';
import { defineTable } from '../../tables/model/table.ts';

const order = defineEntity({
  name: 'ORDER',
  description: 'An order',
  attributes: { order_id: text(), client_id: text(), product_id: text(), created_at: text() },
  derive: [
    { set: { PK: 'CLIENT#{client_id}', SK: 'ORDER#{created_at}#{order_id}' } },
    { set: { GSI1_PK: 'PRODUCT#{product_id}', GSI1_SK: '{created_at}' } },
  ],
});

/** The orders of the bench as a catalogue has them, and the backfill of their index keys. */
export function ordersStep(table: string) {
  const orders = defineTable({
    name: table,
    system: 'bench',
    namespace: 'bench',
    description: 'Orders',
    hash: 'PK',
    range: 'SK',
    indexes: { by_product: { hash: 'GSI1_PK', range: 'GSI1_SK' } },
    entities: [order],
  });
  return {
    orders,
    step: derivedBackfill({ name: 'keys', table: orders, entities: [order], attributes: ['GSI1_PK', 'GSI1_SK'] }),
  };
}
