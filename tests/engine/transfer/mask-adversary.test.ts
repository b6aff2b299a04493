import { expect } from 'chai';
import fc from 'fast-check';
import { maskText } from '../../../engine/core/transfer/mask/mask-value.ts';
import { type AttributeValue, type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { orderCustomer, orderManagement } from '../../../tables/order-management/order-management.ts';
import { testHash as hash, maskerOf, maskFile } from '../../support/mask-bed.ts';

const file = maskFile([
  { attribute: 'cpf', as: 'cpf' },
  { attribute: 'first_name', as: 'name' },
  { attribute: 'last_name', as: 'name' },
  { attribute: 'email', as: 'email' },
  { attribute: 'phone', as: 'phone' },
  { attribute: 'address', as: 'text' },
]);

const person = {
  company_cnpj: '12.345.678/0001-99',
  order_id: 'ORD-1',
  cpf: '529.982.247-25',
  first_name: 'Joaquim',
  last_name: 'Figueiredo',
  email: 'joaquim.figueiredo@correio.com.br',
  phone: '+55 (21) 98765-4321',
  address: {
    ...{ street: 'Rua das Laranjeiras', number: '1047', neighborhood: 'Bairro', city: 'Petrópolis', state: 'RJ' },
    zip_code: '25685-040',
  },
};

function told(change: object, said: AttributeValue): AttributeValue | undefined {
  const item: Item = { ...buildItem(orderManagement, orderCustomer, { ...person, ...change }), said };
  return maskerOf(orderManagement, file).apply(item)?.said;
}

const says = (change: object, said: string): string => scalarText(told(change, { S: said })) ?? '';
const base64 = (bytes: string | Buffer, form: 'base64' | 'base64url' = 'base64') => Buffer.from(bytes).toString(form);
const inside = (token: string) => Buffer.from(token, 'base64').toString('latin1');

describe('a mask also finds', () => {
  it('the one word of a name that has a particle or an apostrophe', () => {
    expect(says({ last_name: 'da Silva' }, 'Sr. SILVA, silva')).to.match(/^Sr\. [A-Z2-7]{16}, [a-z2-7]{16}$/);
    expect(says({ last_name: "d'Ávila" }, 'Sra. Avila')).to.match(/^Sra\. [a-z2-7]{16}$/);
    expect(says({ last_name: "D'Ávila" }, 'pagou a conta d’água')).to.equal('pagou a conta d’água');
  });

  it('a phone number without its country, however the country was written, and without its area', () => {
    for (const phone of ['5521987654321', '+5521987654321', '+55 (21) 98765-4321', '005521987654321']) {
      for (const said of ['21987654321', '021987654321', '(21) 98765-4321', 'tel:+5521987654321', '98765-4321', '8765.4321']) {
        expect(says({ phone }, said), `${phone} ${said}`).not.to.match(/8765.?4321/);
      }
      expect(scalarText(told({ phone }, { N: '21987654321' })), phone).not.to.contain('87654321');
    }
    expect(says({ phone: '+1 (415) 555-0132' }, 'ring 555-0132 or 4155550132')).not.to.match(/555-?0132/);
  });

  it('a mobile number without the nine that it got later, and one that was stored without it', () => {
    for (const said of ['552187654321@s.whatsapp.net', '+55 (21) 8765-4321', '2187654321'])
      expect(says({}, said)).not.to.match(/8765.?4321/);
    for (const phone of ['+55 (21) 8765-4321', '2187654321', '552187654321'])
      for (const said of ['+5521987654321', '(21) 98765-4321', 'ring 98765-4321'])
        expect(says({ phone }, said), `${phone} ${said}`).not.to.match(/8765.?4321/);
    expect(says({ phone: '+55 (21) 3765-4321' }, 'item 937654321'), 'no mobile number').to.equal('item 937654321');
  });

  it('what mail, old scripts and pages that were escaped twice made of a name, and letters in circles', () => {
    const last_name = 'Figueirêdo';
    for (const said of [
      'Sra. Figueir=C3=AAdo',
      'Sra. Figuei=\r\nr=c3=aado',
      '=?UTF-8?Q?Ana_Figueir=C3=AAdo?=',
      'Figueir%u00EAdo',
      '&lt;Figueir&amp;ecirc;do&gt;',
      'Figueir&amp;#234;do',
      'Figueir&#234do',
      'Ⓕⓘⓖⓤⓔⓘⓡⓔⓓⓞ',
    ])
      expect(says({ last_name }, said), said)
        .to.match(/[a-z2-7]{16}/i)
        .and.not.to.match(/figuei|Ⓕ/i);
    for (const said of ['id=cafe&b=de', 'a=\nb']) expect(says({ last_name }, said)).to.equal(said);
  });

  it('a CPF without its check digits, which anybody can compute', () => {
    expect(says({}, 'cpf 529.982.247')).not.to.contain('529.982.247');
    expect(says({}, 'cpf 529982247')).not.to.contain('529982247');
  });

  it('an address without what sorts the mail', () => {
    expect(says({ email: 'j.figueiredo+loja@correio.com.br' }, 'j.figueiredo@correio.com.br')).not.to.contain('j.fig');
  });

  it('a name behind a sign that also escapes: a pattern of a search, a path', () => {
    for (const [name, said] of [
      ['Fabio', "LIKE '%Fabio%'"],
      ['Barbara', '%barbara'],
      ['Adriana', 'C:\\xadriana'],
      ['Ana', '{"a":"x\\nAna"}'],
    ] as const) {
      expect(says({ first_name: name }, said).toLowerCase(), said).not.to.contain(name.toLowerCase());
    }
  });

  it('a name that was once read as Latin-1, and one of a script without spaces', () => {
    expect(says({ first_name: 'Aurélio' }, Buffer.from('Sr. Aurélio').toString('latin1'))).to.match(/^Sr\. [a-z2-7]{16}$/);
    expect(says({ first_name: '王小明' }, '联系王小明吧')).to.match(/^联系[a-z2-7]{16}吧$/);
  });

  it('a short name in a token, a name in lines of mail, in bytes, between the dividers of paths', () => {
    const token = base64(JSON.stringify({ name: 'Ana', sub: '1' }), 'base64url');
    expect(inside(says({ first_name: 'Ana' }, token))).to.match(/^\{"name":"[a-z2-7]{16}","sub":"1"\}$/);
    const mail = base64(`${'x'.repeat(54)}Joaquim lives here`).replaceAll(/(.{76})/g, '$1\r\n');
    expect(inside(says({}, mail))).not.to.match(/Joaquim/);
    const bytes = Buffer.concat([Buffer.from([0xff, 0x0a, 0x07]), Buffer.from('Joaquim'), Buffer.from([0x12, 0x80])]);
    expect(inside(says({}, base64(bytes)))).not.to.contain('Joaquim');
    expect(Buffer.from(says({}, bytes.toString('hex')), 'hex').toString('latin1')).not.to.contain('Joaquim');
    const path = says({}, `/users/${base64('??>Joaquim~~~?ÿ', 'base64url')}/x`).split('/')[2] ?? '';
    expect(Buffer.from(path, 'base64url').toString()).not.to.contain('Joaquim');
  });

  it('a name that was URL-encoded, and then symbol by symbol once more', () => {
    const all = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const said = says({ last_name: 'Figueirêdo' }, `q=${all(encodeURIComponent('a Figueirêdo b'))}`);
    expect(decodeURIComponent(decodeURIComponent(said))).to.match(/^q=a [a-z2-7]{16} b$/);
  });

  it('a word of a name in an identity without a rule, which is refused', () => {
    expect(() => says({ first_name: 'Joaquim José', order_id: 'ORD-JOAQUIM' }, '')).to.throw('order_id holds a value');
  });
});

describe('a mask does not touch', () => {
  it('words whose ends and beginnings make a name', () => {
    for (const [first_name, said] of [
      ['Ana', 'foi a na casa, an a mais, A.N.A'],
      ['Maria', 'o mar ia subindo'],
      ['E', 'pão e vinho'],
    ] as const) {
      expect(says({ first_name }, said), first_name).to.equal(said);
    }
    expect(says({ first_name: 'Maria' }, 'M a r i a')).to.equal(maskText('name', 'Maria', hash));
  });

  it('amounts that begin or end with the digits of a house', () => {
    for (const said of ['1047.50', 'R$ 1.047,50', '10.1047', '1,047']) expect(says({}, said)).to.equal(said);
    expect(says({}, 'n. 1047, fundos')).to.match(/^n\. [a-z2-7]{16}, fundos$/);
  });

  it('a company or an amount whose digits are those of a phone without its area', () => {
    const phone = '+55 21 91234-5678';
    for (const said of ['12.345.678/0001-99', 'R$ 12.345.678', '12.345.678']) expect(says({ phone }, said), said).to.equal(said);
    for (const said of ['1234-5678', '12345678', '1234.5678', '1234 5678/22'])
      expect(says({ phone }, said), said).not.to.match(/1234.?5678/);
  });

  it('how many members a map and a set have, whatever spellings become one', () => {
    const spellings = ['MARIA', 'Maria', 'maria', 'María'];
    const map = told(
      { first_name: 'Maria' },
      { M: { in: { M: Object.fromEntries(spellings.map((one, at) => [one, { N: String(at) }])) } } },
    );
    const inner = (map as { M: { in: { M: Item } } }).M.in.M;
    expect(Object.values(inner).map(scalarText)).to.deep.equal(['0', '1', '2', '3']);
    expect(Object.keys(inner).join().toLowerCase()).not.to.match(/mar[ií]a/);
    const set = told({ first_name: 'Maria' }, { BS: spellings.map((one) => Buffer.from(one)) }) as { BS: Uint8Array[] };
    expect(new Set(set.BS.map((one) => Buffer.from(one).toString())).size).to.equal(set.BS.length);
  });

  it('any text of other letters, however it is punctuated or encoded', () => {
    const other = fc.string({ unit: fc.constantFrom(...'bcghkptvwxyz BCGHK.,-_/%&\\{}"'), maxLength: 60 });
    fc.assert(
      fc.property(other, (text) => {
        expect(says({}, text)).to.equal(text);
        expect(says({}, base64(text))).to.equal(base64(text));
      }),
      { numRuns: 300 },
    );
  });
});
