import type { Operation } from '../../../tables/model/operation.ts';
import * as operations from '../../../tables/operations.ts';
import type { CallName } from './call-policies.ts';

export interface OperationScenario {
  readonly operation: Operation;
  readonly system: string;
  /** Applied on the fixtures. */
  readonly params: Readonly<Record<string, unknown>>;
}

type OperationName = Exclude<CallName, `reader.${string}` | `writer.${string}`>;

const erased = (operation: unknown) => operation as Operation;
const order = { cnpj: '12.345.678/0001-99', orderId: 'ORD-20231001-0001' };
const lease = { owner: 'indexer-1', now: 1_900_000_000, seconds: 30 };

/** Every operation of the catalogue with something to do. */
export const operationScenarios: Readonly<Record<OperationName, OperationScenario>> = {
  'oms.createOrder': {
    operation: erased(operations.createOrder),
    system: 'oms',
    params: {
      order_id: 'order_under_policy',
      client_id: 'client_123',
      product_id: 'prod_001',
      symbol: 'BTCUSDT',
      side: 'BUY',
      quantity: '2.5',
      price: '46000',
      status: 'NEW',
      order_type: 'LIMIT',
      analyst_id: 'analyst_001',
      created_at: '14/11/2025 12:00:00',
      updated_at: '14/11/2025 12:00:00',
    },
  },
  'oms.updateOrderStatus': {
    operation: erased(operations.updateOrderStatus),
    system: 'oms',
    params: { orderId: 'order_under_policy', status: 'FILLED', updatedAt: '14/11/2025 12:05:00' },
  },
  'markets.updateOrder': {
    operation: erased(operations.updateMarketOrder),
    system: 'markets',
    params: { id: 'mkt123:order:0001', status: 'PartiallyFilled', remaining: '1' },
  },
  'markets.fillOrder': {
    operation: erased(operations.fillMarketOrder),
    system: 'markets',
    params: {
      id: 'trade-under-policy',
      orderId: 'mkt123:order:0001',
      marketId: 'mkt123',
      positionId: 'mkt123:pos:0001',
      side: 'Buy',
      price: '0.5',
      size: '0.5',
      createdAt: '2025-11-14T12:00:00.000Z',
    },
  },
  'markets.advanceCheckpoint': {
    operation: erased(operations.advanceCheckpoint),
    system: 'markets',
    params: { slot: 900_000_000, signature: 'later' },
  },
  'markets.takeLock': { operation: erased(operations.takeLock), system: 'markets', params: lease },
  'markets.renewLock': { operation: erased(operations.renewLock), system: 'markets', params: lease },
  'markets.releaseLock': { operation: erased(operations.releaseLock), system: 'markets', params: { owner: lease.owner } },
  'markets.claimSignature': {
    operation: erased(operations.claimSignature),
    system: 'markets',
    params: { signature: 'under-policy', now: 1_900_000_000, seconds: 600 },
  },
  'backtest.replaceScanCoins': {
    operation: erased(operations.replaceScanCoins),
    system: 'backtest',
    params: { scanId: 'scan-under-policy', scanTimestamp: 1_900_000_000, selected: ['BTCUSDT'] },
  },
  'orderManagement.changeOrderStatus': {
    operation: erased(operations.changeOrderStatus),
    system: 'order-management',
    params: { ...order, from: 'Pendente', to: 'Pago' },
  },
  'orderManagement.changeItemStatus': {
    operation: erased(operations.changeItemStatus),
    system: 'order-management',
    params: { ...order, orderId: 'ORD-20231002-0002', productId: 'PRD-3003', from: 'SemEstoque', to: 'AguardandoEstoque' },
  },
};
