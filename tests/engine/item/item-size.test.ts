import { expect } from 'chai';
import fc from 'fast-check';
import { estimateDeleteUnits, estimatePutUnits, writeUnits } from '../../../engine/core/capacity/write-units.ts';
import { itemBytes, valueBytes } from '../../../engine/core/item/item-size.ts';
import type { WriteTable } from '../../../engine/core/write/write-request.ts';
import { omsTradingData } from '../../../tables/catalogue.ts';

describe('the size of an item', () => {
  it('follows DynamoDB’s rules for every type', () => {
    expect(valueBytes({ S: 'ação' })).to.equal(6);
    expect(valueBytes({ S: '' })).to.equal(0);
    expect(valueBytes({ B: new Uint8Array(7) })).to.equal(7);
    expect(valueBytes({ BOOL: false })).to.equal(1);
    expect(valueBytes({ NULL: true })).to.equal(1);
    expect(valueBytes({ SS: ['a', 'bc'] })).to.equal(3);
    expect(valueBytes({ NS: ['1', '234'] })).to.equal(2 + 3);
    expect(valueBytes({ BS: [new Uint8Array(2), new Uint8Array(3)] })).to.equal(5);
    expect(valueBytes({ L: [] })).to.equal(3);
    expect(valueBytes({ L: [{ S: 'ab' }, { BOOL: true }] })).to.equal(3 + (2 + 1) + (1 + 1));
    expect(valueBytes({ M: { k: { S: 'ab' } } })).to.equal(3 + 1 + (1 + 2));
    expect(itemBytes({ PK: { S: 'a' }, naïve: { N: '10' } })).to.equal(3 + (6 + 2));
  });

  it('counts a number by its significant digits, however it is written', () => {
    for (const text of ['0.00012300', '123', '-123', '1.23E+40', '+0123.000', '12300e-9']) {
      expect(valueBytes({ N: text }), text).to.equal(3);
    }
    expect(valueBytes({ N: '0' })).to.equal(1);
    expect(valueBytes({ N: '1'.repeat(38) })).to.equal(20);
    expect(valueBytes({ N: '1002' })).to.equal(3);
  });
});

describe('the estimate of write units', () => {
  const table: WriteTable = { name: 'oms', key: omsTradingData.key, indexes: omsTradingData.indexes };
  const key = { PK: { S: 'CLIENT#1' }, SK: { S: 'ORDER#1' } };

  it('is a unit for every begun KB, one at least', () => {
    expect([0, 1, 1_024, 1_025, 400 * 1_024].map(writeUnits)).to.deep.equal([1, 1, 1, 2, 400]);
  });

  it('counts only the indexes that the item has the keys of', () => {
    expect(estimatePutUnits(table, key)).to.equal(1);
    expect(estimatePutUnits(table, { ...key, GSI1_PK: { S: 'P' } })).to.equal(1);
    expect(estimatePutUnits(table, { ...key, GSI1_PK: { S: 'P' }, GSI1_SK: { S: 't' } })).to.equal(2);
  });

  it('counts a whole item in an index that projects all, and only keys in one that projects keys', () => {
    const big = { ...key, note: { S: 'x'.repeat(5_000) } };
    expect(estimatePutUnits(table, { ...big, GSI1_PK: { S: 'P' }, GSI1_SK: { S: 't' } })).to.equal(5 + 5);
    expect(estimatePutUnits(table, { ...big, GSI2_PK: { S: 'P' }, GSI2_SK: { S: 't' } })).to.equal(5 + 1);
  });

  it('takes a delete for a small item that stands in every index', () => {
    expect(estimateDeleteUnits(table)).to.equal(4);
  });

  it('never falls when an attribute is added', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), fc.string(), (attributes, more) => {
        const item = Object.fromEntries(Object.entries(attributes).map(([name, text]) => [name, { S: text }]));
        const larger = { ...item, [`new${more}`]: { S: more } };
        expect(itemBytes(larger)).to.be.greaterThan(itemBytes(item) - 1);
        expect(estimatePutUnits(table, { ...key, ...larger })).to.be.at.least(estimatePutUnits(table, { ...key, ...item }));
      }),
    );
  });
});
