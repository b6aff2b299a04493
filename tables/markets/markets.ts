import { isoTime, known, note, text } from '../model/attributes.ts';
import { equals } from '../model/condition.ts';
import { defineEntity } from '../model/entity.ts';
import { descending, is } from '../model/pattern.ts';
import { defineTable } from '../model/table.ts';

export const market = defineEntity({
  name: 'MARKET',
  description: 'A prediction market',
  attributes: {
    id: text(),
    title: text(),
    description: note().optional(),
    // 002 names Active only; these are the ones that are written.
    status: known('Active', 'Closed', 'Resolved', 'Cancelled'),
    createdAt: isoTime(),
    closesAt: isoTime().optional(),
  },
  derive: [{ set: { gsi1pk: '{status}', gsi1sk: '{createdAt}' } }],
});

export const markets = defineTable({
  name: 'markets',
  system: 'markets',
  namespace: 'markets.markets',
  description: 'Prediction markets',
  hash: 'id',
  indexes: { markets_by_status: { hash: 'gsi1pk', range: 'gsi1sk' } },
  entities: [market],
  patterns: {
    byStatus: {
      description: 'The markets of a status, newest first',
      params: { status: text() },
      index: 'markets_by_status',
      key: [is('gsi1pk', '{status}')],
      order: 'descending',
      legacy: { filter: equals('status', '{status}'), sort: descending('createdAt'), backfill: '0005-index-markets' },
      result: [market],
      example: { status: 'Active' },
    },
  },
});
