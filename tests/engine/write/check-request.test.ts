import { expect } from 'chai';
import fc from 'fast-check';
import { toJsonItem } from '../../../engine/core/item/dynamo-json.ts';
import { requestChecker } from '../../../engine/core/write/check-request.ts';
import type { WriteTable } from '../../../engine/core/write/write-request.ts';
import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../tables/model/canonical.ts';
import { anyItem, anyValue } from '../../support/any-item.ts';

const table: WriteTable = {
  name: 'orders',
  key: { hash: { name: 'id', type: 'S' }, range: { name: 'at', type: 'N' } },
  indexes: [{ name: 'by_owner', hash: [{ name: 'owner', type: 'S' }], range: [{ name: 'raw', type: 'B' }], projection: 'ALL' }],
};
const check = requestChecker(table);
const key: Item = { id: { S: 'a' }, at: { N: '1' } };

function problemsOf(request: Parameters<typeof check>[0]): readonly string[] {
  const checked = check(request);
  return 'problems' in checked ? checked.problems : [];
}

describe('the check of a request', () => {
  it('says everything that is wrong with the keys of an item', () => {
    const put = { id: { N: '1' }, owner: { S: '' }, raw: { S: 'x' } };
    expect(problemsOf({ table: 'orders', put })).to.deep.equal([
      'at: the key attribute is missing',
      'id: a key of type S was expected, found type N',
      'owner: a key may not be empty',
      'raw: a key of type B was expected, found type S',
    ]);
  });

  it('refuses a key number that is none, or that DynamoDB would round', () => {
    expect(problemsOf({ table: 'orders', put: { ...key, at: { N: 'soon' } } })).to.deep.equal(['at: not a decimal number']);
    expect(problemsOf({ table: 'orders', put: { ...key, at: { N: '1'.repeat(39) } } })).to.deep.equal([
      'at: 39 significant digits, at most 38 are kept',
    ]);
  });

  it('refuses an item over 400 KB with its key, and takes one of 400 KB', () => {
    const frame = 'id'.length + 1 + 'at'.length + 2 + 'note'.length;
    const note = (bytes: number): Item => ({ ...key, note: { S: 'x'.repeat(bytes) } });
    expect(problemsOf({ table: 'orders', put: note(400 * 1_024 - frame) })).to.deep.equal([]);
    expect(problemsOf({ table: 'orders', put: note(400 * 1_024 - frame + 1) })).to.deep.equal([
      'a / 1: the item has 409601 bytes, DynamoDB holds at most 409600',
    ]);
  });

  it('refuses a delete with more than the key', () => {
    expect(problemsOf({ table: 'orders', delete: key })).to.deep.equal([]);
    expect(problemsOf({ table: 'orders', delete: { ...key, owner: { S: 'x' } } })).to.deep.equal([
      'owner: not a part of the key, a delete takes only the key',
    ]);
  });

  it('finds a wrong type in any key attribute', () => {
    const types: Readonly<Record<string, string>> = { id: 'S', at: 'N', owner: 'S', raw: 'B' };
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(types)), anyValue, (name, value: AttributeValue) => {
        const right = Object.keys(value)[0] === types[name];
        if (!right) expect(problemsOf({ table: 'orders', put: { ...key, [name]: value } })).to.have.length(1);
      }),
    );
  });

  it('never takes the wire size for less than it is', () => {
    const small = fc.oneof(fc.constant<AttributeValue>({ S: '' }), fc.constant<AttributeValue>({ BOOL: false }), anyValue);
    fc.assert(
      fc.property(anyItem, fc.array(small, { maxLength: 200 }), fc.integer({ min: 0, max: 20_000 }), (item, list, controls) => {
        const put: Item = { ...item, ...key, list: { L: list }, text: { S: '\u0001'.repeat(controls) } };
        delete put.owner;
        delete put.raw;
        const checked = check({ table: 'orders', put });
        if ('problems' in checked) throw new Error(checked.problems.join());
        expect(checked.wireBytes).to.be.at.least(Buffer.byteLength(JSON.stringify({ PutRequest: { Item: toJsonItem(put) } })));
      }),
    );
  });
});

describe('the identity of a key', () => {
  it('is one for the same number however it is written', () => {
    const identity = (text: string) => keyIdentity(table.key, { id: { S: 'a' }, at: { N: text } });
    expect(new Set(['1', '1.0', '01', '10e-1', '+1.00E0'].map(identity)).size).to.equal(1);
    expect(identity('1')).not.to.equal(identity('-1'));
  });

  it('is different for different keys, wherever hash and range divide', () => {
    const schema = { hash: { name: 'h', type: 'S' }, range: { name: 'r', type: 'S' } } as const;
    const text = fc.string({ unit: fc.constantFrom('a', ':', '1', '2', '\u0000'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(text, text, text, text, (h1, r1, h2, r2) => {
        const same = h1 === h2 && r1 === r2;
        const one = keyIdentity(schema, { h: { S: h1 }, r: { S: r1 } });
        const other = keyIdentity(schema, { h: { S: h2 }, r: { S: r2 } });
        expect(one === other).to.equal(same);
      }),
      { numRuns: 2_000 },
    );
  });
});
