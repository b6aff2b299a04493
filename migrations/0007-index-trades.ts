import { defineMigration, derivedBackfill, waitForIndexes } from '../engine/author.ts';
import { trades } from '../tables/catalogue.ts';
import { trade } from '../tables/markets/trades.ts';

export default defineMigration({
  id: '0007-index-trades',
  description: 'Trades get the keys of their market and of their position',
  steps: [
    waitForIndexes(trades, 'trades_by_market', 'trades_by_position'),
    derivedBackfill({ name: 'market and position of trades', table: trades, entities: [trade] }),
  ],
});
