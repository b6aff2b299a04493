import type { Item } from '../../tables/model/attribute-value.ts';

/** The order that the OMS documents as an example, as it is stored; its TTL depends on when. */
export const documentedOrder: Item = {
  PK: { S: 'CLIENT#client_123' },
  SK: { S: 'ORDER#2025-11-14T10:30:00Z#order_456' },
  GSI1_PK: { S: 'PRODUCT#prod_001' },
  GSI1_SK: { S: '2025-11-14T10:30:00Z' },
  GSI2_PK: { S: 'MASTER_ORDER#master_789' },
  GSI2_SK: { S: '2025-11-14T10:30:00Z' },
  GSI3_PK: { S: 'ORDER#order_456' },
  GSI3_SK: { S: '2025-11-14T10:30:00Z' },
  entity_type: { S: 'ORDER' },
  order_id: { S: 'order_456' },
  client_id: { S: 'client_123' },
  product_id: { S: 'prod_001' },
  symbol: { S: 'BTCUSDT' },
  side: { S: 'BUY' },
  quantity: { N: '1.5' },
  price: { N: '45000' },
  status: { S: 'FILLED' },
  order_type: { S: 'LIMIT' },
  master_order_id: { S: 'master_789' },
  created_at: { S: '14/11/2025 10:30:00' },
  updated_at: { S: '14/11/2025 10:31:15' },
};
