import { scalarText } from '../model/attribute-value.ts';
import { decimal, epochSeconds, integer, text } from '../model/attributes.ts';
import { absent, all, any, atLeast, equals, less, present } from '../model/condition.ts';
import { buildItem, keyOf } from '../model/item.ts';
import { defineOperation, together } from '../model/operation.ts';
import { reindex } from '../model/reindex.ts';
import { checkpoint, control, idempotency, lock } from './control.ts';
import { marketOrder, marketOrders } from './orders.ts';

const orderStatusSchema = marketOrder.schema.shape.status;

/** Leaving the book takes the order's book keys away in the same update; coming back sets them. */
export const updateMarketOrder = defineOperation({
  name: 'markets.updateOrder',
  description: 'Change status and remaining size of an order, and its place in the book with them',
  params: { id: text(), status: orderStatusSchema, remaining: decimal() },
  reads: ({ id }) => [{ pattern: marketOrders.patterns.byId, params: { id } }],
  decide: ({ status, remaining }, [orders]) => {
    const found = orders?.[0];
    if (found === undefined) return { refusal: 'order-not-found' };
    const before = all(
      equals('status', scalarText(found.status) ?? ''),
      equals('remaining', { N: scalarText(found.remaining) ?? '0' }),
    );
    const change = reindex(marketOrders, marketOrder, found, { status: { S: status }, remaining: { N: remaining } });
    return together({
      kind: 'update',
      table: marketOrders,
      key: keyOf(marketOrders, found),
      ...change,
      condition: all(present('id'), before),
      refusal: 'order-changed',
    });
  },
});

const checkpointKey = { name: { S: 'indexer:checkpoint' } };
const lockKey = { name: { S: 'indexer:lock' } };

export const advanceCheckpoint = defineOperation({
  name: 'markets.advanceCheckpoint',
  description: 'Move the indexer’s checkpoint forward; never back',
  params: { slot: integer(), signature: text() },
  decide: ({ slot, signature }) => {
    const { name: _, ...values } = buildItem(control, checkpoint, { lastSlot: slot, lastSig: signature });
    return together({
      kind: 'update',
      table: control,
      key: checkpointKey,
      set: values,
      condition: any(absent('lastSlot'), less('lastSlot', { N: String(slot) })),
      refusal: 'checkpoint-ahead',
    });
  },
});

const leaseParams = { owner: text(), now: epochSeconds(), seconds: integer() };

export const takeLock = defineOperation({
  name: 'markets.takeLock',
  description: 'Take the indexer’s lock if it is free or has expired',
  params: leaseParams,
  decide: ({ owner, now, seconds }) =>
    together({
      kind: 'put',
      table: control,
      item: buildItem(control, lock, { lockedBy: owner, ttl: now + seconds }),
      condition: any(absent('name'), less('ttl', { N: String(now) })),
      refusal: 'lock-held',
    }),
});

export const renewLock = defineOperation({
  name: 'markets.renewLock',
  description: 'Hold the indexer’s lock longer, if it is still held',
  params: leaseParams,
  decide: ({ owner, now, seconds }) =>
    together({
      kind: 'update',
      table: control,
      key: lockKey,
      set: { ttl: { N: String(now + seconds) } },
      condition: all(equals('lockedBy', owner), atLeast('ttl', { N: String(now) })),
      refusal: 'lock-lost',
    }),
});

export const releaseLock = defineOperation({
  name: 'markets.releaseLock',
  description: 'Give the indexer’s lock back; only its holder can',
  params: { owner: text() },
  decide: ({ owner }) =>
    together({ kind: 'delete', table: control, key: lockKey, condition: equals('lockedBy', owner), refusal: 'lock-lost' }),
});

export const claimSignature = defineOperation({
  name: 'markets.claimSignature',
  description: 'Claim a transaction signature; it succeeds once',
  params: { signature: text(), now: epochSeconds(), seconds: integer() },
  decide: ({ signature, now, seconds }) =>
    together({
      kind: 'put',
      table: control,
      item: buildItem(control, idempotency, { signature, ttl: now + seconds }),
      condition: absent('name'),
      refusal: 'already-claimed',
    }),
});
