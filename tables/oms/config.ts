import { note, text } from '../model/attributes.ts';
import { startsWith } from '../model/condition.ts';
import { defineEntity } from '../model/entity.ts';
import { ascending, is, type LegacyScan } from '../model/pattern.ts';
import { defineTable } from '../model/table.ts';

export const product = defineEntity({
  name: 'PRODUCT',
  description: 'A product that clients trade through the OMS',
  attributes: { product_id: text(), name: text(), symbol: text().optional(), status: text() },
  constants: { entity_type: 'PRODUCT' },
  derive: [
    { set: { PK: 'PRODUCT#{product_id}', SK: 'CONFIG' } },
    { set: { GSI1_PK: 'ENTITY#PRODUCT', GSI1_SK: '{product_id}' } },
  ],
});

export const client = defineEntity({
  name: 'CLIENT',
  description: 'A client of the OMS',
  attributes: { client_id: text(), name: text(), status: text() },
  constants: { entity_type: 'CLIENT' },
  derive: [{ set: { PK: 'CLIENT#{client_id}', SK: 'CONFIG' } }, { set: { GSI1_PK: 'ENTITY#CLIENT', GSI1_SK: '{client_id}' } }],
});

export const setting = defineEntity({
  name: 'SETTING',
  description: 'One value of the system configuration',
  attributes: { name: text(), value: note(), description: note().optional() },
  constants: { entity_type: 'SETTING' },
  derive: [{ set: { PK: 'SYSTEM#{name}', SK: 'CONFIG' } }, { set: { GSI1_PK: 'ENTITY#SETTING', GSI1_SK: '{name}' } }],
});

/** The documented listing; ids follow the prefix, so the order of PK is theirs. */
const listing = (prefix: string): LegacyScan => ({
  filter: startsWith('PK', prefix),
  sort: ascending('PK'),
  backfill: '0001-index-oms-config',
});

export const omsConfig = defineTable({
  name: 'oms_config',
  system: 'oms',
  namespace: 'oms.config',
  description: 'Static configuration of the OMS: products, clients, settings',
  suffix: 'always',
  hash: 'PK',
  range: 'SK',
  // The documented listing, begins_with on the partition key, is no Query that DynamoDB takes; this index replaces it.
  indexes: { GSI1: { hash: 'GSI1_PK', range: 'GSI1_SK' } },
  entities: [product, client, setting],
  patterns: {
    productById: {
      description: 'A product by its id',
      params: { productId: text() },
      key: [is('PK', 'PRODUCT#{productId}'), is('SK', 'CONFIG')],
      result: [product],
      example: { productId: '1' },
    },
    allProducts: {
      description: 'Every product, by id',
      index: 'GSI1',
      key: [is('GSI1_PK', 'ENTITY#PRODUCT')],
      legacy: listing('PRODUCT#'),
      result: [product],
      example: {},
    },
    clientById: {
      description: 'A client by its id',
      params: { clientId: text() },
      key: [is('PK', 'CLIENT#{clientId}'), is('SK', 'CONFIG')],
      result: [client],
      example: { clientId: 'client_123' },
    },
    allClients: {
      description: 'Every client, by id',
      index: 'GSI1',
      key: [is('GSI1_PK', 'ENTITY#CLIENT')],
      legacy: listing('CLIENT#'),
      result: [client],
      example: {},
    },
    settingByName: {
      description: 'A setting by its name',
      params: { name: text() },
      key: [is('PK', 'SYSTEM#{name}'), is('SK', 'CONFIG')],
      result: [setting],
      example: { name: 'trading_enabled' },
    },
    allSettings: {
      description: 'Every setting, by name',
      index: 'GSI1',
      key: [is('GSI1_PK', 'ENTITY#SETTING')],
      legacy: listing('SYSTEM#'),
      result: [setting],
      example: {},
    },
  },
});
