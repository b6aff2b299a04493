import {
  decimalText,
  fillCount,
  type GeneratedRecord,
  type Random,
  seededRandom,
  skewed,
  spellTime,
  type Volume,
  weighted,
} from '../../engine/author.ts';
import type { Entity } from '../../tables/model/entity.ts';
import {
  orderCustomer,
  orderItem,
  orderManagement,
  orderMeta,
  orderPayment,
  orderShipping,
  orderStatus,
} from '../../tables/order-management/order-management.ts';
import { cities, companies, goods, type Person, people } from './volume-names.ts';

const day = 86_400;
const tailStream = 0xffff_ffff;
const customerCount = 20_000;
const customersStream = 0x4000_0000;
/** META, STATUS, CUSTOMER, SHIPPING and PAYMENT stand in every order; items come on top. */
export const fixedRecords = 5;

const companyWeights = skewed(companies.length);
const cityWeights = skewed(cities.length);
const customerWeights = skewed(customerCount);
const goodsWeights = skewed(goods.length);
const itemCountWeights = weighted([45, 25, 14, 8, 4, 2, 1, 1]);
const methods = ['CartaoDeCredito', 'Pix', 'Boleto', 'CartaoDeDebito'];
const methodWeights = weighted([45, 38, 12, 5]);

/** A status of the order, and what its items are in then. */
const phases: readonly { readonly order: string; readonly items: readonly string[] }[] = [
  { order: 'Pendente', items: ['AguardandoEstoque', 'SemEstoque', 'AguardandoSeparacao'] },
  { order: 'AguardandoEstoque', items: ['AguardandoEstoque', 'SemEstoque'] },
  { order: 'AguardandoSeparacao', items: ['AguardandoSeparacao', 'AguardandoSeparacao', 'Separado'] },
  { order: 'Enviado', items: ['Separado'] },
  { order: 'Entregue', items: ['Separado'] },
  { order: 'Cancelado', items: ['Cancelado'] },
];
const phaseWeights = weighted([8, 6, 10, 14, 57, 5]);

/** Order by order, all six kinds of record; what is paid is what the items and the shipping come to. */
export const orderManagementVolume: Volume = {
  generate: ({ count, seed, base }) =>
    fillCount(count, {
      group: (number) => {
        const random = seededRandom(seed, number);
        return orderRecords(
          `ORD-V${seed}-${String(number + 1).padStart(7, '0')}`,
          1 + random.place(itemCountWeights),
          seed,
          base,
          random,
        );
      },
      tail: (room) => lastOrder(`ORD-V${seed}-ULTIMO`, room, seed, base, seededRandom(seed, tailStream)),
    }),
};

/** An order with as many items as there is room for; with too little room, a header that nothing was added to yet. */
function lastOrder(id: string, room: number, seed: number, base: number, random: Random): readonly GeneratedRecord[] {
  if (room > fixedRecords) return orderRecords(id, room - fixedRecords, seed, base, random);
  return Array.from({ length: room }, (_, at) => {
    const company = companies[0] as (typeof companies)[number];
    const record = {
      company_cnpj: company.cnpj,
      order_id: `${id}-${at + 1}`,
      company_name: company.name,
      order_date: spellTime(base, 'iso'),
    };
    return row(orderMeta, record);
  });
}

function orderRecords(id: string, items: number, seed: number, base: number, random: Random): readonly GeneratedRecord[] {
  const company = companies[random.place(companyWeights)] as (typeof companies)[number];
  const of = { company_cnpj: company.cnpj, order_id: id };
  const at = base - random.between(0, 365 * day);
  const phase = phases[random.place(phaseWeights)] as (typeof phases)[number];
  const person = customerOf(random.place(customerWeights), seed);
  const bought = Array.from({ length: items }, (_, number) => itemOf(number, phase.items, random));
  const shipping = BigInt(random.pick([0, 1_500, 1_890, 2_500, 5_000]));
  const amount = bought.reduce((sum, { quantity, cents }) => sum + BigInt(quantity) * cents, shipping);
  const method = methods[random.place(methodWeights)] ?? 'Pix';
  const delivery = spellTime(at + random.between(2, 9) * day, 'day');
  return [
    row(orderMeta, { ...of, company_name: company.name, order_date: spellTime(at, 'iso') }),
    row(orderStatus, { ...of, order_status: phase.order }),
    row(orderCustomer, { ...of, ...person }),
    row(orderShipping, {
      ...of,
      shipping_method: shipping === 0n ? 'Retirada' : random.pick(['Normal', 'Express']),
      shipping_cost: decimalText(shipping, 2),
      city: person.address.city,
      expected_delivery_date: delivery,
    }),
    row(orderPayment, {
      ...of,
      payment_method: method,
      transaction_id: `TXN-${id}-${random.between(100_000, 999_999)}`,
      amount: decimalText(amount, 2),
    }),
    ...bought.map((item) => row(orderItem, { ...of, ...item.record })),
  ];
}

function itemOf(number: number, statuses: readonly string[], random: Random) {
  const good = goods[random.place(goodsWeights)] as (typeof goods)[number];
  const quantity = random.chance(700) ? 1 : random.between(2, 12);
  const cents = BigInt(good.cents);
  const record = {
    // An order may hold the same article twice, as two lines.
    product_id: `${good.id}-${number + 1}`,
    description: good.name,
    quantity,
    unit_price: decimalText(cents, 2),
    item_status: random.pick(statuses),
  };
  return { quantity, cents, record };
}

/** The same customer is the same person in every order. */
function customerOf(number: number, seed: number): Person {
  const random = seededRandom(seed, customersStream + number);
  const city = cities[random.place(cityWeights)] as (typeof cities)[number];
  return people(number, city, random);
}

function row(entity: Entity, record: Readonly<Record<string, unknown>>): GeneratedRecord {
  return { table: orderManagement, entity, record };
}
