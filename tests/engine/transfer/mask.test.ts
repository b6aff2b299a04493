import { createHmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { checkDigits, cnpjWeights, cpfWeights } from '../../../engine/core/transfer/mask/check-digits.ts';
import { itemMasker } from '../../../engine/core/transfer/mask/mask-item.ts';
import { type MaskRule, maskProblems, readRules } from '../../../engine/core/transfer/mask/mask-rules.ts';
import { maskText } from '../../../engine/core/transfer/mask/mask-value.ts';
import { permute } from '../../../engine/core/transfer/mask/permute.ts';
import { scalarText } from '../../../tables/model/attribute-value.ts';
import { buildItem, keyProblems } from '../../../tables/model/item.ts';
import { orderCustomer, orderManagement, orderMeta, orderShipping } from '../../../tables/order-management/order-management.ts';
import { useEngine } from '../../support/test-engine.ts';
import { exportTo, itemsOf, useFolder } from '../../support/transfer-bed.ts';

const hash = (text: string): Uint8Array => createHmac('sha256', 'a key for these tests').update(text).digest();

describe('a masked value', () => {
  it('comes from a permutation of the values of its shape, and none stands for itself', () => {
    const shapes = [[2], [7], [3, 4], [10, 10], [2, 3, 5], [26, 10, 2]];
    for (const radices of shapes) {
      const size = radices.reduce((a, b) => a * b, 1);
      const all = Array.from({ length: size }, (_, at) => {
        let rest = at;
        return radices.map((radix) => {
          const value = rest % radix;
          rest = Math.floor(rest / radix);
          return { value, radix };
        });
      });
      const masked = all.map((digits) => permute(digits, 't', hash).join());
      expect(new Set(masked).size, radices.join('x')).to.equal(size);
      for (const [at, digits] of all.entries()) expect(masked[at]).not.to.equal(digits.map((digit) => digit.value).join());
    }
  });

  it('keeps its shape: length, punctuation, case and script', () => {
    const shape = (text: string): string =>
      text
        .replaceAll(/\p{Lu}/gu, 'A')
        .replaceAll(/\p{Ll}/gu, 'a')
        .replaceAll(/\p{Nd}/gu, '9')
        .replaceAll(/\p{Lo}/gu, 'o');
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abcXYZ019 .,-/#çãÉ서울'), minLength: 1, maxLength: 40 }), (text) => {
        const masked = maskText('text', text, hash) ?? '';
        expect(shape(masked)).to.equal(shape(text));
        expect(maskText('text', text, hash)).to.equal(masked);
        if (/[\p{L}\p{N}]/u.test(text)) expect(masked).not.to.equal(text);
      }),
    );
  });

  it('of CPF and CNPJ has right check digits exactly where the original had', () => {
    const cpf = (base: readonly number[]) => [...base, ...checkDigits(base, cpfWeights)].join('');
    expect(cpf([5, 2, 9, 9, 8, 2, 2, 4, 7])).to.equal('52998224725');
    const cnpj = (base: readonly number[]) => [...base, ...checkDigits(base, cnpjWeights)].join('');
    expect(cnpj([1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 0, 1])).to.equal('11222333000181');
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 9, maxLength: 9 }), (base) => {
        const original = cpf(base).replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4');
        const masked = maskText('cpf', original, hash) ?? '';
        const digits = masked.replaceAll(/\D/g, '');
        expect(masked)
          .to.match(/^\d{3}\.\d{3}\.\d{3}-\d{2}$/)
          .and.not.to.equal(original);
        expect(cpf([...digits.slice(0, 9)].map(Number))).to.equal(digits);
        expect(maskText('cpf', original.replaceAll(/\D/g, ''), hash)).to.equal(digits);
      }),
    );
  });

  it('of an e-mail reaches nobody, and of a phone keeps the country', () => {
    expect(maskText('email', 'joao.silva@empresa.com.br', hash)).to.match(
      /^[a-z]{4}\.[a-z]{5}@[a-z]{7}\.[a-z]{3}\.[a-z]{2}\.example$/,
    );
    expect(maskText('phone', '+55 (11) 91234-5678', hash)).to.match(/^\+55 \(\d\d\) \d{5}-\d{4}$/);
  });
});

