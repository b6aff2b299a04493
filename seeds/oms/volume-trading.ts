import {
  decimalText,
  divideRounded,
  type GeneratedRecord,
  type Random,
  skewed,
  spellTime,
  weighted,
} from '../../engine/author.ts';
import { analystOrder, execution, omsTradingData, order, orderId, position } from '../../tables/oms/trading-data.ts';
import { productWeights, type VolumeProduct } from './volume-config.ts';

/** Quantities in ten-thousandths, prices in cents; their products are exact at six decimals. */
export const quantityScale = 4;
export const priceScale = 2;
const notionalScale = quantityScale + priceScale;
/** A tenth of a percent. */
const commissionScale = notionalScale + 3;
/** Average prices and profits are quotients; they are rounded to this many decimals. */
export const averageScale = 8;

const day = 86_400;
/** Young enough to live on for ten days: orders expire after ninety. */
export const oldestOrderDays = 80;

const statuses = ['FILLED', 'PARTIALLY_FILLED', 'NEW', 'CANCELLED', 'REJECTED'] as const;
const statusWeights = weighted([55, 12, 15, 14, 4]);
const analystWeights = skewed(25);

export interface Trading {
  readonly seed: number;
  readonly base: number;
  readonly products: readonly VolumeProduct[];
}

interface Order {
  readonly id: string;
  readonly product: VolumeProduct;
  readonly side: 'BUY' | 'SELL';
  readonly quantity: bigint;
  readonly price: bigint;
  readonly status: (typeof statuses)[number];
  readonly at: number;
  readonly shared: Readonly<Record<string, unknown>>;
}

/** What a client bought and sold of a symbol, by fills: quantity, and quantity times price. */
interface Flow {
  readonly product: VolumeProduct;
  bought: bigint;
  paid: bigint;
  sold: bigint;
  received: bigint;
  last: number;
}

/** All orders of a client with their fills and links, and the positions that the fills add up to. */
export function tradingRecords(clientId: string, orders: number, random: Random, trading: Trading): readonly GeneratedRecord[] {
  const records: GeneratedRecord[] = [];
  const flows = new Map<string, Flow>();
  for (let number = 0; number < orders; number += 1) {
    const made = makeOrder(clientId, number, random, trading);
    records.push({ table: omsTradingData, entity: order, record: made.shared }, idRecord(made.shared));
    if (made.shared.analyst_id !== undefined) records.push({ table: omsTradingData, entity: analystOrder, record: made.shared });
    for (const fill of fillsOf(made, random)) {
      records.push(fillRecord(clientId, made, fill));
      addFlow(flows, made, fill);
    }
  }
  for (const flow of flows.values()) {
    if (flow.bought !== flow.sold) records.push(positionRecord(clientId, flow));
  }
  return records;
}

/** An order that waits: nothing is filled, so it stands by itself, with the record of its id. */
export function waitingOrder(clientId: string, number: number, random: Random, trading: Trading): readonly GeneratedRecord[] {
  const { shared } = makeOrder(clientId, number, random, trading);
  const { analyst_id: _, ...record } = shared;
  return [{ table: omsTradingData, entity: order, record: { ...record, status: 'NEW' } }, idRecord(shared)];
}

function idRecord({ order_id, client_id, created_at }: Order['shared']): GeneratedRecord {
  return { table: omsTradingData, entity: orderId, record: { order_id, client_id, created_at } };
}

function makeOrder(clientId: string, number: number, random: Random, { seed, base, products }: Trading): Order {
  const product = products[random.place(productWeights)] as VolumeProduct;
  const id = `${clientId}_o${number + 1}`;
  const side = random.chance(580) ? 'BUY' : 'SELL';
  const quantity = BigInt(random.between(1, 100)) * BigInt(10 ** random.between(1, 4));
  const price = (product.cents * BigInt(random.between(9_500, 10_500))) / 10_000n + 1n;
  const status = statuses[random.place(statusWeights)] ?? 'NEW';
  const age = random.between(3_600, oldestOrderDays * day);
  const at = base - age;
  const time = spellTime(at, 'brazilian');
  const shared = {
    order_id: id,
    client_id: clientId,
    product_id: product.id,
    symbol: product.symbol,
    side,
    quantity: decimalText(quantity, quantityScale),
    price: decimalText(price, priceScale),
    status,
    order_type: random.chance(800) ? 'LIMIT' : random.pick(['MARKET', 'STOP']),
    created_at: time,
    updated_at: time,
    // One master order a product and day: its child orders belong to several clients.
    ...(random.chance(100) ? { master_order_id: `v${seed}_master_${product.id.slice(-2)}_${Math.floor(age / day)}` } : {}),
    ...(random.chance(200) ? { analyst_id: `v${seed}_analyst_${random.place(analystWeights) + 1}` } : {}),
  };
  return { id, product, side, quantity, price, status, at, shared };
}

