/** Compiled by `npm run typecheck`, never run: what the reader's types take and refuse. */
import type { OpenReader } from '../../../engine/application.ts';
import * as operations from '../../../tables/operations.ts';
import type project from '../../../tablewright.config.ts';

export async function readerTypes(reader: OpenReader<typeof project>): Promise<void> {
  const bids = reader.read('markets.orders.bestBids', { marketId: 'm', n: 5 });
  for await (const bid of bids) {
    const price: string = bid.price;
    const side: 'Buy' | 'Sell' = bid.side;
    // @ts-expect-error decimals are texts, never numbers
    const wrong: number = bid.price;
    // @ts-expect-error index attributes are no part of a record
    bid.gsi1pk;
    void [price, side, wrong];
  }

  // Parameters with a default may be left out, patterns without any take none.
  reader.read('markets.orders.bestBids', { marketId: 'm' });
  reader.read('oms.config.allProducts');
  reader.read('oms.config.allProducts', {}, { limit: 3 });
  reader.read('backtest.signals.byConfidence');

  // @ts-expect-error there is no such pattern
  reader.read('markets.orders.bestOffers', { marketId: 'm' });
  // @ts-expect-error the market is missing
  reader.read('markets.orders.bestBids', { n: 5 });
  // @ts-expect-error no parameters at all
  reader.read('markets.orders.bestBids');
  // @ts-expect-error the parameter is spelled marketId
  reader.read('markets.orders.bestBids', { marketID: 'm' });
  // @ts-expect-error one parameter too many
  reader.read('markets.orders.bestBids', { marketId: 'm', depth: 5 });
  // @ts-expect-error a market id is a text
  reader.read('markets.orders.bestBids', { marketId: 7 });
  // @ts-expect-error this pattern takes no parameters
  reader.read('oms.config.allProducts', { productId: '1' });
  // @ts-expect-error there is no such option
  reader.read('oms.config.allProducts', {}, { pageSize: 3 });

  reader.read('markets.orders.byId', { id: 'o' }, { consistent: true });
  reader.read('markets.orders.byOwner', { owner: 'w' }, { consistent: false });
  // @ts-expect-error an index gives no consistent reads
  reader.read('markets.orders.byOwner', { owner: 'w' }, { consistent: true });
  // @ts-expect-error nor does it for a count
  await reader.count('oms.trading.orderById', { orderId: 'o' }, { consistent: true });

  reader.read('markets.trades.byMarket', { marketId: 'm' }, { reverse: true });
  await reader.page('markets.trades.byMarket', { marketId: 'm' }, { reverse: true });
  // @ts-expect-error the best five have one order only
  reader.read('markets.orders.bestBids', { marketId: 'm', n: 5 }, { reverse: true });

  const first = await reader.first('oms.trading.orderById', { orderId: 'o' });
  // @ts-expect-error there may be none
  first.order_id;
  const quantity: string | undefined = first?.quantity;
  // @ts-expect-error first has its own limit
  await reader.first('oms.trading.orderById', { orderId: 'o' }, { limit: 2 });

  const page = await reader.page('markets.trades.byMarket', { marketId: 'm' }, { size: 10 });
  const cursor: string | undefined = page.cursor;
  await reader.page('markets.trades.byMarket', { marketId: 'm' }, { size: 10, cursor });
  // @ts-expect-error the parameters of a page are checked too
  await reader.page('markets.trades.byMarket', { market: 'm' }, { cursor });

  const count: number = await reader.count('markets.trades.byMarket', { marketId: 'm' });
  const there: boolean = await reader.exists('oms.trading.orderExists', { orderId: 'o' });

  for await (const record of reader.read('oms.trading.ofMasterOrder', { masterOrderId: 'x' })) {
    // Both entities of the pattern, told apart by what only one of them has.
    const text: string = 'execution_id' in record ? record.commission : record.order_type;
    void text;
  }

  const coin = await reader.first('backtest.coins.isActive', { symbol: 'BTCUSDT' });
  const scans: number | undefined = coin?.consecutive_scans;

  await reader.run(operations.updateMarketOrder, { id: 'o', status: 'Filled', remaining: '0' });
  // @ts-expect-error Done is no status of an order
  await reader.run(operations.updateMarketOrder, { id: 'o', status: 'Done', remaining: '0' });
  // @ts-expect-error the remaining size is missing
  await reader.run(operations.updateMarketOrder, { id: 'o', status: 'Filled' });
  void [quantity, count, there, scans];
}
