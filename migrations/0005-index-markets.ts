import { defineMigration, derivedBackfill, waitForIndexes } from '../engine/author.ts';
import { markets } from '../tables/catalogue.ts';
import { market } from '../tables/markets/markets.ts';

export default defineMigration({
  id: '0005-index-markets',
  description: 'Markets get the keys of markets_by_status',
  steps: [
    waitForIndexes(markets, 'markets_by_status'),
    derivedBackfill({ name: 'status and time of markets', table: markets, entities: [market] }),
  ],
});
