import { expect } from 'chai';
import fc from 'fast-check';
import { checkDigits, cpfWeights } from '../../../engine/core/transfer/mask/check-digits.ts';
import type { MaskFile } from '../../../engine/core/transfer/mask/mask-rules.ts';
import { maskText } from '../../../engine/core/transfer/mask/mask-value.ts';
import { backtestResults, result } from '../../../tables/backtest/results.ts';
import { marketOrder, marketOrders } from '../../../tables/markets/orders.ts';
import { type AttributeValue, type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { buildItem, entityOf, keyProblems } from '../../../tables/model/item.ts';
import type { Table } from '../../../tables/model/table.ts';
import { client, omsConfig } from '../../../tables/oms/config.ts';
import { order as omsOrder, omsTradingData } from '../../../tables/oms/trading-data.ts';
import { orderCustomer, orderManagement, orderMeta, orderShipping } from '../../../tables/order-management/order-management.ts';
import { testHash as hash, maskerOf, maskFile } from '../../support/mask-bed.ts';
import { personalIn } from '../../support/personal-values.ts';
import { isFoundIn, plantedIn } from '../../support/planted-values.ts';

const everything: MaskFile = maskFile([
  { attribute: 'cpf', as: 'cpf' },
  { attribute: 'first_name', as: 'name' },
  { attribute: 'last_name', as: 'name' },
  { attribute: 'email', as: 'email' },
  { attribute: 'phone', as: 'phone' },
  { attribute: 'address', as: 'text' },
  { attribute: 'city', as: 'text' },
  { entity: 'CLIENT', attribute: 'name', as: 'name' },
  { entity: 'CLIENT', attribute: 'client_id', as: 'text' },
  { attribute: 'analyst_id', as: 'text', table: 'oms_trading_data' },
  { attribute: 'owner', as: 'text' },
  { attribute: 'analyzer_id', as: 'text' },
  { attribute: 'scanner_id', as: 'text' },
]);

const order = { company_cnpj: '12.345.678/0001-99', order_id: 'ORD-1' };
const address = {
  street: 'Rua das Laranjeiras',
  number: '1047',
  neighborhood: 'Centro',
  city: 'Petrópolis',
  state: 'RJ',
  zip_code: '25685-040',
};
const person = {
  cpf: '529.982.247-25',
  first_name: 'Joaquim',
  last_name: 'Figueiredo',
  email: 'joaquim.figueiredo@correio.com.br',
  phone: '+55 (21) 98765-4321',
};
const customerItem = (change: object = {}) =>
  buildItem(orderManagement, orderCustomer, { ...order, ...person, address, ...change });

function masked(table: Table, item: Item, file: MaskFile = everything): Item {
  return maskerOf(table, file).apply(item) ?? {};
}

const letters = 'abcdefghijklmnopqrstuvwxyzáãçéíõú';
const word = fc.string({ unit: fc.constantFrom(...letters), minLength: 6, maxLength: 12 });
const capital = word.map((text) => (text[0] ?? '').toUpperCase() + text.slice(1));
const digits = (length: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length });
const anyCpf = digits(9).map((base) => (base + checkDigits(base, cpfWeights)).replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4'));
const anyName = fc.tuple(capital, capital).map((words) => words.join(' '));
const anyEmail = fc.tuple(word, word).map(([a, b]) => `${a}.${b}@correio.com.br`);
const anyPhone = digits(9).map((text) => `+55 (21) ${text.slice(0, 5)}-${text.slice(5)}`);
const wallet = fc.string({
  unit: fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'),
  minLength: 40,
  maxLength: 44,
});

const tradingOrder = {
  order_id: 'o1',
  product_id: 'prod_001',
  symbol: 'BTCUSDT',
  side: 'BUY',
  quantity: '10',
  price: '50000.5',
  status: 'NEW',
  order_type: 'LIMIT',
  created_at: '14/11/2025 10:30:00',
  updated_at: '14/11/2025 10:30:00',
} as const;

const backtest = {
  symbol: 'BTCUSDT',
  scan_timestamp: 1_765_972_800,
  ...{ volatility_24h: '1', turnover: '1', price: '1', price_change_24h: '1', optimal_timeframe: '1m', optimal_pnl: '1' },
  ...{ timeframes: {}, optimal_win_rate: '1', btc_correlation: '1', scan_id: 's1', version: 1, status: 'active' as const },
  trend_analysis: { current_trend: 'up', strength: '1', btc_trend: 'up' },
  created_at: '2025-12-17T12:00:00Z',
  updated_at: '2025-12-17T12:00:00Z',
} as const;

/** One table of each system, an attribute that a rule masks there, and what it may hold. */
const systems: readonly {
  readonly table: Table;
  readonly attribute: string;
  readonly values: fc.Arbitrary<string>;
  readonly build: (value: string) => Item;
}[] = [
  { table: orderManagement, attribute: 'cpf', values: anyCpf, build: (cpf) => customerItem({ cpf }) },
  { table: orderManagement, attribute: 'first_name', values: anyName, build: (first_name) => customerItem({ first_name }) },
  { table: orderManagement, attribute: 'email', values: anyEmail, build: (email) => customerItem({ email }) },
  { table: orderManagement, attribute: 'phone', values: anyPhone, build: (phone) => customerItem({ phone }) },
  { table: orderManagement, attribute: 'last_name', values: anyName, build: (last_name) => customerItem({ last_name }) },
  ...(['street', 'neighborhood', 'city'] as const).map((part) => ({
    table: orderManagement,
    attribute: `address.${part}`,
    values: anyName,
    build: (text: string) => customerItem({ address: { ...address, [part]: text } }),
  })),
  {
    table: orderManagement,
    attribute: 'address.zip_code',
    values: digits(8).map((text) => `${text.slice(0, 5)}-${text.slice(5)}`),
    build: (zip_code) => customerItem({ address: { ...address, zip_code } }),
  },
  {
    table: orderManagement,
    attribute: 'city',
    values: anyName,
    build: (city) =>
      buildItem(orderManagement, orderShipping, {
        ...order,
        shipping_method: 'SEDEX',
        shipping_cost: '10.50',
        city,
        expected_delivery_date: '2025-01-09',
      }),
  },
  {
    table: omsConfig,
    attribute: 'name',
    values: anyName,
    build: (name) => buildItem(omsConfig, client, { client_id: 'c1', name, status: 'ACTIVE' }),
  },
  {
    table: omsTradingData,
    attribute: 'client_id',
    values: word,
    build: (client_id) => buildItem(omsTradingData, omsOrder, { ...tradingOrder, client_id }),
  },
  {
    table: omsTradingData,
    attribute: 'analyst_id',
    values: word,
    build: (analyst_id) => buildItem(omsTradingData, omsOrder, { ...tradingOrder, client_id: 'c9', analyst_id }),
  },
  {
    table: marketOrders,
    attribute: 'owner',
    values: wallet,
    build: (owner) =>
      buildItem(marketOrders, marketOrder, {
        id: 'm:1',
        marketId: 'm',
        side: 'Buy',
        price: '0.5',
        size: '10',
        remaining: '10',
        status: 'Open',
        owner,
        createdAt: '2025-10-14T10:00:00.000Z',
      }),
  },
  {
    table: backtestResults,
    attribute: 'analyzer_id',
    values: word,
    build: (analyzer_id) => buildItem(backtestResults, result, { ...backtest, analyzer_id }),
  },
];

describe('nothing personal is left', () => {
  it('of any value, in any of more than thirty places and spellings, in the data of all four systems', function () {
    this.timeout(180_000);
    expect(new Set(systems.map(({ table }) => table.system)).size).to.equal(4);
    for (const { table, attribute, values, build } of systems) {
      fc.assert(
        fc.property(values, (value) => {
          const planted = Object.entries(plantedIn(value));
          const hidden = planted.filter(([name, one]) => isFoundIn({ [name]: one }, value).length === 0);
          expect([planted.length >= 35, ...hidden], 'all of them are found before').to.deep.equal([true]);
          const item = { ...build(value), ...Object.fromEntries(planted) };
          const clean = masked(table, item);
          expect(isFoundIn(clean, value), `${attribute} ${value}`).to.deep.equal([]);
          expect(keyProblems(table, clean)).to.deep.equal([]);
          expect(entityOf(table, clean)?.name).to.equal(entityOf(table, item)?.name);
        }),
        { numRuns: 40 },
      );
    }
  });

  it('is seen by what looks through the target of a refresh, in every one of these places', () => {
    for (const value of [person.cpf, 'Joaquim Figueiredo', person.email, person.phone]) {
      const source = new Map([[orderManagement, [customerItem({ first_name: value })]]]);
      const blind = Object.entries(plantedIn(value)).filter(
        ([name, one]) => personalIn(source, new Map([[orderManagement, [{ [name]: one }]]])).length === 0,
      );
      expect(blind, value).to.deep.equal([]);
    }
  });

  const kept = customerItem();
  const leaks: readonly (readonly [string, Item])[] = [
    ['as a number', { copy: { N: '52998224725' } }],
    ['as a number below nought', { copy: { N: '-52998224725' } }],
    ['in a number set', { copy: { NS: ['1', '52998224725'] } }],
    ['in binary', { copy: { B: Buffer.from('529.982.247-25') } }],
    ['as the name of an attribute', { '529.982.247-25': { BOOL: true } }],
    ['as the key of a map', { copy: { M: { '529.982.247-25': { BOOL: true } } } }],
    ['without punctuation', { copy: { S: 'cpf 52998224725' } }],
  ];
  for (const [how, more] of leaks) {
    it(`of a CPF ${how}`, () => {
      expect(isFoundIn(masked(orderManagement, { ...kept, ...more }), '52998224725')).to.deep.equal([]);
    });
  }

  it('of a name in another order, with initials, in a login, with letters that other keyboards lack', () => {
    const named = (name: string, said: string) =>
      scalarText(
        masked(omsConfig, {
          ...buildItem(omsConfig, client, { client_id: 'c1', name, status: 'ACTIVE' }),
          said: { S: said },
        }).said,
      )?.toLowerCase();
    expect(named('Joaquim Figueiredo', 'FIGUEIREDO, Joaquim')).not.to.match(/figueiredo|joaquim/);
    expect(named('Joaquim Figueiredo', 'J. Figueiredo of jfigueiredo')).not.to.match(/figueiredo/);
    expect(named('Carlos Sá', 'Sá asked, Isabel answered'))
      .to.match(/asked, isabel answered$/)
      .and.not.to.match(/sá/);
    expect(named('Łukasz Strauß', 'LUKASZ STRAUSS')).not.to.match(/lukasz|strauss/);
    expect(named('Bjørn Sæther', 'bjorn saether')).not.to.match(/bjorn|saether/);
    expect(named('Maria da Silva', 'paid da conta e de luz')).to.equal('paid da conta e de luz');
  });

  it('of a CPF without its leading noughts, in other digits, of a phone number without country or area', () => {
    const said = (text: string) =>
      scalarText(masked(orderManagement, { ...customerItem({ cpf: '012.345.678-90' }), said: { S: text } }).said);
    expect(said('cpf 1234567890.')).not.to.contain('1234567890');
    expect(said('cpf ０１２.３４５.６７８-９０')).not.to.match(/３４５/);
    expect(said('cpf ٠١٢٣٤٥٦٧٨٩٠')).not.to.contain('٣٤٥');
    expect(said('ring 98765-4321 or 8765 4321')).not.to.match(/4321/);
    expect(said('ring 021 98765-4321')).not.to.match(/4321/);
    const number = masked(orderManagement, { ...kept, tel: { N: '21987654321' }, local: { N: '987654321' } });
    expect([scalarText(number.tel), scalarText(number.local)].join()).not.to.contain('87654321');
  });

  it('of a name in capitals or an e-mail that is URL-encoded, or its local part alone', () => {
    const clean = masked(orderManagement, {
      ...kept,
      a: { S: 'FIGUEIREDO' },
      b: { S: 'mailto=joaquim.figueiredo%40correio.com.br' },
      c: { S: 'login joaquim.figueiredo' },
    });
    for (const value of ['figueiredo', 'joaquim']) expect(isFoundIn(clean, value)).to.deep.equal([]);
    expect(clean.a).to.deep.equal({ S: maskText('name', 'Figueiredo', hash).toUpperCase() });
    expect(clean.b).to.deep.equal({ S: `mailto=${encodeURIComponent(maskText('email', person.email, hash))}` });
    expect(clean.c).to.deep.equal({ S: `login ${maskText('email', person.email, hash).split('@')[0]}` });
  });

  it('in other records that the catalogue connects: by the same mask, in attributes and keys', () => {
    const config = masked(
      omsConfig,
      buildItem(omsConfig, client, { client_id: 'maria.souza', name: 'Maria Souza', status: 'ACTIVE' }),
    );
    const trading = masked(omsTradingData, buildItem(omsTradingData, omsOrder, { ...tradingOrder, client_id: 'maria.souza' }));
    const id = maskText('text', 'maria.souza', hash);
    expect([config.PK, config.GSI1_SK, trading.PK, trading.client_id].map(scalarText)).to.deep.equal([
      `CLIENT#${id}`,
      id,
      `CLIENT#${id}`,
      id,
    ]);
    expect(trading.SK).to.deep.equal({ S: 'ORDER#2025-11-14T10:30:00Z#o1' });
  });
});

describe('a mask leaves alone', () => {
  it('numbers that only hold the digits, prices, and words that only hold a short value', () => {
    const clean = masked(orderManagement, {
      ...customerItem({ first_name: 'Ana' }),
      total: { N: '152998224725' },
      part: { N: '1047.50' },
      said: { S: 'Banana for ANA, ana.x and Anabela' },
    });
    const ana = maskText('name', 'Ana', hash);
    expect(clean.total).to.deep.equal({ N: '152998224725' });
    expect(clean.part).to.deep.equal({ N: '1047.50' });
    expect(clean.said).to.deep.equal({ S: `Banana for ${ana.toUpperCase()}, ${ana}.x and Anabela` });
  });

  it('constants, enumerations, times, fixed parts of keys and names that the catalogue gives', () => {
    const item = buildItem(omsTradingData, omsOrder, { ...tradingOrder, client_id: 'c9', analyst_id: 'ORDER' });
    const clean = masked(omsTradingData, { ...item, note: { S: 'NEW order of 14/11/2025 10:30:00' } });
    expect(scalarText(clean.SK)).to.match(/^ORDER#2025-11-14T10:30:00Z#/);
    expect([clean.entity_type, clean.status, clean.created_at, clean.side]).to.deep.equal([
      { S: 'ORDER' },
      { S: 'NEW' },
      { S: '14/11/2025 10:30:00' },
      { S: 'BUY' },
    ]);
    expect(Object.keys(clean)).to.have.members([...Object.keys(item), 'note']);
  });
});

describe('a masked key', () => {
  const key = (item: Item) => [scalarText(item.PK), scalarText(item.SK)];

  it('comes from the key itself, so that two records stay two where their attributes agree', () => {
    const masker = maskerOf(orderManagement, everything);
    const one = customerItem({ cpf: '52998224725' });
    const old = { ...one, SK: { S: 'CUSTOMER#OLD-9' } };
    const [a, b] = [masker.apply(one) ?? {}, masker.apply(old) ?? {}];
    expect(key(a)).not.to.deep.equal(key(b));
    expect(a.cpf).to.deep.equal(b.cpf);
    expect(scalarText(a.SK)).to.equal(`CUSTOMER#${scalarText(a.cpf)}`);
    expect(isFoundIn(b, 'OLD-9')).to.deep.equal([]);
    expect(masker.take()).to.include({ 'disagree:CUSTOMER.cpf': 1, 'entity:CUSTOMER': 2 });
  });

  it('of different records is different, whatever they hold', () => {
    const cpfs = fc.uniqueArray(fc.oneof(anyCpf, digits(11), word, digits(3)), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(cpfs, (all) => {
        const keys = all.map((cpf) => key(masked(orderManagement, customerItem({ cpf }))).join());
        expect(new Set(keys).size).to.equal(all.length);
      }),
      { numRuns: 50 },
    );
  });

  it('is refused where an identity without a rule holds a value, and `keep` lets it pass', () => {
    const item = customerItem({ order_id: 'ORD-52998224725' });
    expect(() => masked(orderManagement, item))
      .to.throw('order-management/CUSTOMER: order_id holds a value that a rule masks, and has no rule itself')
      .with.property('code', 'BAD_ARGUMENT');
    const keep = maskFile([...everything.rules, { attribute: 'order_id', as: 'keep', table: 'order-management' }]);
    expect(scalarText(masked(orderManagement, item, keep).order_id)).to.equal('ORD-52998224725');
    expect(() => masked(orderManagement, customerItem({ order_id: 'ORD-1047' }))).not.to.throw();
  });

  it('moves with a date that is moved, and with it when the record expires', () => {
    const file = maskFile([
      ...everything.rules,
      { table: 'oms_trading_data', attribute: 'created_at', as: 'date', by: 'client_id' },
    ]);
    const item = buildItem(omsTradingData, omsOrder, { ...tradingOrder, client_id: 'c9' });
    const clean = masked(omsTradingData, item, file);
    const moved = maskText('date', '14/11/2025 10:30:00', hash, 'c9');
    const iso = `${moved.slice(6, 10)}-${moved.slice(3, 5)}-${moved.slice(0, 2)}T10:30:00Z`;
    expect(scalarText(clean.created_at)).to.equal(moved).and.not.to.equal('14/11/2025 10:30:00');
    expect(scalarText(clean.SK)).to.equal(`ORDER#${iso}#o1`);
    const days = (Date.parse(iso) - Date.parse('2025-11-14T10:30:00Z')) / 1_000;
    expect(Number(scalarText(clean.ttl)) - Number(scalarText(item.ttl))).to.equal(days);
  });
});

describe('a record of no entity', () => {
  const stray: Item = { PK: { S: 'SOMETHING#529.982.247-25' }, SK: { S: 'ELSE' }, cpf: { S: '529.982.247-25' } };

  it('is refused, unless a rule drops it or keeps it masked', () => {
    expect(() => masked(orderManagement, stray))
      .to.throw('a record fits no entity of the catalogue')
      .with.property('code', 'BAD_ARGUMENT');
    const masker = maskerOf(orderManagement, { ...everything, strays: [{ as: 'drop' }] });
    expect(masker.apply(stray)).to.equal(undefined);
    expect(masker.take()).to.include({ dropped: 1 });
    const clean = masked(orderManagement, stray, { ...everything, strays: [{ as: 'keep', table: 'order-management' }] });
    expect(isFoundIn(clean, '52998224725')).to.deep.equal([]);
    expect(scalarText(clean.PK)).to.match(/^SOMETHING#\d{3}\.\d{3}\.\d{3}-\d\d$/);
  });
});

describe('free text', () => {
  it('about the record’s own person is masked; about another one it takes a rule', () => {
    const meta: Item = buildItem(orderManagement, orderMeta, {
      ...order,
      company_name: 'ACME',
      order_date: '2025-01-01T00:00:00Z',
      notes: 'call Joaquim',
    });
    expect(masked(orderManagement, meta).notes).to.deep.equal({ S: 'call Joaquim' });
    const file = maskFile([...everything.rules, { entity: 'META', attribute: 'notes', as: 'remove' }]);
    expect(masked(orderManagement, meta, file)).not.to.have.property('notes');
    const own: AttributeValue | undefined = masked(orderManagement, { ...customerItem(), said: { S: 'Joaquim called' } }).said;
    expect(own).to.deep.equal({ S: `${maskText('name', 'Joaquim', hash)} called` });
  });
});
