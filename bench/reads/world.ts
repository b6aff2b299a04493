import { checkpoint, control, idempotency, lock } from '../../tables/markets/control.ts';
import { market, markets } from '../../tables/markets/markets.ts';
import { marketOrder, marketOrders } from '../../tables/markets/orders.ts';
import { marketPosition, marketPositions } from '../../tables/markets/positions.ts';
import { trade, trades } from '../../tables/markets/trades.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { buildItem } from '../../tables/model/item.ts';
import type { Table } from '../../tables/model/table.ts';
import { client, omsConfig, product, setting } from '../../tables/oms/config.ts';

/** Records that each answer has at every size: the table grows around them. */
export const answerSize = 20;

const at = (number: number) => new Date(Date.UTC(2025, 0, 1) + number * 1_000).toISOString();
const group = (number: number) => Math.floor(number / answerSize);

type Make = (number: number) => Item;

const order: Make = (number) =>
  buildItem(marketOrders, marketOrder, {
    id: `m${group(number)}:order:${number}`,
    // Both sides of a market have their own twenty.
    marketId: `m${Math.floor(group(number) / 2)}`,
    side: group(number) % 2 === 0 ? 'Buy' : 'Sell',
    price: `0.${100 + ((number * 37) % 800)}`,
    size: '500',
    remaining: '200',
    status: 'Open',
    owner: `wallet-${group(number)}`,
    createdAt: at(number),
  });

const traded: Make = (number) =>
  buildItem(trades, trade, {
    id: `t${number}`,
    marketId: `m${group(number)}`,
    positionId: `p${group(number)}`,
    side: 'Buy',
    price: '0.5',
    size: '10',
    createdAt: at(number),
  });

const held: Make = (number) =>
  buildItem(marketPositions, marketPosition, {
    id: `p${number}`,
    // A square of owners and markets: twenty positions in each row and in each column.
    owner: `wallet-${Math.floor(number / (answerSize * answerSize))}-${number % answerSize}`,
    marketId: `m${group(number)}`,
    size: '10',
    avgPrice: '0.5',
    createdAt: at(number),
  });

const listed: Make = (number) =>
  buildItem(markets, market, {
    id: `m${number}`,
    title: `Will number ${number} come up?`,
    status: number < answerSize ? 'Active' : 'Resolved',
    createdAt: at(number),
  });

const controlled: Make = (number) => {
  if (number === 0) return buildItem(control, checkpoint, { lastSlot: 1, lastSig: 's' });
  if (number === 1) return buildItem(control, lock, { lockedBy: 'indexer', ttl: 2_000_000_000 });
  return buildItem(control, idempotency, { signature: `signature-${number}`, ttl: 2_000_000_000 });
};

/** Twenty of each kind; the rest are records that no listing asks for. */
const configured: Make = (number) => {
  if (number < answerSize)
    return buildItem(omsConfig, product, { product_id: `p${number}`, name: 'a product', status: 'ACTIVE' });
  if (number < 2 * answerSize)
    return buildItem(omsConfig, client, { client_id: `c${number}`, name: 'a client', status: 'ACTIVE' });
  if (number < 3 * answerSize) return buildItem(omsConfig, setting, { name: `s${number}`, value: 'on' });
  return { PK: { S: `AUDIT#${number}` }, SK: { S: 'CONFIG' }, entity_type: { S: 'AUDIT' }, text: { S: 'x'.repeat(120) } };
};

/** The tables of the cut-over, and the n-th record of each. */
export const world: readonly { readonly table: Table; readonly make: Make }[] = [
  { table: omsConfig, make: configured },
  { table: control, make: controlled },
  { table: markets, make: listed },
  { table: marketOrders, make: order },
  { table: marketPositions, make: held },
  { table: trades, make: traded },
];

/** Parameters that find something at every size. */
export const asked: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'markets.control.claimOf': { signature: 'signature-7' },
  'markets.markets.byStatus': { status: 'Active' },
  'markets.orders.byId': { id: 'm0:order:7' },
  'markets.orders.bestBids': { marketId: 'm3', n: '10' },
  'markets.orders.bestAsks': { marketId: 'm3', n: '10' },
  'markets.orders.byOwner': { owner: 'wallet-3' },
  'markets.positions.byOwner': { owner: 'wallet-0-3' },
  'markets.positions.byMarket': { marketId: 'm3' },
  'markets.positions.ofOwnerInMarket': { owner: 'wallet-0-3', marketId: 'm3' },
  'markets.trades.byMarket': { marketId: 'm3' },
  'markets.trades.byPosition': { positionId: 'p3' },
};
