import { brazilianTime, choice, decimal, isoSecond, known, notNegative, positive, text } from '../model/attributes.ts';
import { equals, present } from '../model/condition.ts';
import { defineEntity, type Reference } from '../model/entity.ts';
import { beginsWith, is, window } from '../model/pattern.ts';
import { defineTable } from '../model/table.ts';
import { secondsPerDay } from '../model/time.ts';

/** Orders and executions expire this long after their own timestamp. */
export const tradingRetentionSeconds = 90 * secondsPerDay;

const clientExists: Reference = { attribute: 'client_id', entity: 'oms_config/CLIENT', target: 'client_id' };
const productExists: Reference = { attribute: 'product_id', entity: 'oms_config/PRODUCT', target: 'product_id' };
const orderExists: Reference = {
  attribute: 'order_id',
  entity: 'oms_trading_data/ORDER',
  target: 'order_id',
  known: { by: 'oms_trading_data/ORDER_ID', orBy: { pattern: 'oms.trading.orderExists', attribute: 'order_id' } },
};

/** 000 names NEW, FILLED and CANCELLED and leaves the list open; these are the ones that are written. */
export const omsOrderStatus = () =>
  known('NEW', 'PARTIALLY_FILLED', 'FILLED', 'PENDING_CANCEL', 'CANCELLED', 'REJECTED', 'EXPIRED');

const orderAttributes = {
  order_id: text(),
  client_id: text(),
  product_id: text(),
  symbol: text(),
  side: choice('BUY', 'SELL'),
  quantity: positive(),
  price: decimal().optional(),
  status: omsOrderStatus(),
  order_type: text(),
  master_order_id: text().optional(),
  created_at: brazilianTime(),
  updated_at: brazilianTime(),
};

/** One item has one GSI1_PK, so an order is found by its analyst through this second item beside it. */
export const analystOrder = defineEntity({
  name: 'ANALYST_ORDER',
  description: 'The link from an analyst to an order; carries the order’s attributes',
  attributes: { ...orderAttributes, analyst_id: text() },
  constants: { entity_type: 'ANALYST_ORDER' },
  derive: [
    { set: { PK: 'CLIENT#{client_id}', SK: 'ANALYST_ORDER#{created_at|iso}#{order_id}' } },
    { set: { GSI1_PK: 'ANALYST#{analyst_id}', GSI1_SK: '{created_at|iso}' } },
  ],
  ttl: { from: 'created_at', seconds: tradingRetentionSeconds },
  references: [clientExists, productExists, orderExists],
  keeper: { by: ['oms_trading_data/ORDER'] },
});

/**
 * A read through an index is no guard: what keeps a second order of one id out is this record, written with the order on
 * condition that there is none. A decision beyond the sources; see docs/operations.md.
 */
export const orderId = defineEntity({
  name: 'ORDER_ID',
  description: 'Which order has an id: keeps the id from being given twice, as long as the order is kept',
  attributes: { order_id: text(), client_id: text(), created_at: brazilianTime() },
  constants: { entity_type: 'ORDER_ID' },
  derive: [{ set: { PK: 'ORDER_ID#{order_id}', SK: 'ORDER_ID' } }],
  ttl: { from: 'created_at', seconds: tradingRetentionSeconds },
  references: [clientExists],
  keeper: { by: ['oms_trading_data/ORDER'] },
});

export const order = defineEntity({
  name: 'ORDER',
  description: 'An order of a client',
  attributes: { ...orderAttributes, analyst_id: text().optional() },
  constants: { entity_type: 'ORDER' },
  derive: [
    { set: { PK: 'CLIENT#{client_id}', SK: 'ORDER#{created_at|iso}#{order_id}' } },
    { set: { GSI1_PK: 'PRODUCT#{product_id}', GSI1_SK: '{created_at|iso}' } },
    { set: { GSI2_PK: 'MASTER_ORDER#{master_order_id}', GSI2_SK: '{created_at|iso}' } },
    { set: { GSI3_PK: 'ORDER#{order_id}', GSI3_SK: '{created_at|iso}' } },
  ],
  ttl: { from: 'created_at', seconds: tradingRetentionSeconds },
  references: [clientExists, productExists],
  companions: [
    { entity: orderId, orBy: { pattern: 'oms.trading.orderExists', attribute: 'order_id' } },
    { entity: analystOrder, when: present('analyst_id') },
  ],
});

export const execution = defineEntity({
  name: 'EXECUTION',
  description: 'A fill of an order',
  attributes: {
    execution_id: text(),
    order_id: text(),
    client_id: text(),
    product_id: text(),
    symbol: text(),
    side: choice('BUY', 'SELL'),
    quantity: positive(),
    price: decimal(),
    commission: decimal(),
    master_order_id: text().optional(),
    executed_at: brazilianTime(),
  },
  constants: { entity_type: 'EXECUTION' },
  derive: [
    { set: { PK: 'CLIENT#{client_id}', SK: 'EXECUTION#{executed_at|iso}#{execution_id}' } },
    { set: { GSI1_PK: 'PRODUCT#{product_id}', GSI1_SK: '{executed_at|iso}' } },
    { set: { GSI2_PK: 'MASTER_ORDER#{master_order_id}', GSI2_SK: '{executed_at|iso}' } },
    { set: { GSI3_PK: 'ORDER#{order_id}', GSI3_SK: '{executed_at|iso}' } },
  ],
  ttl: { from: 'executed_at', seconds: tradingRetentionSeconds },
  references: [clientExists, productExists, orderExists],
});

