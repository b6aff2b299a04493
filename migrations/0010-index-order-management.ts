import { defineMigration, derivedBackfill, waitForIndexes } from '../engine/author.ts';
import { orderManagement } from '../tables/catalogue.ts';
import { orderItem, orderShipping } from '../tables/order-management/order-management.ts';

export default defineMigration({
  id: '0010-index-order-management',
  description: 'Items get the GSI2 keys of their status, shipping records those of their city and date',
  steps: [
    waitForIndexes(orderManagement, 'GSI2'),
    derivedBackfill({ name: 'GSI2 of items and shipping records', table: orderManagement, entities: [orderItem, orderShipping] }),
  ],
});
