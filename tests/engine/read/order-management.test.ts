import { expect } from 'chai';
import { runOperation } from '../../../engine/run/write/run-operation.ts';
import type { InputOf } from '../../../tables/model/entity.ts';
import { changeItemStatus, changeOrderStatus } from '../../../tables/operations.ts';
import {
  orderCustomer,
  orderItem,
  orderManagement,
  orderMeta,
  orderPayment,
  orderShipping,
  orderStatus,
} from '../../../tables/order-management/order-management.ts';
import { useEngine } from '../../support/test-engine.ts';

const table = orderManagement;
const { patterns } = table;
const cnpj = '12.345.678/0001-99';
const order = (order_id: string, company_cnpj = cnpj) => ({ company_cnpj, order_id });
const address = {
  street: 'Avenida das Américas',
  number: '5000',
  neighborhood: 'Barra',
  city: 'Rio de Janeiro',
  state: 'RJ',
  zip_code: '22640-102',
};
const ship = (order_id: string, city: string, expected_delivery_date: string): InputOf<typeof orderShipping> => ({
  ...order(order_id),
  shipping_method: 'Express',
  shipping_cost: '50',
  city,
  expected_delivery_date,
});
const item = (
  order_id: string,
  product_id: string,
  item_status: InputOf<typeof orderItem>['item_status'],
): InputOf<typeof orderItem> => ({
  ...order(order_id),
  product_id,
  description: 'Smartphone XYZ',
  quantity: 1,
  unit_price: '2500',
  item_status,
});

