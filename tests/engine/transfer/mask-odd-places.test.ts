import { expect } from 'chai';
import { z } from 'zod';
import { checkDigits, cnpjWeights } from '../../../engine/core/transfer/mask/check-digits.ts';
import type { MaskRule } from '../../../engine/core/transfer/mask/mask-rules.ts';
import { maskNumber, maskText } from '../../../engine/core/transfer/mask/mask-value.ts';
import { marketOrder, marketOrders } from '../../../tables/markets/orders.ts';
import { type AttributeValue, type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { choice, decimal, isoTime, text } from '../../../tables/model/attributes.ts';
import { defineEntity } from '../../../tables/model/entity.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { defineTable } from '../../../tables/model/table.ts';
import { orderCustomer, orderManagement } from '../../../tables/order-management/order-management.ts';
import { testHash as hash, maskerOf, maskFile } from '../../support/mask-bed.ts';
import { isFoundIn } from '../../support/planted-values.ts';

const member = defineEntity({
  name: 'MEMBER',
  description: 'Somebody who belongs to a club',
  attributes: {
    id: text(),
    cpf: text(),
    email: text(),
    born: text(),
    team: choice('RED', 'BLUE'),
    joined: isoTime(),
    points: decimal(),
    contacts: z.record(z.string(), z.string()).optional(),
    seen: text().optional(),
  },
  derive: [
    { set: { PK: 'CLUB#{id}', SK: 'MEMBER' } },
    { set: { GSI1_PK: 'TEAM#{team}', GSI1_SK: '{joined}' } },
    { set: { GSI2_PK: 'POINTS#{points}', GSI2_SK: '{joined}' } },
  ],
});
const club = defineTable({
  name: 'club',
  system: 'club',
  namespace: 'club',
  description: 'Members of a club',
  hash: 'PK',
  range: 'SK',
  indexes: { GSI1: { hash: 'GSI1_PK', range: 'GSI1_SK' }, GSI2: { hash: 'GSI2_PK', range: 'GSI2_SK' } },
  entities: [member],
  patterns: {},
});

const person = { id: 'm-1', cpf: '529.982.247-25', email: 'joaquim@figueiredo.adv.br', born: '1985-03-14' };
const record = (change: Item = {}): Item => ({
  ...buildItem(club, member, { ...person, team: 'RED', joined: '2025-11-14T10:30:00Z', points: '7' }),
  ...change,
});
const rules: readonly MaskRule[] = [
  { attribute: 'cpf', as: 'cpf' },
  { attribute: 'email', as: 'email' },
  { attribute: 'born', as: 'date', by: 'cpf' },
];
const masked = (item: Item, ...more: readonly MaskRule[]): Item =>
  maskerOf(club, maskFile([...rules, ...more]), [club]).apply(item) ?? {};
const said = (item: Item, ...more: readonly MaskRule[]): string => scalarText(masked(item, ...more).said) ?? '';

describe('a mask of a date', () => {
  const shifted = (value: string, subject = 's') => maskNumber('date', value, hash, subject);

  it('changes every number, whatever date it is, and keeps those of one subject in order', () => {
    for (const value of [
      '19850314',
      '480384000',
      '-86400000',
      '63072000',
      '1985',
      '7',
      '1731667200.5',
      '1731667200123456',
      '1E+20',
    ]) {
      expect(shifted(value), value).not.to.equal(value);
    }
    expect(shifted('19850314')).to.match(/^198[56][01]\d[0-3]\d$/);
    const day = (value: string) => Number(shifted(value)) - Number(value);
    expect(new Set(['480384000', '63072000', '-86400000', '1731667200'].map(day)).size).to.equal(1);
    expect(Number(shifted('1731667200000')) - 1_731_667_200_000).to.equal(day('1731667200') * 1_000);
    // Less than some days since 1970 would still tell itself behind whole days.
    expect(Number(shifted('1985')) % 86_400).not.to.equal(1_985);
  });

  it('leaves nothing of what stands behind it', () => {
    for (const value of ['1985-03-14 Maria Souza', '14/03/1985, Maria', '2025-02-30', '1985-03-14T10:00:00Z Maria'])
      expect(maskText('date', value, hash, 's'), value).to.match(/^[a-z2-7]{16}$/);
    for (const value of ['1985-03-14 10:00', '1985-03-14T10:00:00.123-03:00', '14/03/1985 10:00:00', '1985-03-14T10:00:00Z'])
      expect(maskText('date', value, hash, 's'), value).to.have.lengthOf(value.length);
  });

  it('finds the same day in texts of the record, in both orders and before a time, and no other', () => {
    const after = scalarText(masked(record()).born) ?? '';
    const [year, month, day] = after.split('-');
    const told = said(record({ said: { S: 'born 14/03/1985, 1985-03-14T08:00:00Z or 19850314; not 1985-03-15 nor 119850314' } }));
    expect(told).to.equal(
      `born ${day}/${month}/${year}, ${after}T08:00:00Z or ${year}${month}${day}; not 1985-03-15 nor 119850314`,
    );
    const clean = masked(record({ joined: { S: '1985-03-14T00:00:00Z' }, born: { S: '1985-03-14' } }));
    expect(clean.joined, 'a time of its own stays, or is named by a rule').to.deep.equal({ S: '1985-03-14T00:00:00Z' });
    const dated = buildItem(club, member, {
      ...person,
      id: 'M-19850314-1',
      team: 'RED',
      joined: '2025-11-14T10:30:00Z',
      points: '7',
    });
    expect(scalarText(masked(dated).PK), 'an id that is made of it').to.equal('CLUB#M-19850314-1');
  });
});

describe('a mask of an e-mail', () => {
  it('finds each of several addresses, one behind a name, and the domain', () => {
    for (const email of [
      'joaquim@figueiredo.adv.br, ana.lima@correio.com',
      'Joaquim <joaquim@figueiredo.adv.br>;ana.lima@correio.com',
    ]) {
      const item = record({ email: { S: email }, said: { S: 'write to ana.lima@correio.com or JOAQUIM@figueiredo.adv.br' } });
      expect(said(item), email).to.match(/^write to \S+@\S+\.example or \S+@\S+\.example$/i);
    }
    expect(said(record({ said: { S: 'see www.figueiredo.adv.br' } }))).to.match(/^see www\.[a-z2-7]{12}\.example$/);
  });

  it('finds its local part also where the rule takes it for a text, or removes it', () => {
    for (const as of ['text', 'remove'] as const) {
      const item = record({ other: { S: 'marta.rocha@correio.com' }, said: { S: 'login marta.rocha' } });
      expect(said(item, { attribute: 'other', as, undeclared: true }), as).to.match(/^login [a-z2-7]{16}$/);
    }
  });
});

describe('a mask of a map', () => {
  it('masks the names that only its records give, and finds them elsewhere', () => {
    const contacts: AttributeValue = { M: { 'ana.lima': { S: 'friend' }, '123.456.789-09': { BOOL: true } } };
    for (const attribute of ['contacts', 'free'] as const) {
      const rule: MaskRule = { attribute, as: 'text', ...(attribute === 'free' ? { undeclared: true as const } : {}) };
      const clean = masked(record({ [attribute]: contacts, said: { S: 'ask ana.lima' } }), rule);
      for (const value of ['ana.lima', '12345678909']) expect(isFoundIn(clean, value), attribute).to.deep.equal([]);
      expect(Object.keys((clean[attribute] as { M: Item }).M)).to.have.lengthOf(2);
    }
  });

  it('keeps the names that the catalogue gives', () => {
    const address = { street: 'a', number: '1', neighborhood: 'b', city: 'c', state: 'd', zip_code: 'e' };
    const item = buildItem(orderManagement, orderCustomer, {
      ...{
        company_cnpj: '1',
        order_id: 'o',
        cpf: '1',
        first_name: 'Ana',
        last_name: 'Lima',
        email: 'a@b.c',
        phone: '1',
        address,
      },
    });
    const clean = maskerOf(orderManagement, maskFile([{ attribute: 'address', as: 'text' }])).apply(item) ?? {};
    expect(Object.keys((clean.address as { M: Item }).M)).to.deep.equal(Object.keys(address));
  });
});

describe('a rule for a part of what another rule is for', () => {
  const home: AttributeValue = {
    M: { street: { S: 'Rua das Laranjeiras' }, state: { S: 'RJ' }, geo: { M: { at: { S: '-22.5' }, who: { S: 'Joaquim' } } } },
  };
  const rule = (attribute: string, as: MaskRule['as']): MaskRule => ({ attribute, as, undeclared: true, optional: true });
  const homeBy = (...more: readonly MaskRule[]) => {
    const masker = maskerOf(club, maskFile([...rules, ...more]), [club]);
    const clean = masker.apply(record({ home, said: { S: 'at rua das laranjeiras' } })) ?? {};
    const { M } = clean.home as { M: Item };
    // Names that nobody but the record gives are masked, too, but where a rule says them.
    const [street, state, geo] = Object.values(M);
    const inner = Object.values((geo as { M: Item }).M);
    return { values: [street, state, ...inner].map(scalarText), tally: masker.take() };
  };

  it('counts there, and the other one for the rest', () => {
    const kept = homeBy(rule('home', 'keep'), rule('home.street', 'text'), rule('home.geo.who', 'name'));
    expect(kept.values.slice(1, 3)).to.deep.equal(['RJ', '-22.5']);
    for (const value of [kept.values[0], kept.values[3]]) expect(value).to.match(/^[a-z2-7]{16}$/);
    expect(kept.tally).to.include({ 'rule:4': 1, 'rule:5': 1, copies: 1 });
    const masked = homeBy(rule('home', 'text'), rule('home.state', 'keep'), rule('home.geo.at', 'keep'));
    expect(masked.values.slice(1, 3)).to.deep.equal(['RJ', '-22.5']);
    for (const value of [masked.values[0], masked.values[3]]) expect(value).to.match(/^[a-z2-7]{16}$/);
    expect(masked.tally).to.include({ 'rule:3': 1 });
  });
});

describe('a value that is masked is also found', () => {
  it('in a key whose part should be of a list, a time or a number, and is none', () => {
    const clean = masked(
      record({ GSI1_PK: { S: 'TEAM#529.982.247-25' }, GSI1_SK: { S: '52998224725' }, GSI2_PK: { S: 'POINTS#52998224725' } }),
    );
    expect(isFoundIn(clean, '52998224725')).to.deep.equal([]);
    expect(scalarText(clean.GSI2_PK)).to.match(/^POINTS#\d+$/);
    const usual = masked(record());
    expect([usual.GSI1_PK, usual.GSI1_SK, usual.GSI2_PK].map(scalarText)).to.deep.equal([
      'TEAM#RED',
      '2025-11-14T10:30:00Z',
      'POINTS#7',
    ]);
  });

  it('in the key alone, where the attribute that it is made of says something else, which is refused', () => {
    expect(() => masked(record({ PK: { S: 'CLUB#52998224725' } }))).to.throw('id holds a value that a rule masks');
  });

  it('in an identity that is no text: bytes, a set, a list, which is refused', () => {
    for (const id of [
      { B: Buffer.from('of 52998224725') },
      { SS: ['x', '529.982.247-25'] },
      { L: [{ M: { '52998224725': { BOOL: true } } }] },
    ] as AttributeValue[])
      expect(() => masked(record({ id })), JSON.stringify(id)).to.throw('id holds a value that a rule masks');
  });

  it('where two of them overlap: nothing of either is left', () => {
    const item = record({ a: { S: 'ABCDE12345' }, b: { S: '12345FGHIJK' }, said: { S: 'x ABCDE12345FGHIJK y' } });
    const told = said(item, { attribute: 'a', as: 'text', undeclared: true }, { attribute: 'b', as: 'text', undeclared: true });
    expect(told)
      .to.match(/^x \S+ y$/)
      .and.not.to.match(/ABCDE|12345|FGHIJK/i);
  });

  it('as a short word in UTF-16', () => {
    const clean = masked(record({ nick: { S: 'Ana' }, said: { B: Buffer.from('for Ana.', 'utf16le') } }), {
      attribute: 'nick',
      as: 'text',
      undeclared: true,
    });
    expect(
      Buffer.from((clean.said as { B: Uint8Array }).B)
        .toString('latin1')
        .replaceAll('\0', ''),
    ).to.match(/^for [a-z2-7]{16}\.$/);
  });

  it('as bytes that are no text: different ones stay different', () => {
    const mask = (bytes: readonly number[]) =>
      Buffer.from(
        (
          masked(record({ raw: { B: Uint8Array.from(bytes) } }), { attribute: 'raw', as: 'text', undeclared: true }).raw as {
            B: Uint8Array;
          }
        ).B,
      ).toString();
    expect(mask([0xff, 0xfe]))
      .to.match(/^[a-z2-7]{16}$/)
      .and.not.to.equal(mask([0xfe, 0xff]));
  });

  it('in a text of 390 KB that says it again and again, in less than some seconds', function () {
    this.timeout(30_000);
    const told = said(record({ said: { S: '529.982.247-25 '.repeat(26_000) } }));
    expect(told.replaceAll(/(\d{3}\.){2}\d{3}-\d\d /g, '')).to.equal('');
    expect(isFoundIn({ said: { S: told.slice(0, 2_000) } }, '52998224725')).to.deep.equal([]);
  });
});

describe('a CNPJ with letters', () => {
  it('that is written small has the mask of the same one in capitals, with right check digits', () => {
    const original = `12abc34501de${checkDigits('12ABC34501DE', cnpjWeights)}`;
    const small = maskText('cnpj', original, hash);
    expect(small)
      .to.equal(maskText('cnpj', original.toUpperCase(), hash).toLowerCase())
      .and.to.match(/^\d\d[a-z]{3}\d{5}[a-z]{2}\d\d$/);
    expect(checkDigits(small.slice(0, 12).toUpperCase(), cnpjWeights)).to.equal(small.slice(12));
    expect(maskText('cnpj', 'old-9', hash), 'what is none keeps to itself').not.to.equal(maskText('cnpj', 'OLD-9', hash));
  });
});

describe('a key that is to be the negative of a number', () => {
  it('and is a text, is masked as one', () => {
    const item = buildItem(marketOrders, marketOrder, {
      ...{ id: 'm:1', marketId: 'm', side: 'Buy', price: '0.5', size: '10', remaining: '10', status: 'Open' },
      ...{ owner: 'joaquim.figueiredo', createdAt: '2025-10-14T10:00:00.000Z' },
    });
    const clean = maskerOf(marketOrders, maskFile([{ attribute: 'owner', as: 'text' }])).apply({
      ...item,
      sort: { S: 'of joaquim.figueiredo' },
    });
    expect(isFoundIn(clean ?? {}, 'joaquim.figueiredo')).to.deep.equal([]);
  });
});
