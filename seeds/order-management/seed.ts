import { defineSeed, file, mixedFile } from '../../engine/author.ts';
import {
  orderCustomer,
  orderItem,
  orderManagement,
  orderMeta,
  orderPayment,
  orderShipping,
  orderStatus,
} from '../../tables/order-management/order-management.ts';
import { orderManagementVolume } from './volume.ts';

export default defineSeed({
  description: 'Orders of two companies in one table, with all six kinds of record',
  system: 'order-management',
  stacks: ['local', 'dev'],
  fixtures: [
    mixedFile(orderManagement, 'orders.json'),
    file(orderManagement, orderMeta, 'headers.csv'),
    file(orderManagement, orderStatus, 'statuses.csv'),
    file(orderManagement, orderItem, 'items.csv'),
    file(orderManagement, orderCustomer, 'customers.csv'),
    file(orderManagement, orderShipping, 'shipping.csv'),
    file(orderManagement, orderPayment, 'payments.csv'),
  ],
  volume: orderManagementVolume,
});
