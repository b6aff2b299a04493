import { defineMigration, ttlRepair } from '../engine/author.ts';
import { omsTradingData } from '../tables/catalogue.ts';
import { execution, order } from '../tables/oms/trading-data.ts';

export default defineMigration({
  id: '0002-repair-trading-ttl',
  description: 'Orders and executions without a ttl, with one in milliseconds or before their own time, get theirs: 90 days',
  steps: [ttlRepair({ name: 'ttl of orders and executions', table: omsTradingData, entities: [order, execution] })],
});
