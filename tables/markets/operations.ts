import { z } from 'zod';
import { type Item, scalarText } from '../model/attribute-value.ts';
import { decimal, epochSeconds, integer, text } from '../model/attributes.ts';
import { absent, all, any, atLeast, equals, holds, less } from '../model/condition.ts';
import { addDecimals, compareDecimals, decimalProblem, negateDecimal } from '../model/decimal.ts';
import { buildItem, keyOf, ruleProblems } from '../model/item.ts';
import { defineOperation, nothingToChange, together, type Write } from '../model/operation.ts';
import { asSeen, createWrites } from '../model/record-writes.ts';
import { reindex } from '../model/reindex.ts';
import { checkpoint, control, idempotency, lock } from './control.ts';
import { canTrade, marketOrder, marketOrders } from './orders.ts';
import { trade, trades } from './trades.ts';

const { status: orderStatus, remaining: orderRemaining } = marketOrder.schema.shape;

/** Leaving the book takes the order's book keys away in the same update; coming back sets them. */
export const updateMarketOrder = defineOperation({
  name: 'markets.updateOrder',
  description: 'Change status and remaining size of an order, and its place in the book with them',
  invariant:
    'An order stands in the book exactly while it can trade, under its price; what came in between is not overwritten: with `expected`, since the caller looked',
  params: {
    id: text(),
    status: orderStatus,
    remaining: orderRemaining,
    /** What the caller goes by; another order than this is refused. */
    expected: z.strictObject({ status: orderStatus, remaining: decimal() }).optional(),
  },
  reads: ({ id }) => [{ pattern: marketOrders.patterns.byId, params: { id } }],
  decide: ({ status, remaining, expected }, [orders]) => {
    const found = orders?.[0];
    if (found === undefined) return { refusal: 'order-not-found' };
    if (expected !== undefined && !isAt(found, expected.status, expected.remaining)) return { refusal: 'order-changed' };
    const values = { status: { S: status }, remaining: { N: remaining } };
    const problems = ruleProblems(marketOrder, { ...found, ...values });
    if (problems.length > 0) return { problems };
    const change = orderChange(found, values);
    return change === undefined ? nothingToChange : together(change);
  },
});

/**
 * The update of an order that is still as it was read; undefined when it has the values already. Its place in the book is made of its
 * price and market, too: one that is set by an older price would stand there for good.
 */
function orderChange(found: Item, values: Item): Write | undefined {
  const { set, remove } = reindex(marketOrders, marketOrder, found, values);
  if (Object.keys(set).length + remove.length === 0) return undefined;
  const as = asSeen(marketOrders, marketOrder, found, 'order-changed');
  return { kind: 'update', table: marketOrders, key: keyOf(marketOrders, found), set, remove, ...as };
}

function isAt(order: Item, status: string, remaining: string): boolean {
  return scalarText(order.status) === status && compareDecimals(scalarText(order.remaining) ?? '0', remaining) === 0;
}

/** A fill is known by its trade: repeated, under whatever circumstances, it counts once. */
export const fillMarketOrder = defineOperation({
  name: 'markets.fillOrder',
  description: 'Record a trade against an order: the trade, and the order’s remaining size and place in the book, together',
  invariant: 'The remaining size of an order is its size less that of the trades recorded against it, each once; never below 0',
  params: { ...trade.schema.shape, orderId: text() },
  // How much it fills does not depend on what was read, only whether there is so much left.
  again: ['order-changed'],
  reads: ({ id, orderId }) => [
    { pattern: marketOrders.patterns.byId, params: { id: orderId } },
    { table: trades, key: { id: { S: id } } },
  ],
  decide: (params, [orders, recorded]) => {
    const found = orders?.[0];
    if (recorded?.[0] !== undefined) return { refusal: 'trade-exists' };
    if (found === undefined) return { refusal: 'order-not-found' };
    const market = scalarText(found.marketId);
    if (market !== params.marketId)
      return { problems: [`marketId: expected that of the order, ${market}, found ${params.marketId}`] };
    if (!holds(all(...canTrade), found)) return { refusal: 'order-closed' };
    const left = addDecimals(scalarText(found.remaining) ?? '0', negateDecimal(params.size));
    if (compareDecimals(left, '0') < 0) return { refusal: 'remaining-exceeded' };
    const problem = decimalProblem(left);
    if (problem !== undefined) return { problems: [`size: what it leaves of the order cannot be stored: ${problem}`] };
    const filled = { status: { S: left === '0' ? 'Filled' : 'PartiallyFilled' }, remaining: { N: left } };
    const change = orderChange(found, filled);
    const created = createWrites(trades, trade, buildItem(trades, trade, params), 'trade-exists');
    return together(...created, ...(change === undefined ? [] : [change]));
  },
});

/** A whole number of at least so much. */
const wholeFrom = (least: number) =>
  integer().refine((value) => value >= least, { message: `expected a whole number of at least ${least}` });

const checkpointKey = { name: { S: 'indexer:checkpoint' } };
const lockKey = { name: { S: 'indexer:lock' } };

export const advanceCheckpoint = defineOperation({
  name: 'markets.advanceCheckpoint',
  description: 'Move the indexer’s checkpoint forward; never back',
  invariant: 'The checkpoint is the highest slot that was ever given, with that slot’s signature',
  params: { slot: wholeFrom(0), signature: text() },
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

const leaseParams = { owner: text(), now: epochSeconds(), seconds: wholeFrom(1) };

export const takeLock = defineOperation({
  name: 'markets.takeLock',
  description: 'Take the indexer’s lock if it is free or has expired',
  invariant: 'Of all who take it for overlapping times by one clock exactly one has it',
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
  invariant: 'Only its holder extends it, and only before it has expired: it never comes back from somebody else',
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
  invariant: 'Only its holder gives it back',
  params: { owner: text() },
  decide: ({ owner }) =>
    together({ kind: 'delete', table: control, key: lockKey, condition: equals('lockedBy', owner), refusal: 'lock-lost' }),
});

export const claimSignature = defineOperation({
  name: 'markets.claimSignature',
  description: 'Claim a transaction signature; it succeeds once',
  invariant: 'Of all who claim a signature exactly one succeeds, as long as the claim is kept',
  params: { signature: text(), now: epochSeconds(), seconds: wholeFrom(1) },
  decide: ({ signature, now, seconds }) =>
    together({
      kind: 'put',
      table: control,
      item: buildItem(control, idempotency, { signature, ttl: now + seconds }),
      condition: absent('name'),
      refusal: 'already-claimed',
    }),
});
