import { defineMigration, derivedBackfill, waitForIndexes } from '../engine/author.ts';
import { marketPositions } from '../tables/catalogue.ts';
import { marketPosition } from '../tables/markets/positions.ts';

export default defineMigration({
  id: '0008-index-positions',
  description: 'Positions get the keys of their owner and of their market',
  steps: [
    waitForIndexes(marketPositions, 'positions_by_owner', 'positions_by_market'),
    derivedBackfill({ name: 'owner and market of positions', table: marketPositions, entities: [marketPosition] }),
  ],
});
