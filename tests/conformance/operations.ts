import * as operations from '../../tables/operations.ts';

type AnyOperation = (typeof operations)[keyof typeof operations];

interface Call {
  readonly operation: AnyOperation;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Every operation of the catalogue, once where it is taken and once where it is refused. */
export function operationCalls(nowSeconds: number): readonly Call[] {
  const order = {
    order_id: 'order_conformance',
    client_id: 'client_123',
    product_id: 'prod_001',
    analyst_id: 'analyst_001',
    symbol: 'BTCUSDT',
    side: 'BUY',
    quantity: '2.500000000000000000000000000000000001',
    price: '46000',
    status: 'NEW',
    order_type: 'LIMIT',
    created_at: dayOf(nowSeconds),
    updated_at: dayOf(nowSeconds),
  };
  const status = { orderId: 'order_conformance', status: 'FILLED', updatedAt: dayOf(nowSeconds) };
  const lease = { owner: 'a', now: nowSeconds, seconds: 3_600 };
  const claim = { signature: 'conformance', now: nowSeconds, seconds: 3_600 };
  const scan = { scanId: 'scan-conformance', scanTimestamp: nowSeconds, selected: ['BTCUSDT', 'NEWUSDT'] };
  const { createOrder, updateOrderStatus, updateMarketOrder, advanceCheckpoint, takeLock, renewLock, releaseLock } = operations;
  const { claimSignature, fillMarketOrder, replaceScanCoins, changeOrderStatus, changeItemStatus } = operations;
  const order2023 = { cnpj: '12.345.678/0001-99', orderId: 'ORD-20231002-0002' };
  const twice = (operation: AnyOperation, params: Call['params']): readonly Call[] => [
    { operation, params },
    { operation, params },
  ];
  return [
    ...twice(createOrder, order),
    { operation: updateOrderStatus, params: status },
    { operation: updateOrderStatus, params: { ...status, orderId: 'order_nowhere' } },
    { operation: updateMarketOrder, params: { id: 'mkt123:order:0001', status: 'Filled', remaining: '0' } },
    { operation: updateMarketOrder, params: { id: 'nowhere', status: 'Filled', remaining: '0' } },
    ...twice(fillMarketOrder, {
      id: 'conformance:trade',
      marketId: 'mkt123',
      positionId: 'mkt123:pos:0001',
      orderId: 'mkt123:order:0003',
      side: 'Buy',
      price: '100.75',
      size: '0.0000000000000000000000000000000001',
      createdAt: '2025-10-14T10:00:00Z',
    }),
    ...twice(advanceCheckpoint, { slot: 999_999_999, signature: 'conformance' }),
    { operation: takeLock, params: { ...lease, now: nowSeconds + 86_400 } },
    { operation: takeLock, params: { ...lease, owner: 'b', now: nowSeconds + 86_400 } },
    { operation: renewLock, params: { ...lease, now: nowSeconds + 86_401 } },
    ...twice(releaseLock, { owner: 'a' }),
    ...twice(claimSignature, claim),
    ...twice(replaceScanCoins, scan),
    ...twice(changeOrderStatus, { ...order2023, from: 'AguardandoSeparacao', to: 'Enviado' }),
    ...twice(changeItemStatus, {
      ...order2023,
      productId: 'PRD-1001',
      from: 'AguardandoSeparacao',
      to: 'SemEstoque',
    }),
  ];
}

/** `DD/MM/YYYY HH:mm:ss` */
function dayOf(seconds: number): string {
  const [year = '', month = '', day = '', time = ''] = new Date(seconds * 1_000).toISOString().split(/[-T.]/);
  return `${day}/${month}/${year} ${time}`;
}
