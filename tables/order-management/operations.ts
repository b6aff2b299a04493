import { keyPart } from '../model/attributes.ts';
import { absent, all, any, equals, present } from '../model/condition.ts';
import { keyOf } from '../model/item.ts';
import { defineOperation, together } from '../model/operation.ts';
import { itemPhase, orderPhase, orderManagement as table } from './order-management.ts';

// What a record is in may be older than the list of what is written.
const change = { cnpj: keyPart(), orderId: keyPart(), from: keyPart() };

/** The status is part of the key, so a change deletes one record and puts another, together. */
export const changeOrderStatus = defineOperation({
  name: 'orderManagement.changeOrderStatus',
  description: 'Move an order from one status to another',
  invariant:
    'An order has one status record at any time, with all that it carried; of several changes from one status one happens',
  params: { ...change, to: orderPhase() },
  reads: ({ cnpj, orderId, from }) => [{ pattern: table.patterns.statusOfOrder, params: { cnpj, orderId, status: from } }],
  decide: ({ from, to }, [records]) => {
    const found = records?.[0];
    if (from === to) return { refusal: 'same-status' };
    if (found === undefined) return { refusal: 'status-changed' };
    // What else the record carries goes along, as it was read: whoever changes it meanwhile is not overwritten.
    const item = { ...found, SK: { S: `STATUS#${to}` }, order_status: { S: to } };
    const { PK: _, SK: __, ...seen } = found;
    return together(
      { kind: 'delete', table, key: keyOf(table, found), seen, refusal: 'status-changed' },
      { kind: 'put', table, item, condition: absent('PK'), refusal: 'status-exists' },
    );
  },
});

/** The item's status and its place in the picking queue change in one update. */
export const changeItemStatus = defineOperation({
  name: 'orderManagement.changeItemStatus',
  description: 'Move an item of an order from one item status to another',
  invariant: 'An item stands in the queue of its status and in no other; of several changes from one status one happens',
  params: { ...change, to: itemPhase(), productId: keyPart() },
  decide: ({ cnpj, orderId, productId, from, to }) => {
    const partition = `COMPANY#${cnpj}#ORDER#${orderId}`;
    // The documented sample carries its status in the index key alone.
    const before = any(equals('item_status', from), all(absent('item_status'), equals('GSI2-PK', `ITEMSTATUS#${from}`)));
    return together({
      kind: 'update',
      table,
      key: { PK: { S: partition }, SK: { S: `ITEM#${productId}` } },
      set: { item_status: { S: to }, 'GSI2-PK': { S: `ITEMSTATUS#${to}` }, 'GSI2-SK': { S: `${partition}#ITEM#${productId}` } },
      condition: all(present('PK'), before),
      refusal: 'status-changed',
    });
  },
});