describe('order management', () => {
  const engine = useEngine([table]);
  const values = async (
    pattern: Parameters<ReturnType<typeof engine>['read']>[0],
    params: Readonly<Record<string, unknown>>,
    name = 'order_id',
  ) => (await engine().read(pattern, params)).map((record) => record[name]);

  before(async () => {
    const { put } = engine();
    await put(table, orderMeta, [
      { ...order('O1'), company_name: 'Tech', order_date: '2023-10-01T10:30:00Z' },
      { ...order('O1', '99/1'), company_name: 'Other', order_date: '2023-10-01T10:30:00Z' },
    ]);
    await put(table, orderStatus, [
      { ...order('O1'), order_status: 'Pendente' },
      { ...order('O2'), order_status: 'Pendente' },
    ]);
    await put(table, orderItem, [
      item('O1', 'P1', 'AguardandoEstoque'),
      item('O1', 'P2', 'SemEstoque'),
      item('O2', 'P1', 'AguardandoEstoque'),
    ]);
    await put(table, orderCustomer, [
      { ...order('O1'), cpf: '123', first_name: 'M', last_name: 'A', email: 'm@example.com', phone: '1', address },
    ]);
    await put(table, orderShipping, [
      ship('O1', 'Rio de Janeiro', '2023-10-03'),
      ship('O2', 'Rio de Janeiro', '2023-10-05'),
      ship('O3', 'Rio de Janeiro', '2023-10-04'),
      ship('O4', 'São Paulo', '2023-10-04'),
    ]);
    await put(table, orderPayment, [{ ...order('O1'), payment_method: 'CartaoDeCredito', transaction_id: 'T', amount: '2800' }]);
  });

  it('everything of an order is its seven records, none of another company’s', async () => {
    const found = await engine().read(patterns.everythingOfOrder, { cnpj, orderId: 'O1' });
    expect(found.map((record) => String(record.SK).split('#')[0])).to.deep.equal([
      'CUSTOMER',
      'ITEM',
      'ITEM',
      'META',
      'PAYMENT',
      'SHIPPING',
      'STATUS',
    ]);
  });

  it('the inversion finds orders by status, customer and payment method', async () => {
    expect(await values(patterns.ordersByStatus, { status: 'Pendente' })).to.deep.equal(['O1', 'O2']);
    expect(await values(patterns.ordersOfCustomer, { cpf: '123' })).to.deep.equal(['O1']);
    expect(await values(patterns.ordersByPaymentMethod, { method: 'CartaoDeCredito' })).to.deep.equal(['O1']);
    expect(await values(patterns.ordersByStatus, { status: 'Enviado' })).to.deep.equal([]);
  });

  it('orders by city come by date, within a range of whole days', async () => {
    const city = 'Rio de Janeiro';
    expect(await values(patterns.ordersByCity, { city })).to.deep.equal(['O1', 'O3', 'O2']);
    expect(await values(patterns.ordersByCity, { city, from: '2023-10-04' })).to.deep.equal(['O3', 'O2']);
    expect(await values(patterns.ordersByCity, { city, to: '2023-10-04' })).to.deep.equal(['O1', 'O3']);
    expect(await values(patterns.ordersByCity, { city, from: '2023-10-03', to: '2023-10-03' })).to.deep.equal(['O1']);
  });

  it('items by status are the picking queue', async () => {
    expect(await values(patterns.itemsByStatus, { status: 'AguardandoEstoque' })).to.deep.equal(['O1', 'O2']);
    expect(await values(patterns.itemsByStatus, { status: 'SemEstoque' }, 'product_id')).to.deep.equal(['P2']);
  });

  it('a status change moves the one record, and only from the status it had', async () => {
    const change = { cnpj, orderId: 'O1', from: 'Pendente', to: 'AguardandoSeparacao' };
    expect(await engine().run(changeOrderStatus, change)).to.include({ outcome: 'applied' });
    expect(await values(patterns.ordersByStatus, { status: 'Pendente' })).to.deep.equal(['O2']);
    expect(await values(patterns.ordersByStatus, { status: 'AguardandoSeparacao' })).to.deep.equal(['O1']);
    expect(await engine().run(changeOrderStatus, change)).to.deep.equal({ outcome: 'refused', reason: 'status-changed' });
    expect(await engine().run(changeOrderStatus, { ...change, from: 'Pago', to: 'Pago' })).to.deep.equal({
      outcome: 'refused',
      reason: 'same-status',
    });
  });

  it('a status change carries all that its record has, and overwrites nothing that came meanwhile', async () => {
    const { environment } = engine();
    const status = (name: string, note: string) => ({
      PK: { S: `COMPANY#${cnpj}#ORDER#O9` },
      SK: { S: `STATUS#${name}` },
      order_id: { S: 'O9' },
      company_cnpj: { S: cnpj },
      order_status: { S: name },
      note: { S: note },
    });
    await engine().putRaw(table, [status('Pendente', 'first')]);
    const change = { cnpj, orderId: 'O9', from: 'Pendente', to: 'Pago' };
    // Somebody writes into the record after it was read.
    const store = {
      ...environment.store,
      transact: async (...args: Parameters<typeof environment.store.transact>) => {
        await engine().putRaw(table, [status('Pendente', 'second')]);
        return environment.store.transact(...args);
      },
    };
    expect(await runOperation({ ...environment, store }, changeOrderStatus, change as never)).to.deep.equal({
      outcome: 'refused',
      reason: 'status-changed',
    });
    expect(await engine().run(changeOrderStatus, change)).to.include({ outcome: 'applied' });
    const [moved] = await engine().read(patterns.statusOfOrder, { cnpj, orderId: 'O9', status: 'Pago' });
    expect(moved).to.include({ order_status: 'Pago', note: 'second' });
  });

  it('an item’s status and its queue change together, and only from the status it had', async () => {
    const change = { cnpj, orderId: 'O1', productId: 'P1', from: 'AguardandoEstoque', to: 'AguardandoSeparacao' };
    expect(await engine().run(changeItemStatus, change)).to.include({ outcome: 'applied' });
    const [moved] = await engine().read(patterns.itemsByStatus, { status: 'AguardandoSeparacao' });
    expect(moved).to.include({ product_id: 'P1', item_status: 'AguardandoSeparacao' });
    expect(await values(patterns.itemsByStatus, { status: 'AguardandoEstoque' })).to.deep.equal(['O2']);
    expect(await engine().run(changeItemStatus, change)).to.deep.equal({ outcome: 'refused', reason: 'status-changed' });
    expect(await engine().run(changeItemStatus, { ...change, orderId: 'nowhere' })).to.deep.equal({
      outcome: 'refused',
      reason: 'status-changed',
    });
  });

  it('the documented item that has its status in the index key alone can move too', async () => {
    const partition = `COMPANY#${cnpj}#ORDER#O9`;
    await engine().putRaw(table, [
      {
        PK: { S: partition },
        SK: { S: 'ITEM#P9' },
        'GSI2-PK': { S: 'ITEMSTATUS#AguardandoEstoque' },
        'GSI2-SK': { S: `${partition}#ITEM#P9` },
      },
    ]);
    const change = { cnpj, orderId: 'O9', productId: 'P9', from: 'AguardandoEstoque', to: 'SemEstoque' };
    expect(await engine().run(changeItemStatus, change)).to.include({ outcome: 'applied' });
    expect(await engine().read(patterns.itemsByStatus, { status: 'SemEstoque' })).to.have.length(2);
  });
});
