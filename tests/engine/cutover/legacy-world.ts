import { checkpoint, control, idempotency } from '../../../tables/markets/control.ts';
import { market, markets } from '../../../tables/markets/markets.ts';
import { marketOrder, marketOrders } from '../../../tables/markets/orders.ts';
import { marketPosition, marketPositions } from '../../../tables/markets/positions.ts';
import { trade, trades } from '../../../tables/markets/trades.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Entity, InputOf } from '../../../tables/model/entity.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { keyNames, type Table } from '../../../tables/model/table.ts';
import { client, omsConfig, product, setting } from '../../../tables/oms/config.ts';
import type { TestEngine } from '../../support/test-engine.ts';

export const cutoverTables: readonly Table[] = [omsConfig, control, markets, marketOrders, marketPositions, trades, ledger];

/** A record as it was written before its index existed: without the index attributes. */
export function asLegacy(table: Table, item: Item): Item {
  const own = new Set(keyNames(table.key));
  const indexed = new Set(table.indexes.flatMap(keyNames).filter((name) => !own.has(name)));
  return Object.fromEntries(Object.entries(item).filter(([name]) => !indexed.has(name)));
}

const at = (number: number) => new Date(Date.UTC(2025, 9, 14) + number * 1_000).toISOString();

export const orderInput = (number: number, more: Partial<InputOf<typeof marketOrder>> = {}): InputOf<typeof marketOrder> => ({
  id: `o${String(number).padStart(4, '0')}`,
  marketId: `m${number % 4}`,
  side: number % 2 === 0 ? 'Buy' : 'Sell',
  // Some prices are equal: records that tie have no order of their own.
  price: `0.${String(10 + ((number * 7) % 23)).padStart(2, '0')}`,
  size: '10',
  remaining: number % 5 === 0 ? '0' : '4',
  status: number % 5 === 0 ? 'Filled' : number % 7 === 0 ? 'Cancelled' : 'Open',
  owner: `w${number % 3}`,
  createdAt: at(number),
  ...more,
});

const records: readonly (readonly [Table, Entity, readonly unknown[]])[] = [
  [omsConfig, product, ['1', '2', '10'].map((product_id) => ({ product_id, name: 'p', status: 'ACTIVE' }))],
  [omsConfig, client, ['c1', 'c2'].map((client_id) => ({ client_id, name: 'c', status: 'ACTIVE' }))],
  [omsConfig, setting, [{ name: 'trading_enabled', value: 'true' }]],
  [control, checkpoint, [{ lastSlot: 7, lastSig: 's' }]],
  [control, idempotency, ['a', 'b'].map((signature) => ({ signature, ttl: 2_000_000_000 }))],
  [
    markets,
    market,
    [0, 1, 2, 3].map((n) => ({ id: `m${n}`, title: 't', status: n === 3 ? 'Resolved' : 'Active', createdAt: at(n) })),
  ],
  [marketOrders, marketOrder, Array.from({ length: 60 }, (_, number) => orderInput(number))],
  [
    trades,
    trade,
    Array.from({ length: 40 }, (_, n) => ({
      id: `t${n}`,
      marketId: `m${n % 3}`,
      positionId: `p${n % 5}`,
      side: 'Buy',
      price: '0.5',
      size: '1',
      createdAt: at(n),
    })),
  ],
  [
    marketPositions,
    marketPosition,
    Array.from({ length: 12 }, (_, n) => ({
      id: `p${n}`,
      owner: `w${n % 3}`,
      marketId: `m${Math.floor(n / 3)}`,
      size: '1',
      avgPrice: '0.5',
      createdAt: at(n),
    })),
  ],
];

/** Every table of the cut-over with some records, as the old program left them or as the catalogue writes them. */
export async function fill(engine: TestEngine, form: 'legacy' | 'indexed'): Promise<void> {
  for (const [table, entity, inputs] of records) {
    const items = inputs.map((input) => buildItem(table, entity, input as never));
    await engine.putRaw(table, form === 'legacy' ? items.map((item) => asLegacy(table, item)) : items);
  }
}