interface Fill {
  readonly id: string;
  readonly quantity: bigint;
  readonly price: bigint;
  readonly at: number;
}

/** Fills that add up to a filled order; to less than one that is filled in part. */
function fillsOf({ id, side, quantity, price, status, at }: Order, random: Random): readonly Fill[] {
  if (status !== 'FILLED' && status !== 'PARTIALLY_FILLED') return [];
  let left = status === 'FILLED' ? quantity : quantity - (quantity * BigInt(random.between(1, 9))) / 10n;
  if (status === 'PARTIALLY_FILLED' && left === quantity) left -= 1n;
  const parts = random.between(1, 3);
  const fills: Fill[] = [];
  for (let part = 1; part <= parts && left > 0n; part += 1) {
    const share = part === parts ? left : (left * BigInt(random.between(20, 80))) / 100n;
    const taken = share === 0n ? left : share;
    // Never worse than the order's own price.
    const better = (price * BigInt(random.below(20))) / 10_000n;
    const fillPrice = side === 'BUY' ? price - better : price + better;
    fills.push({ id: `${id}_e${part}`, quantity: taken, price: fillPrice, at: at + part * random.between(1, 600) });
    left -= taken;
  }
  return fills;
}

function fillRecord(clientId: string, made: Order, fill: Fill): GeneratedRecord {
  const { master_order_id } = made.shared;
  return {
    table: omsTradingData,
    entity: execution,
    record: {
      execution_id: fill.id,
      order_id: made.id,
      client_id: clientId,
      product_id: made.product.id,
      symbol: made.product.symbol,
      side: made.side,
      quantity: decimalText(fill.quantity, quantityScale),
      price: decimalText(fill.price, priceScale),
      commission: decimalText(fill.quantity * fill.price, commissionScale),
      executed_at: spellTime(fill.at, 'brazilian'),
      ...(master_order_id === undefined ? {} : { master_order_id }),
    },
  };
}

function addFlow(flows: Map<string, Flow>, { product, side }: Order, fill: Fill): void {
  const flow = flows.get(product.symbol) ?? { product, bought: 0n, paid: 0n, sold: 0n, received: 0n, last: 0 };
  flows.set(product.symbol, flow);
  const value = fill.quantity * fill.price;
  if (side === 'BUY') {
    flow.bought += fill.quantity;
    flow.paid += value;
  } else {
    flow.sold += fill.quantity;
    flow.received += value;
  }
  flow.last = Math.max(flow.last, fill.at);
}

/** What is held is what was bought less what was sold, at the average price of the side that opened it. */
function positionRecord(clientId: string, { product, bought, paid, sold, received, last }: Flow): GeneratedRecord {
  const net = bought - sold;
  const long = net > 0n;
  const toAverage = 10n ** BigInt(averageScale - priceScale);
  const average = long ? divideRounded(paid * toAverage, bought) : divideRounded(received * toAverage, sold);
  const closed = long ? sold : bought;
  const closedAt =
    closed === 0n ? 0n : long ? divideRounded(received * toAverage, sold) : divideRounded(paid * toAverage, bought);
  const toScale = 10n ** BigInt(quantityScale);
  const profit = (quantity: bigint, enter: bigint, leave: bigint) =>
    decimalText(divideRounded(quantity * (long ? leave - enter : enter - leave), toScale), averageScale);
  return {
    table: omsTradingData,
    entity: position,
    record: {
      client_id: clientId,
      product_id: product.id,
      symbol: product.symbol,
      side: long ? 'LONG' : 'SHORT',
      quantity: decimalText(long ? net : -net, quantityScale),
      avg_entry_price: decimalText(average, averageScale),
      unrealized_pnl: profit(long ? net : -net, average, product.cents * toAverage),
      realized_pnl: profit(closed, average, closedAt),
      last_updated: spellTime(last, 'brazilian'),
    },
  };
}
