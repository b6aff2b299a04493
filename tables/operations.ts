/** The state changes of the four systems, as guarded writes. */
export { replaceScanCoins } from './backtest/operations.ts';
export {
  advanceCheckpoint,
  claimSignature,
  fillMarketOrder,
  releaseLock,
  renewLock,
  takeLock,
  updateMarketOrder,
} from './markets/operations.ts';
export { createOrder, updateOrderStatus } from './oms/operations.ts';
export { changeItemStatus, changeOrderStatus } from './order-management/operations.ts';
