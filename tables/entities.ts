/** The records of the four systems, by the names that a writer takes them by. */
export { coin } from './backtest/active-coins.ts';
export { result } from './backtest/results.ts';
export { scan } from './backtest/scan-history.ts';
export { signal } from './backtest/trading-positions.ts';
export { checkpoint, idempotency, lock } from './markets/control.ts';
export { market } from './markets/markets.ts';
export { marketOrder } from './markets/orders.ts';
export { marketPosition } from './markets/positions.ts';
export { trade } from './markets/trades.ts';
export { client, product, setting } from './oms/config.ts';
export { analystOrder, execution, order, orderId, position } from './oms/trading-data.ts';
export {
  orderCustomer,
  orderItem,
  orderMeta,
  orderPayment,
  orderShipping,
  orderStatus,
} from './order-management/order-management.ts';