const rules: readonly MaskRule[] = [
  { attribute: 'cpf', as: 'cpf' },
  { attribute: 'first_name', as: 'name' },
  { attribute: 'last_name', as: 'name' },
  { attribute: 'email', as: 'email' },
  { attribute: 'phone', as: 'phone' },
  { attribute: 'address', as: 'text' },
  { attribute: 'city', as: 'text' },
];

describe('the rules of a mask', () => {
  it('are refused where a key would still show what is masked elsewhere', () => {
    const withoutCity = rules.filter((rule) => rule.attribute !== 'city').concat([{ attribute: 'address.city', as: 'text' }]);
    expect(maskProblems(orderManagement, withoutCity)).to.deep.equal([
      'order-management/SHIPPING: the key SK = SHIPPING#{city}#{expected_delivery_date} holds city, which is masked elsewhere but not here; add a rule for city',
      'order-management/SHIPPING: the key GSI2-PK = CITY#{city} holds city, which is masked elsewhere but not here; add a rule for city',
    ]);
    expect(maskProblems(orderManagement, [{ attribute: 'cpf', as: 'remove' }])).to.deep.equal([
      'order-management/CUSTOMER: the key SK = CUSTOMER#{cpf} holds cpf, which cannot be removed; mask it instead',
    ]);
    expect(maskProblems(orderManagement, rules)).to.deep.equal([]);
  });

  it('are refused where the two ends of a reference would part', () => {
    const problems = maskProblems(orderManagement, [{ attribute: 'order_id', as: 'text', entity: 'META' }]);
    expect(problems.some((problem) => problem.includes('refers to META.order_id: masked as it is here, as text there'))).to.equal(
      true,
    );
  });

  it('are read with every problem told', () => {
    expect(
      readRules([
        { attribute: 'a', as: 'scramble' },
        { as: 'text', extra: 1 },
      ]),
    ).to.deep.equal({
      problems: [
        'rule 1: as: expected one of text, name, cpf, cnpj, email, phone, digits, remove, found "scramble"',
        'rule 2: attribute: expected the name of an attribute',
        'rule 2: extra: unknown key',
      ],
    });
    expect(readRules({ rules: [] })).to.deep.equal({ problems: ['expected a list of rules, or {"rules": [...]}'] });
  });
});

const order = { company_cnpj: '12.345.678/0001-99', order_id: 'ORD-1' };
const customers = [
  {
    cpf: '529.982.247-25',
    first_name: 'Joaquim',
    last_name: 'Figueiredo',
    email: 'joaquim.figueiredo@correio.com.br',
    phone: '+55 (21) 98765-4321',
    street: 'Rua das Laranjeiras',
    city: 'Petrópolis',
  },
  {
    cpf: '123.456.789-00',
    first_name: 'Marcelina',
    last_name: 'Albuquerque',
    email: 'marcelina@provedor.net',
    phone: '(11) 3456-7890',
    street: 'Avenida Paulista',
    city: 'Votuporanga',
  },
];

