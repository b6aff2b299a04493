import { defineMigration, derivedBackfill, waitForIndexes } from '../engine/author.ts';
import { omsConfig } from '../tables/catalogue.ts';
import { client, product, setting } from '../tables/oms/config.ts';

export default defineMigration({
  id: '0001-index-oms-config',
  description: 'Products, clients and settings get the keys of GSI1, so that they are listed by Query',
  steps: [
    waitForIndexes(omsConfig, 'GSI1'),
    derivedBackfill({ name: 'GSI1 of products, clients, settings', table: omsConfig, entities: [product, client, setting] }),
  ],
});
