import { defineMigration, derivedBackfill, waitForIndexes } from '../engine/author.ts';
import { omsTradingData } from '../tables/catalogue.ts';
import { execution, order, position } from '../tables/oms/trading-data.ts';

export default defineMigration({
  id: '0003-index-oms-trading',
  description: 'Orders, executions and positions get the keys of GSI1 to GSI3',
  // A ttl before the record's own time would make it look expired, and it would be passed over.
  needs: { migrations: ['0002-repair-trading-ttl'] },
  steps: [
    waitForIndexes(omsTradingData, 'GSI1', 'GSI2', 'GSI3'),
    derivedBackfill({ name: 'GSI1 to GSI3', table: omsTradingData, entities: [order, execution, position] }),
  ],
});
