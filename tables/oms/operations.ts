import { type Item, scalarText } from '../model/attribute-value.ts';
import { brazilianTime, text } from '../model/attributes.ts';
import { keyIdentity } from '../model/canonical.ts';
import type { InputOf } from '../model/entity.ts';
import { buildItem, keyOf } from '../model/item.ts';
import { defineOperation, together, type Write } from '../model/operation.ts';
import { createWrites } from '../model/record-writes.ts';
import { omsOrderStatus, omsTradingData, order } from './trading-data.ts';

const table = omsTradingData;

/** Pattern 8. With the order go the record that keeps its id from being given twice and, where it has an analyst, its link. */
export const createOrder = defineOperation({
  name: 'oms.createOrder',
  description: 'Create an order, with the record of its id and its analyst link where it has an analyst',
  invariant: 'There is at most one order of an id; an order with an analyst and its link are both there or both not',
  params: order.schema.shape,
  // Finds orders that are older than the records of ids; for all others those records are the guard.
  reads: (params) => [{ pattern: table.patterns.orderExists, params: { orderId: params.order_id } }],
  decide: (params, [existing = []]) => {
    const item = buildItem(table, order, params as InputOf<typeof order>);
    // The same order may be there by an earlier try whose answer was lost; whether it was that one, its token tells.
    const others = existing.filter((one) => keyIdentity(table.key, one) !== keyIdentity(table.key, item));
    return others.length > 0 ? { refusal: 'order-exists' } : together(...createWrites(table, order, item, 'order-exists'));
  },
});

/** Pattern 9. The order and its analyst link change together, and only from the status that was read. */
export const updateOrderStatus = defineOperation({
  name: 'oms.updateOrderStatus',
  description: 'Change the status of an order and of its analyst link',
  invariant: 'An order and its link always have the same status; no change of it that came in between is overwritten',
  params: { orderId: text(), status: omsOrderStatus(), updatedAt: brazilianTime() },
  reads: ({ orderId }) => [{ pattern: table.patterns.orderById, params: { orderId } }],
  decide: ({ status, updatedAt }, [orders]) => {
    const found = orders?.[0];
    if (found === undefined) return { refusal: 'order-not-found' };
    const { status: before, analyst_id: analyst } = found;
    const change = { kind: 'update', table, set: { status: { S: status }, updated_at: { S: updatedAt } } } as const;
    // With its analyst, too: an order that got one since it was read, or since the index saw it, has a link by now.
    const seen = { status: before, analyst_id: analyst };
    const writes: Write[] = [{ ...change, key: keyOf(table, found), seen, refusal: 'status-changed' }];
    // With the order as it was read, a link that is not alike was so before.
    if (analyst !== undefined) writes.push({ ...change, key: linkKey(found), seen: { status: before }, refusal: 'link-differs' });
    return together(...writes);
  },
});

/** The link lies beside its order, under the order's own sort key with another prefix. */
function linkKey(found: Item): Item {
  const { PK, SK } = found;
  const suffix = (scalarText(SK) ?? '').replace(/^ORDER#/, '');
  return { PK: PK ?? { S: '' }, SK: { S: `ANALYST_ORDER#${suffix}` } };
}
