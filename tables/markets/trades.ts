import { choice, decimal, isoTime, positive, text } from '../model/attributes.ts';
import { equals } from '../model/condition.ts';
import { defineEntity } from '../model/entity.ts';
import { descending, is } from '../model/pattern.ts';
import { defineTable } from '../model/table.ts';

export const trade = defineEntity({
  name: 'TRADE',
  description: 'A trade between two orders of a market',
  attributes: {
    id: text(),
    marketId: text(),
    positionId: text(),
    orderId: text().optional(),
    side: choice('Buy', 'Sell'),
    price: decimal(),
    size: positive(),
    createdAt: isoTime(),
  },
  derive: [{ set: { gsi1pk: '{marketId}', gsi1sk: '{createdAt}' } }, { set: { gsi2pk: '{positionId}', gsi2sk: '{createdAt}' } }],
  references: [
    { attribute: 'marketId', entity: 'markets/MARKET', target: 'id' },
    { attribute: 'positionId', entity: 'positions/POSITION', target: 'id' },
    { attribute: 'orderId', entity: 'orders/ORDER', target: 'id' },
  ],
});

export const trades = defineTable({
  name: 'trades',
  system: 'markets',
  namespace: 'markets.trades',
  description: 'Trades of the prediction markets',
  hash: 'id',
  indexes: {
    trades_by_market: { hash: 'gsi1pk', range: 'gsi1sk' },
    trades_by_position: { hash: 'gsi2pk', range: 'gsi2sk' },
  },
  entities: [trade],
  patterns: {
    byMarket: {
      description: 'The trades of a market, latest first',
      params: { marketId: text() },
      index: 'trades_by_market',
      key: [is('gsi1pk', '{marketId}')],
      order: 'descending',
      legacy: { filter: equals('marketId', '{marketId}'), sort: descending('createdAt'), backfill: '0007-index-trades' },
      result: [trade],
      example: { marketId: 'mkt123' },
    },
    byPosition: {
      description: 'The trades of a position, latest first',
      params: { positionId: text() },
      index: 'trades_by_position',
      key: [is('gsi2pk', '{positionId}')],
      order: 'descending',
      legacy: { filter: equals('positionId', '{positionId}'), sort: descending('createdAt'), backfill: '0007-index-trades' },
      result: [trade],
      example: { positionId: 'mkt123:pos:0001' },
    },
  },
});