describe('a masked export', () => {
  const engine = useEngine([orderManagement]);
  const folder = useFolder();

  before(async () => {
    await engine().put(orderManagement, orderMeta, [
      {
        ...order,
        company_name: 'ACME',
        order_date: '2025-01-01T00:00:00Z',
        notes: `call Joaquim Figueiredo, cpf 529.982.247-25`,
      },
    ]);
    for (const [at, { street, city, ...person }] of customers.entries()) {
      const address = { street, number: '1047', neighborhood: 'Centro Histórico', city, state: 'RJ', zip_code: '25685-040' };
      await engine().put(orderManagement, orderCustomer, [{ ...order, order_id: `ORD-${at + 1}`, ...person, address }]);
      await engine().put(orderManagement, orderShipping, [
        {
          ...order,
          order_id: `ORD-${at + 1}`,
          shipping_method: 'SEDEX',
          shipping_cost: '10.50',
          city,
          expected_delivery_date: '2025-01-09',
        },
      ]);
    }
  });

  async function maskedText(entities?: readonly string[]): Promise<string> {
    const mask = itemMasker(orderManagement, rules, hash);
    const place = join(folder(), `masked-${entities?.join('-') ?? 'all'}`);
    const keep = (item: Parameters<typeof mask>[0]) =>
      entities === undefined || entities.some((name) => scalarText(item.SK)?.startsWith(name)) ? mask(item) : undefined;
    const done = await exportTo(engine(), orderManagement, place, { shape: keep });
    const data = join(done.place, 'data');
    const texts = [];
    for (const name of await readdir(data)) texts.push(gunzipSync(await readFile(join(data, name))).toString());
    return texts.join('');
  }

  it('shows no original value anywhere, neither in attributes nor in keys', async () => {
    const text = await maskedText(['CUSTOMER', 'SHIPPING']);
    const originals = customers.flatMap((customer) => Object.values(customer));
    for (const original of [...originals, 'Centro Histórico', '25685-040', '98765', 'correio']) {
      expect(text, original).not.to.contain(original);
      expect(text.toLowerCase(), original).not.to.contain(original.toLowerCase());
    }
    expect(text).to.contain('ORD-1').and.to.contain('SEDEX').and.to.contain('12.345.678/0001-99');
  });

  it('keeps keys and their attributes in agreement, and one city one city', async () => {
    const items = (await maskedText())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).Item);
    const customer = items.find((item) => item.cpf !== undefined && item.PK.S.endsWith('ORD-1'));
    expect(customer.SK.S).to.equal(`CUSTOMER#${customer.cpf.S}`);
    expect(customer.cpf.S).to.equal(maskText('cpf', '529.982.247-25', hash));
    const shipping = items.find((item) => item.SK.S.startsWith('SHIPPING#') && item.PK.S.endsWith('ORD-1'));
    expect(shipping.SK.S).to.equal(`SHIPPING#${shipping.city.S}#2025-01-09`);
    expect(shipping['GSI2-PK'].S).to.equal(`CITY#${shipping.city.S}`);
    expect(customer.address.M.city.S).to.equal(shipping.city.S);
    const originals = await itemsOf(engine(), orderManagement);
    expect(items).to.have.length(originals.length);
    for (const item of items) expect(keyProblems(orderManagement, item)).to.deep.equal([]);
  });

  it('changes copies of a value in other attributes of the record too', () => {
    const mask = itemMasker(orderManagement, [...rules, { attribute: 'notes', as: 'remove', entity: 'META' }], hash);
    const built = buildItem(orderManagement, orderCustomer, {
      ...order,
      ...{ cpf: '529.982.247-25', first_name: 'Joaquim', last_name: 'Figueiredo', email: 'a@b.co', phone: '1' },
      address: {
        street: 'Rua',
        number: '1',
        neighborhood: 'N',
        city: 'C',
        state: 'S',
        zip_code: '1',
        complement: 'ask for Joaquim',
      },
    });
    const masked = mask({ ...built, label: { S: 'parcel of Joaquim Figueiredo' } });
    expect(JSON.stringify(masked)).not.to.match(/Joaquim|Figueiredo|529\.982/);
  });

  it('is refused when a record that fits no entity shows a masked value in its key', () => {
    const mask = itemMasker(orderManagement, rules, hash);
    const stray = { PK: { S: 'SOMETHING#529.982.247-25' }, SK: { S: 'ELSE' }, cpf: { S: '529.982.247-25' } };
    expect(() => mask(stray)).to.throw('masking would leave personal data readable in a key');
    expect(() => mask(stray))
      .to.throw()
      .with.property('code', 'BAD_ARGUMENT');
  });
});
