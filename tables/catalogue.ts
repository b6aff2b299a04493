/** Every table, a line each. A further one takes its own file beside these and its line here. */
export { activeCoins } from './backtest/active-coins.ts';
export { backtestResults } from './backtest/results.ts';
export { scanHistory } from './backtest/scan-history.ts';
export { backtestSignals } from './backtest/trading-positions.ts';
export { control } from './markets/control.ts';
export { markets } from './markets/markets.ts';
export { marketOrders } from './markets/orders.ts';
export { marketPositions } from './markets/positions.ts';
export { trades } from './markets/trades.ts';
export { omsConfig } from './oms/config.ts';
export { omsTradingData } from './oms/trading-data.ts';
export { orderManagement } from './order-management/order-management.ts';
