/** Compiled by `npm run typecheck`, never run: what the writer's types take and refuse. */
import type { OpenReader, OpenWriter } from '../../../engine/application.ts';
import * as entities from '../../../tables/entities.ts';
import * as operations from '../../../tables/operations.ts';
import type project from '../../../tablewright.config.ts';

export async function writerTypes(writer: OpenWriter, reader: OpenReader<typeof project>): Promise<void> {
  const { product, marketOrder, marketPosition, orderMeta, orderStatus, result } = entities;

  await writer.put(product, { product_id: 'p', name: 'P', status: 'ACTIVE' });
  await writer.put(marketOrder, {
    id: 'o',
    marketId: 'm',
    side: 'Buy',
    price: '1.5',
    size: 10,
    remaining: 10n,
    status: 'Open',
    owner: 'w',
    createdAt: '2025-10-14T10:00:00Z',
  });
  // @ts-expect-error the name is missing
  await writer.put(product, { product_id: 'p', status: 'ACTIVE' });
  // @ts-expect-error there is no such attribute
  await writer.put(product, { product_id: 'p', name: 'P', status: 'ACTIVE', colour: 'red' });
  // @ts-expect-error index attributes are derived, never given
  await writer.put(product, { product_id: 'p', name: 'P', status: 'ACTIVE', GSI1_PK: 'ENTITY#PRODUCT' });
  // @ts-expect-error there is no such option
  await writer.put(product, { product_id: 'p', name: 'P', status: 'ACTIVE' }, { overwrite: true });

  // A record as the reader gave it.
  const found = await reader.first('markets.orders.byId', { id: 'o' });
  if (found === undefined) return;
  await writer.update(marketOrder, found, { status: 'Cancelled' });
  await writer.remove(marketOrder, found, { token: 'once' });
  // @ts-expect-error Done is no status of an order
  await writer.update(marketOrder, found, { status: 'Done' });
  // @ts-expect-error a record of another entity
  await writer.update(product, found, { status: 'ACTIVE' });
  // @ts-expect-error changes by themselves need a whole record to be compared with
  await writer.update(marketOrder, { id: 'o' }, { status: 'Cancelled' });
  // @ts-expect-error so does taking one away
  await writer.remove(marketOrder, { id: 'o' });

  // By a function of the record as it is, its key is enough.
  await writer.update(marketPosition, { id: 'p' }, ({ size, updatedAt }) => {
    const text: string = size;
    const time: string | undefined = updatedAt;
    return { size: text, updatedAt: time };
  });
  await writer.update(marketPosition, { id: 'p' }, async () => undefined, { references: 'transaction' });
  // @ts-expect-error decimals are texts, never numbers
  await writer.update(marketPosition, { id: 'p' }, ({ size }) => ({ size: size.toFixed(2) }));
  // @ts-expect-error the owner is a text
  await writer.update(marketPosition, { id: 'p' }, () => ({ owner: 7 }));
  // @ts-expect-error the key is spelled id
  await writer.update(marketPosition, { ID: 'p' }, () => undefined);

  const outcome = await writer.together(
    (all) => {
      all.put(orderMeta, { company_cnpj: 'c', order_id: 'o', company_name: 'C', order_date: '2025-10-14T10:00:00Z' });
      all.put(orderStatus, { company_cnpj: 'c', order_id: 'o', order_status: 'Pendente' });
      // @ts-expect-error unknown statuses are not written
      all.put(orderStatus, { company_cnpj: 'c', order_id: 'o', order_status: 'Perdido' });
      // @ts-expect-error an update takes the record as it was read
      all.update(marketOrder, { status: 'Open' });
    },
    { token: 'once' },
  );
  if (outcome.outcome === 'refused') {
    const reason: 'exists' | 'changed' | 'not-found' = outcome.reason;
    void reason;
    // @ts-expect-error only what was applied says whether something had to be written
    outcome.written;
  }

  // Nested values have their types, too.
  const latest = await reader.first('backtest.results.latest', { symbol: 'BTCUSDT' });
  if (latest !== undefined) await writer.update(result, latest, { trend_analysis: { ...latest.trend_analysis, strength: '2' } });

  await writer.run(operations.createOrder, {
    order_id: 'o',
    client_id: 'c',
    product_id: 'p',
    symbol: 'BTCUSDT',
    side: 'BUY',
    quantity: '1',
    status: 'NEW',
    order_type: 'LIMIT',
    created_at: '14/11/2025 12:00:00',
    updated_at: '14/11/2025 12:00:00',
  });
  // @ts-expect-error LOST is no status that is written
  await writer.run(operations.updateOrderStatus, { orderId: 'o', status: 'LOST', updatedAt: '14/11/2025 12:00:00' });
}
