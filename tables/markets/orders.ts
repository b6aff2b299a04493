import { scalarText } from '../model/attribute-value.ts';
import { choice, decimal, integer, isoTime, notNegative, positive, text } from '../model/attributes.ts';
import { all, equals, greater, oneOf } from '../model/condition.ts';
import { compareDecimals } from '../model/decimal.ts';
import { defineEntity } from '../model/entity.ts';
import { ascending, descending, is } from '../model/pattern.ts';
import { defineTable } from '../model/table.ts';

/** Only orders that can still trade stand in the book, so its top is never behind dead orders. */
export const canTrade = [oneOf('status', ['Open', 'PartiallyFilled']), greater('remaining', { N: '0' })];

export const marketOrder = defineEntity({
  name: 'ORDER',
  description: 'An order in a market’s book',
  attributes: {
    id: text(),
    marketId: text(),
    side: choice('Buy', 'Sell'),
    price: decimal(),
    size: positive(),
    remaining: notNegative(),
    status: choice('Open', 'PartiallyFilled', 'Filled', 'Cancelled', 'Expired'),
    owner: text(),
    createdAt: isoTime(),
  },
  derive: [
    { set: { marketSide: '{marketId}#{side}' } },
    // Bids sort by −price so that an ascending read gives the highest first.
    { when: equals('side', 'Buy'), set: { sort: '{price|negate}' } },
    { when: equals('side', 'Sell'), set: { sort: '{price}' } },
    { when: all(equals('side', 'Buy'), ...canTrade), set: { gsi1pk: '{marketId}#Buy', gsi1sk: '{price|negate}' } },
    { when: all(equals('side', 'Sell'), ...canTrade), set: { gsi2pk: '{marketId}#Sell', gsi2sk: '{price}' } },
    { set: { gsi3pk: '{owner}', gsi3sk: '{createdAt}' } },
  ],
  references: [{ attribute: 'marketId', entity: 'markets/MARKET', target: 'id' }],
  rules: [
    {
      attribute: 'remaining',
      expected: 'no more than the size',
      holds: ({ remaining, size }) => compareDecimals(scalarText(remaining) ?? '0', scalarText(size) ?? '0') <= 0,
    },
  ],
});

/** A book as the MVP read it: every order of the market and side that can still trade. */
const inBook = (side: 'Buy' | 'Sell') => all(equals('marketId', '{marketId}'), equals('side', side), ...canTrade);

const depth = integer().default(10);

export const marketOrders = defineTable({
  name: 'orders',
  system: 'markets',
  namespace: 'markets.orders',
  description: 'Orders of the prediction markets, with a book per side',
  hash: 'id',
  indexes: {
    orders_by_market_buy: { hash: 'gsi1pk', range: { name: 'gsi1sk', type: 'N' } },
    orders_by_market_sell: { hash: 'gsi2pk', range: { name: 'gsi2sk', type: 'N' } },
    orders_by_owner: { hash: 'gsi3pk', range: 'gsi3sk' },
  },
  entities: [marketOrder],
  patterns: {
    byId: {
      description: 'An order by its id',
      params: { id: text() },
      key: [is('id', '{id}')],
      legacy: { filter: equals('id', '{id}') },
      result: [marketOrder],
      example: { id: 'mkt123:order:0001' },
    },
    bestBids: {
      description: 'The best N bids of a market, highest price first',
      params: { marketId: text(), n: depth },
      index: 'orders_by_market_buy',
      key: [is('gsi1pk', '{marketId}#Buy')],
      limit: 'n',
      legacy: { filter: inBook('Buy'), sort: descending('price'), backfill: '0006-index-order-book' },
      result: [marketOrder],
      example: { marketId: 'mkt123', n: '5' },
    },
    bestAsks: {
      description: 'The best N asks of a market, lowest price first',
      params: { marketId: text(), n: depth },
      index: 'orders_by_market_sell',
      key: [is('gsi2pk', '{marketId}#Sell')],
      limit: 'n',
      legacy: { filter: inBook('Sell'), sort: ascending('price'), backfill: '0006-index-order-book' },
      result: [marketOrder],
      example: { marketId: 'mkt123', n: '5' },
    },
    byOwner: {
      description: 'The orders of an owner, newest first',
      params: { owner: text() },
      index: 'orders_by_owner',
      key: [is('gsi3pk', '{owner}')],
      order: 'descending',
      legacy: { filter: equals('owner', '{owner}'), sort: descending('createdAt'), backfill: '0006-index-order-book' },
      result: [marketOrder],
      example: { owner: '7Yk2PqXw9aZrT4mVb6NcE1sDfGhJuLoKi3Q8RtWyBvCx' },
    },
  },
});
