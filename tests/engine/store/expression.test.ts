import { expect } from 'chai';
import fc from 'fast-check';
import { ExpressionBuilder, type KeyPart, projection } from '../../../engine/core/store/expression.ts';
import { all, any, equals, holds, oneOf, present, startsWith } from '../../../tables/model/condition.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { anyCondition, oddItem, oddNames } from '../../support/any-condition.ts';
import { ExpressionReader } from '../../support/evaluate-expression.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { things } from '../../support/toy-table.ts';

describe('ExpressionBuilder', () => {
  it('writes conditions that mean what they say, with every placeholder defined and used', () =>
    fc.assert(
      fc.property(anyCondition, fc.array(oddItem, { minLength: 1, maxLength: 8 }), (condition, items) => {
        const expressions = new ExpressionBuilder();
        const text = expressions.condition(condition);
        const reader = new ExpressionReader(expressions.attributes());
        const test = reader.read(text);
        expect(reader.unused()).to.deep.equal([]);
        for (const item of items) expect(test(item)).to.equal(holds(condition, item));
      }),
      { numRuns: 1_000 },
    ));

  it('keeps several expressions of one request apart: one placeholder a name, one a value', () =>
    fc.assert(
      fc.property(fc.array(anyCondition, { minLength: 2, maxLength: 4 }), oddItem, (conditions, item) => {
        const expressions = new ExpressionBuilder();
        const texts = conditions.map((condition) => expressions.condition(condition));
        const attributes = expressions.attributes();
        const reader = new ExpressionReader(attributes);
        const found = texts.map((text) => reader.read(text)(item));
        expect(found).to.deep.equal(conditions.map((condition) => holds(condition, item)));
        expect(reader.unused()).to.deep.equal([]);
        const names = Object.values(attributes.ExpressionAttributeNames ?? {});
        expect(new Set(names).size).to.equal(names.length);
      }),
      { numRuns: 300 },
    ));

  it('puts every name behind a placeholder, whatever it looks like', () => {
    const expressions = new ExpressionBuilder();
    const text = expressions.condition(all(...oddNames.map(present)));
    expect(text).to.equal(`(${oddNames.map((_, at) => `attribute_exists(#n${at})`).join(' AND ')})`);
    expect(expressions.attributes()).to.deep.equal({
      ExpressionAttributeNames: Object.fromEntries(oddNames.map((name, at) => [`#n${at}`, name])),
    });
  });

  it('says nothing beside expressions that were never begun', () => {
    expect(new ExpressionBuilder().attributes()).to.deep.equal({});
  });

  it('needs no parentheses around one part and none of its own around others', () => {
    const expressions = new ExpressionBuilder();
    expect(expressions.condition(any(all(equals('a', 'x'))))).to.equal('#n0 = :v0');
    expect(expressions.condition(any(equals('a', 'x'), all(oneOf('b', ['y', 'z']), startsWith('a', 'w'))))).to.equal(
      '(#n0 = :v1 OR (#n1 IN (:v2, :v3) AND begins_with(#n0, :v4)))',
    );
  });

  it('writes updates clause by clause, and leaves out those that are empty', () => {
    const expressions = new ExpressionBuilder();
    const clauses = { set: { a: { S: 'x' }, 'b-c': { N: '1' } }, add: { sum: '2' }, remove: ['gone', '__proto__'] };
    expect(expressions.update(clauses)).to.equal('SET #n0 = :v0, #n1 = :v1 ADD #n2 :v2 REMOVE #n3, #n4');
    expect(expressions.attributes()).to.deep.equal({
      ExpressionAttributeNames: { '#n0': 'a', '#n1': 'b-c', '#n2': 'sum', '#n3': 'gone', '#n4': '__proto__' },
      ExpressionAttributeValues: { ':v0': { S: 'x' }, ':v1': { N: '1' }, ':v2': { N: '2' } },
    });
    expect(new ExpressionBuilder().update({ remove: ['a'] })).to.equal('REMOVE #n0');
  });

  it('writes key conditions: a comparison, a beginning, a range', () => {
    const expressions = new ExpressionBuilder();
    const value = { S: 'x' };
    const of = (part: KeyPart) => expressions.keyCondition([{ attribute: 'PK', op: 'equals', value }, part]);
    expect(of({ attribute: 'SK', op: 'atLeast', value })).to.equal('#n0 = :v0 AND #n1 >= :v1');
    expect(of({ attribute: 'SK', op: 'beginsWith', value })).to.equal('#n0 = :v2 AND begins_with(#n1, :v3)');
    const range = { attribute: 'SK', op: 'between', from: value, to: { S: 'y' } } as const;
    expect(of(range)).to.equal('#n0 = :v4 AND #n1 BETWEEN :v5 AND :v6');
  });

  it('guards by what was seen: a value, an absence, a record that must be there', () => {
    const expressions = new ExpressionBuilder();
    expect(expressions.asSeen({ exists: 'id', seen: { a: { L: [] }, b: undefined } })).to.equal(
      'attribute_exists(#n0) AND #n1 = :v0 AND attribute_not_exists(#n2)',
    );
  });

  it('asks for attributes of any name, or for all', () => {
    expect(projection(['id', 'size', 'x-y'])).to.deep.equal({
      ProjectionExpression: '#n0, #n1, #n2',
      ExpressionAttributeNames: { '#n0': 'id', '#n1': 'size', '#n2': 'x-y' },
    });
    expect(projection(undefined)).to.deep.equal({});
  });

  describe('on the embedded engine', () => {
    const engine = useEngine([things]);

    it('finds the records for which the condition holds here', async function () {
      this.timeout(60_000);
      const items = fc.sample(oddItem, { seed: 11, numRuns: 40 }).map((item, at) => ({ ...item, id: { S: `thing-${at}` } }));
      await engine().putRaw(things, items);
      const TableName = physicalName(things, testConfig);
      await fc.assert(
        fc.asyncProperty(anyCondition, async (condition) => {
          const expressions = new ExpressionBuilder();
          const FilterExpression = expressions.condition(condition);
          const found = await engine().environment.store.scan({ TableName, FilterExpression, ...expressions.attributes() });
          const ids = found.items.map(({ id }) => (id as { readonly S: string }).S);
          const expected = items.filter((item) => holds(condition, item)).map(({ id }) => id.S);
          expect(ids.toSorted()).to.deep.equal(expected.toSorted());
        }),
        { numRuns: 150 },
      );
    });
  });
});
