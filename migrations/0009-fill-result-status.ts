import { backfill, defineMigration, ttlRepair, waitForIndexes } from '../engine/author.ts';
import { result } from '../tables/backtest/results.ts';
import { activeCoins, backtestResults } from '../tables/catalogue.ts';
import { scalarText } from '../tables/model/attribute-value.ts';

export default defineMigration({
  id: '0009-fill-result-status',
  description: 'Backtest results get the status of their coin, and a ttl of a day where they have no sensible one',
  steps: [
    waitForIndexes(backtestResults, 'StatusIndex'),
    ttlRepair({ name: 'ttl of results', table: backtestResults, entities: [result] }),
    backfill({
      name: 'status of results',
      table: backtestResults,
      entities: [result],
      reads: ['status'],
      writes: ['status'],
      // A scan may drop a coin between this look and the write; the next scan finds the result active and drops it then.
      lookup: { table: activeCoins, reads: ['is_active'] },
      change: (item, _, coins) => {
        if (item.status !== undefined) return undefined;
        const coin = coins.get(scalarText(item.symbol) ?? '')?.is_active;
        const isActive = coin !== undefined && 'BOOL' in coin && coin.BOOL;
        return { set: { status: { S: isActive ? 'active' : 'inactive' } } };
      },
    }),
  ],
});
