import { decimal, isoTime, text } from '../model/attributes.ts';
import { all, equals } from '../model/condition.ts';
import { defineEntity } from '../model/entity.ts';
import { ascending, is } from '../model/pattern.ts';
import { defineTable } from '../model/table.ts';

export const marketPosition = defineEntity({
  name: 'POSITION',
  description: 'What an owner holds in a market',
  attributes: {
    id: text(),
    owner: text(),
    marketId: text(),
    size: decimal(),
    avgPrice: decimal(),
    createdAt: isoTime(),
    updatedAt: isoTime().optional(),
  },
  derive: [{ set: { gsi1pk: '{owner}', gsi1sk: '{marketId}' } }, { set: { gsi2pk: '{marketId}', gsi2sk: '{owner}' } }],
  references: [{ attribute: 'marketId', entity: 'markets/MARKET', target: 'id' }],
});

const exampleOwner = '7Yk2PqXw9aZrT4mVb6NcE1sDfGhJuLoKi3Q8RtWyBvCx';

export const marketPositions = defineTable({
  name: 'positions',
  system: 'markets',
  namespace: 'markets.positions',
  description: 'Positions of the prediction markets',
  hash: 'id',
  indexes: {
    positions_by_owner: { hash: 'gsi1pk', range: 'gsi1sk' },
    positions_by_market: { hash: 'gsi2pk', range: 'gsi2sk' },
  },
  entities: [marketPosition],
  patterns: {
    byOwner: {
      description: 'The positions of an owner, by market',
      params: { owner: text() },
      index: 'positions_by_owner',
      key: [is('gsi1pk', '{owner}')],
      legacy: { filter: equals('owner', '{owner}'), sort: ascending('marketId'), backfill: '0008-index-positions' },
      result: [marketPosition],
      example: { owner: exampleOwner },
    },
    byMarket: {
      description: 'The positions in a market, by owner',
      params: { marketId: text() },
      index: 'positions_by_market',
      key: [is('gsi2pk', '{marketId}')],
      legacy: { filter: equals('marketId', '{marketId}'), sort: ascending('owner'), backfill: '0008-index-positions' },
      result: [marketPosition],
      example: { marketId: 'mkt123' },
    },
    ofOwnerInMarket: {
      description: 'An owner’s position in a market',
      params: { owner: text(), marketId: text() },
      index: 'positions_by_owner',
      key: [is('gsi1pk', '{owner}'), is('gsi1sk', '{marketId}')],
      legacy: { filter: all(equals('owner', '{owner}'), equals('marketId', '{marketId}')), backfill: '0008-index-positions' },
      result: [marketPosition],
      example: { owner: exampleOwner, marketId: 'mkt123' },
    },
  },
});