export const position = defineEntity({
  name: 'POSITION',
  description: 'What a client holds of a symbol; never expires',
  attributes: {
    client_id: text(),
    product_id: text(),
    symbol: text(),
    side: choice('LONG', 'SHORT'),
    quantity: notNegative(),
    avg_entry_price: decimal(),
    unrealized_pnl: decimal(),
    realized_pnl: decimal(),
    last_updated: brazilianTime(),
  },
  constants: { entity_type: 'POSITION' },
  derive: [
    { set: { PK: 'CLIENT#{client_id}', SK: 'POSITION#{symbol}#{side}' } },
    { set: { GSI1_PK: 'PRODUCT#{product_id}', GSI1_SK: 'POSITION#{symbol}' } },
  ],
  references: [clientExists, productExists],
});

export const omsTradingData = defineTable({
  name: 'oms_trading_data',
  system: 'oms',
  namespace: 'oms.trading',
  description: 'Transactional data of the OMS: orders, executions, positions',
  suffix: 'always',
  hash: 'PK',
  range: 'SK',
  indexes: {
    GSI1: { hash: 'GSI1_PK', range: 'GSI1_SK' },
    GSI2: { hash: 'GSI2_PK', range: 'GSI2_SK', projection: 'KEYS_ONLY' },
    GSI3: { hash: 'GSI3_PK', range: 'GSI3_SK' },
  },
  ttl: 'ttl',
  entities: [order, execution, position, analystOrder, orderId],
  patterns: {
    ordersOfClient: {
      description: 'The orders of a client, oldest first',
      params: { clientId: text() },
      key: [is('PK', 'CLIENT#{clientId}'), beginsWith('SK', 'ORDER#')],
      result: [order],
      example: { clientId: 'client_123' },
    },
    ordersByProduct: {
      description: 'The orders of a product, oldest first, within a time range if one is given',
      params: { productId: text(), from: isoSecond().optional(), to: isoSecond().optional() },
      index: 'GSI1',
      key: [is('GSI1_PK', 'PRODUCT#{productId}'), window('GSI1_SK', { from: '{from}', to: '{to}' })],
      filter: equals('entity_type', 'ORDER'),
      result: [order],
      example: { productId: 'prod_001' },
    },
    ordersByAnalyst: {
      description: 'The orders of an analyst, oldest first',
      params: { analystId: text() },
      index: 'GSI1',
      key: [is('GSI1_PK', 'ANALYST#{analystId}')],
      result: [analystOrder],
      example: { analystId: 'analyst_001' },
    },
    ofMasterOrder: {
      description: 'The child orders and executions of a master order, oldest first',
      params: { masterOrderId: text() },
      index: 'GSI2',
      key: [is('GSI2_PK', 'MASTER_ORDER#{masterOrderId}')],
      hydrate: true,
      result: [order, execution],
      example: { masterOrderId: 'master_789' },
    },
    orderById: {
      description: 'An order by its id',
      params: { orderId: text() },
      index: 'GSI3',
      key: [is('GSI3_PK', 'ORDER#{orderId}')],
      filter: equals('entity_type', 'ORDER'),
      limit: 1,
      result: [order],
      example: { orderId: 'order_456' },
    },
    orderExists: {
      description: 'Is there an order with this id?',
      params: { orderId: text() },
      index: 'GSI3',
      key: [is('GSI3_PK', 'ORDER#{orderId}')],
      filter: equals('entity_type', 'ORDER'),
      limit: 1,
      answer: 'exists',
      result: [order],
      example: { orderId: 'order_456' },
    },
    positionsOfClient: {
      description: 'The positions of a client, by symbol',
      params: { clientId: text() },
      key: [is('PK', 'CLIENT#{clientId}'), beginsWith('SK', 'POSITION#')],
      result: [position],
      example: { clientId: 'client_123' },
    },
    executionsOfOrder: {
      description: 'The executions of an order, oldest first, without the order itself',
      params: { orderId: text() },
      index: 'GSI3',
      key: [is('GSI3_PK', 'ORDER#{orderId}')],
      filter: equals('entity_type', 'EXECUTION'),
      result: [execution],
      example: { orderId: 'order_456' },
    },
    executionsOfClient: {
      description: 'The executions of a client, oldest first',
      params: { clientId: text() },
      key: [is('PK', 'CLIENT#{clientId}'), beginsWith('SK', 'EXECUTION#')],
      result: [execution],
      example: { clientId: 'client_123' },
    },
  },
});
