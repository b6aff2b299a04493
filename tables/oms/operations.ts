import { type Item, scalarText } from '../model/attribute-value.ts';
import { brazilianTime, text } from '../model/attributes.ts';
import { absent, all, equals, present } from '../model/condition.ts';
import { buildItem, keyOf } from '../model/item.ts';
import { defineOperation, together, type Write } from '../model/operation.ts';
import { analystOrder, omsTradingData, order } from './trading-data.ts';

const table = omsTradingData;

/** Pattern 8. An order with an analyst is two items, written together or not at all. */
export const createOrder = defineOperation({
  name: 'oms.createOrder',
  description: 'Create an order, with its analyst link where it has an analyst',
  params: order.schema.shape,
  reads: (params) => [{ pattern: table.patterns.orderExists, params: { orderId: params.order_id } }],
  decide: (params, [existing]) => {
    if (existing !== undefined && existing.length > 0) return { refusal: 'order-exists' };
    const guard = { table, condition: absent('PK'), refusal: 'order-exists' } as const;
    const writes: Write[] = [{ kind: 'put', ...guard, item: buildItem(table, order, params) }];
    const { analyst_id } = params;
    if (analyst_id !== undefined)
      writes.push({ kind: 'put', ...guard, item: buildItem(table, analystOrder, { ...params, analyst_id }) });
    return together(...writes);
  },
});

/** Pattern 9. The order and its analyst link change together, and only from the status that was read. */
export const updateOrderStatus = defineOperation({
  name: 'oms.updateOrderStatus',
  description: 'Change the status of an order and of its analyst link',
  params: { orderId: text(), status: text(), updatedAt: brazilianTime() },
  reads: ({ orderId }) => [{ pattern: table.patterns.orderById, params: { orderId } }],
  decide: ({ status, updatedAt }, [orders]) => {
    const found = orders?.[0];
    if (found === undefined) return { refusal: 'order-not-found' };
    const before = scalarText(found.status) ?? '';
    const change = {
      kind: 'update',
      table,
      set: { status: { S: status }, updated_at: { S: updatedAt } },
      condition: all(present('PK'), equals('status', before)),
      refusal: 'status-changed',
    } as const;
    const writes: Write[] = [{ ...change, key: keyOf(table, found) }];
    if (found.analyst_id !== undefined) writes.push({ ...change, key: linkKey(found) });
    return together(...writes);
  },
});

/** The link lies beside its order, under the order's own sort key with another prefix. */
function linkKey(found: Item): Item {
  const { PK, SK } = found;
  const suffix = (scalarText(SK) ?? '').replace(/^ORDER#/, '');
  return { PK: PK ?? { S: '' }, SK: { S: `ANALYST_ORDER#${suffix}` } };
}
