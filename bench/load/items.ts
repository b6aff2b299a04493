import type { Item } from '../../tables/model/attribute-value.ts';

/** The table that the load bench writes to: two texts as its key and no index, so that the engine is at its fastest. */
export const hashName = 'PK';
export const rangeName = 'SK';

/** An order as the OMS keeps it, some 330 bytes; always the same one for a number. */
export function orderItem(n: number): Item {
  const second = String(n % 60).padStart(2, '0');
  const time = `2025-01-01T${String(n % 24).padStart(2, '0')}:00:${second}Z`;
  return {
    PK: { S: `CLIENT#client_${n % 997}` },
    SK: { S: `ORDER#${time}#order_${n}` },
    order_id: { S: `order_${n}` },
    client_id: { S: `client_${n % 997}` },
    product_id: { S: `prod_${n % 50}` },
    symbol: { S: 'BTCUSDT' },
    side: { S: n % 2 === 0 ? 'BUY' : 'SELL' },
    quantity: { N: `${(n % 900) + 1}.12345678` },
    price: { N: `${50_000 + (n % 1_000)}.5` },
    status: { S: 'OPEN' },
    order_type: { S: 'LIMIT' },
    created_at: { S: time },
    updated_at: { S: time },
    ttl: { N: String(1_735_689_600 + n) },
  };
}

/** The same as plain values, for peers that marshal by themselves. */
export function plainOrder(n: number): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(orderItem(n)).map(([name, value]) => [name, 'N' in value ? Number(value.N) : 'S' in value ? value.S : '']),
  );
}
