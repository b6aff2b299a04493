import { expect } from 'chai';
import fc from 'fast-check';
import { compareAnswers } from '../../../engine/core/cutover/compare-answers.ts';
import { type AnswerEntry, answerEntryOf } from '../../../engine/core/cutover/entry.ts';
import { sha256 } from '../../../engine/local/sha256.ts';
import { marketOrders } from '../../../tables/markets/orders.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { ascending } from '../../../tables/model/pattern.ts';
import { anyItem } from '../../support/any-item.ts';

const sort = [ascending('price')];
const entries = fc
  .array(fc.integer({ min: 0, max: 9 }), { maxLength: 20 })
  .map((prices) =>
    prices
      .toSorted((a, b) => a - b)
      .map((price, at) => answerEntryOf(marketOrders, sort, { id: { S: `r${at}` }, price: { N: String(price) } }, sha256)),
  );

/** The same answer with records of equal price in another order, as an index may give them. */
function shuffleTies(sorted: readonly AnswerEntry[], keys: readonly number[]): readonly AnswerEntry[] {
  const price = (entry: AnswerEntry) => Number((entry.sorted.price as { N: string }).N);
  return sorted
    .map((entry, at) => ({ entry, tie: keys[at] ?? 0 }))
    .toSorted((a, b) => price(a.entry) - price(b.entry) || a.tie - b.tie)
    .map(({ entry }) => entry);
}

describe('comparing answers', () => {
  const ties = fc.array(fc.double({ noNaN: true }), { minLength: 20, maxLength: 20 });

  it('takes any order of records that tie, and any of them at the limit', () => {
    fc.assert(
      fc.property(entries, ties, fc.integer({ min: 1, max: 25 }), (old, keys, limit) => {
        expect(compareAnswers(sort, old, shuffleTies(old, keys))).to.deep.equal([]);
        expect(compareAnswers(sort, old, shuffleTies(old, keys).slice(0, limit), limit)).to.deep.equal([]);
      }),
    );
  });

  it('finds any one record that is left out, added or changed', () => {
    fc.assert(
      fc.property(entries, ties, fc.nat(), (old, keys, pick) => {
        fc.pre(old.length > 0);
        const found = [...shuffleTies(old, keys)];
        const at = pick % found.length;
        const victim = found[at];
        if (victim === undefined) throw new Error('there is one');
        const without = found.filter((entry) => entry !== victim);
        expect(compareAnswers(sort, old, without)).to.deep.equal([{ kind: 'missing', entry: victim }]);
        const rest = old.filter((entry) => entry.id !== victim.id);
        expect(compareAnswers(sort, rest, found)).to.deep.equal([{ kind: 'extra', entry: victim }]);
        const changed = { ...victim, digest: 'other' };
        expect(compareAnswers(sort, old, found.with(at, changed))).to.deep.equal([{ kind: 'changed', entry: changed }]);
      }),
    );
  });

  it('finds two records of different price that have changed places', () => {
    fc.assert(
      fc.property(entries, fc.nat(), fc.nat(), (old, one, other) => {
        fc.pre(old.length > 1);
        const [a, b] = [old[one % old.length], old[other % old.length]];
        fc.pre(a !== undefined && b !== undefined && JSON.stringify(a.sorted) !== JSON.stringify(b.sorted));
        if (a === undefined || b === undefined) return;
        const swapped = old.map((entry) => (entry === a ? b : entry === b ? a : entry));
        expect(compareAnswers(sort, old, swapped).some(({ kind }) => kind === 'order')).to.equal(true);
      }),
    );
  });

  it('has one digest for equal contents, whatever the order of attributes, and another for others', () => {
    fc.assert(
      fc.property(anyItem, (item) => {
        const digestOf = (content: Item) => answerEntryOf(marketOrders, sort, content, sha256).digest;
        expect(digestOf(Object.fromEntries(Object.entries(item).toReversed()))).to.equal(digestOf(item));
        expect(digestOf({ ...item, more: { S: 'x' } })).not.to.equal(digestOf({ ...item, more: { S: 'y' } }));
      }),
    );
  });
});
