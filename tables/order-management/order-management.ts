import { z } from 'zod';
import { decimal, isoDay, isoTime, known, note, notNegative, positive, text } from '../model/attributes.ts';
import { defineEntity, type Reference } from '../model/entity.ts';
import { is, window } from '../model/pattern.ts';
import { defineTable } from '../model/table.ts';

/** Every record of an order lies in one partition; these two name it. */
const orderOf = { company_cnpj: text(), order_id: text() };
const partition = 'COMPANY#{company_cnpj}#ORDER#{order_id}';
const orderHasHeader: Reference = {
  attribute: 'order_id',
  entity: 'order-management/META',
  target: 'order_id',
  // Order ids are a company's own.
  alike: ['company_cnpj'],
};

/** 004 names some and leaves both lists open; these are the ones that are written. */
export const orderPhase = () =>
  known('Pendente', 'Pago', 'AguardandoEstoque', 'AguardandoSeparacao', 'Separado', 'Enviado', 'Entregue', 'Cancelado');
export const itemPhase = () =>
  known('AguardandoEstoque', 'SemEstoque', 'AguardandoSeparacao', 'Separado', 'Enviado', 'Entregue', 'Cancelado');

export const orderMeta = defineEntity({
  name: 'META',
  description: 'The header of an order',
  attributes: { ...orderOf, company_name: text(), order_date: isoTime(), notes: note().optional() },
  derive: [{ set: { PK: partition, SK: 'META#{company_cnpj}' } }],
});

export const orderStatus = defineEntity({
  name: 'STATUS',
  description: 'The phase that an order is in; part of its key',
  attributes: { ...orderOf, order_status: orderPhase() },
  derive: [{ set: { PK: partition, SK: 'STATUS#{order_status}' } }],
  references: [orderHasHeader],
  keeper: {
    by: ['orderManagement.changeOrderStatus'],
    comesWith: { entity: 'META', alike: ['company_cnpj', 'order_id'] },
  },
});

export const orderItem = defineEntity({
  name: 'ITEM',
  description: 'A product in an order',
  attributes: {
    ...orderOf,
    product_id: text(),
    description: text(),
    quantity: positive(),
    unit_price: notNegative(),
    item_status: itemPhase(),
  },
  derive: [
    { set: { PK: partition, SK: 'ITEM#{product_id}' } },
    { set: { 'GSI2-PK': 'ITEMSTATUS#{item_status}', 'GSI2-SK': `${partition}#ITEM#{product_id}` } },
  ],
  references: [orderHasHeader],
});

export const orderCustomer = defineEntity({
  name: 'CUSTOMER',
  description: 'The customer of an order',
  attributes: {
    ...orderOf,
    cpf: text(),
    first_name: text(),
    last_name: text(),
    email: text(),
    phone: text(),
    address: z.strictObject({
      street: text(),
      number: text(),
      complement: note().optional(),
      neighborhood: text(),
      city: text(),
      state: text(),
      zip_code: text(),
    }),
  },
  derive: [{ set: { PK: partition, SK: 'CUSTOMER#{cpf}' } }],
  references: [orderHasHeader],
});

export const orderShipping = defineEntity({
  name: 'SHIPPING',
  description: 'Where and when an order is delivered',
  attributes: {
    ...orderOf,
    shipping_method: text(),
    shipping_cost: notNegative(),
    city: text(),
    expected_delivery_date: isoDay(),
  },
  derive: [
    { set: { PK: partition, SK: 'SHIPPING#{city}#{expected_delivery_date}' } },
    // The inversion would need city and date together, so shipping records share GSI2 with the items.
    { set: { 'GSI2-PK': 'CITY#{city}', 'GSI2-SK': `{expected_delivery_date}#${partition}` } },
  ],
  references: [orderHasHeader],
});

export const orderPayment = defineEntity({
  name: 'PAYMENT',
  description: 'How an order is paid',
  attributes: { ...orderOf, payment_method: text(), transaction_id: text(), amount: decimal() },
  derive: [{ set: { PK: partition, SK: 'PAYMENT#{payment_method}' } }],
  references: [orderHasHeader],
});

export const orderManagement = defineTable({
  name: 'order-management',
  system: 'order-management',
  namespace: 'orderManagement',
  description: 'Orders of several companies in one table',
  hash: 'PK',
  range: 'SK',
  indexes: { GSI1: { hash: 'SK', range: 'PK' }, GSI2: { hash: 'GSI2-PK', range: 'GSI2-SK' } },
  entities: [orderMeta, orderStatus, orderItem, orderCustomer, orderShipping, orderPayment],
  patterns: {
    everythingOfOrder: {
      description: 'All records of an order',
      params: { cnpj: text(), orderId: text() },
      key: [is('PK', 'COMPANY#{cnpj}#ORDER#{orderId}')],
      result: [orderMeta, orderStatus, orderItem, orderCustomer, orderShipping, orderPayment],
      example: { cnpj: '12.345.678/0001-99', orderId: 'ORD-20231001-0001' },
    },
    statusOfOrder: {
      description: 'The status record of an order, if it is in that status',
      params: { cnpj: text(), orderId: text(), status: text() },
      key: [is('PK', 'COMPANY#{cnpj}#ORDER#{orderId}'), is('SK', 'STATUS#{status}')],
      result: [orderStatus],
      example: { cnpj: '12.345.678/0001-99', orderId: 'ORD-20231001-0001', status: 'Pendente' },
    },
    ordersByStatus: {
      description: 'The orders in a status',
      params: { status: text() },
      index: 'GSI1',
      key: [is('SK', 'STATUS#{status}')],
      result: [orderStatus],
      example: { status: 'Pendente' },
    },
    ordersOfCustomer: {
      description: 'The orders of a customer',
      params: { cpf: text() },
      index: 'GSI1',
      key: [is('SK', 'CUSTOMER#{cpf}')],
      result: [orderCustomer],
      example: { cpf: '123.456.789-00' },
    },
    ordersByCity: {
      description: 'The orders delivered to a city, by date, within a date range if one is given',
      params: { city: text(), from: isoDay().optional(), to: isoDay().optional() },
      index: 'GSI2',
      // '$' follows '#', so the upper bound takes in every order of its last day.
      key: [is('GSI2-PK', 'CITY#{city}'), window('GSI2-SK', { from: '{from}', to: '{to}$' })],
      result: [orderShipping],
      example: { city: 'Rio de Janeiro' },
    },
    ordersByPaymentMethod: {
      description: 'The orders paid by a method',
      params: { method: text() },
      index: 'GSI1',
      key: [is('SK', 'PAYMENT#{method}')],
      result: [orderPayment],
      example: { method: 'CartaoDeCredito' },
    },
    itemsByStatus: {
      description: 'The items in an item status: picking queue, out of stock',
      params: { status: text() },
      index: 'GSI2',
      key: [is('GSI2-PK', 'ITEMSTATUS#{status}')],
      result: [orderItem],
      example: { status: 'AguardandoEstoque' },
    },
  },
});
