import { defineMigration, derivedBackfill, waitForIndexes } from '../engine/author.ts';
import { marketOrders } from '../tables/catalogue.ts';
import { marketOrder } from '../tables/markets/orders.ts';

export default defineMigration({
  id: '0006-index-order-book',
  description: 'Orders get the keys of the book (only those that can still trade; bids by exact −price) and of their owner',
  steps: [
    waitForIndexes(marketOrders, 'orders_by_market_buy', 'orders_by_market_sell', 'orders_by_owner'),
    derivedBackfill({ name: 'book and owner of orders', table: marketOrders, entities: [marketOrder] }),
  ],
});
