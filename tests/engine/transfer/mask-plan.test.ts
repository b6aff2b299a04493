import { expect } from 'chai';
import fc from 'fast-check';
import { MaskPlan } from '../../../engine/core/transfer/mask/plan-mask.ts';
import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { client, omsConfig } from '../../../tables/oms/config.ts';
import { boundTable, maskerOf, maskFile } from '../../support/mask-bed.ts';

const file = maskFile([{ entity: 'CLIENT', attribute: 'name', as: 'name' }]);
const record = (id: string, name: string, more: Item = {}): Item => ({
  ...buildItem(omsConfig, client, { client_id: id, name, status: 'ACTIVE' }),
  ...more,
});

function planOf(items: readonly Item[]) {
  const plan = new MaskPlan(boundTable(omsConfig, file));
  const masker = maskerOf(omsConfig, file);
  for (const item of items) plan.add('CLIENT', item, masker.apply(item) ?? {});
  return plan.attributes();
}

describe('the plan of a mask', () => {
  it('lists what a mask finds in some records only twice: as masked, and with what it leaves in the others', () => {
    const items = [
      record('c1', 'Joaquim Figueiredo', { said: { S: 'Joaquim asked for Maria Souza' } }),
      record('c2', 'Ana Lima', { said: { S: 'ask Pedro Rocha instead' } }),
    ];
    const said = planOf(items).filter(({ attribute }) => attribute === 'said');
    expect(said.map(({ changed, records, freeText }) => ({ changed, records, freeText }))).to.deep.equal([
      { changed: 1, records: 2, freeText: true },
      { changed: 0, records: 1, freeText: true },
    ]);
    expect(said[1]?.examples).to.deep.equal(['ask Pedro Rocha instead']);
    expect(said[0]?.examples.join()).to.contain('asked for Maria Souza').and.not.to.contain('Joaquim');
  });

  it('names every attribute of every record that keeps a value, with an example of it', () => {
    const leaf: fc.Arbitrary<AttributeValue> = fc.oneof(
      fc.string({ minLength: 1, maxLength: 12 }).map((S) => ({ S })),
      fc.integer().map((n) => ({ N: String(n) })),
      fc.boolean().map((BOOL) => ({ BOOL })),
    );
    const more = fc.dictionary(
      fc.constantFrom('a', 'b', 'c', 'd'),
      fc.oneof(
        leaf,
        fc.dictionary(fc.constantFrom('x', 'y'), leaf, { minKeys: 1 }).map((M) => ({ M })),
      ),
    );
    fc.assert(
      fc.property(fc.array(more, { minLength: 1, maxLength: 5 }), (all) => {
        const items = all.map((extra, at) => record(`c${at}`, 'Joaquim Figueiredo', extra as Item));
        const unmasked = new Set(
          planOf(items)
            .filter(({ changed }) => changed === 0)
            .map(({ attribute }) => attribute),
        );
        for (const extra of all)
          for (const [name, value] of Object.entries(extra)) {
            const paths = 'M' in value ? Object.keys(value.M).map((inner) => `${name}.${inner}`) : [name];
            expect([...unmasked]).to.include.members(paths);
          }
        expect(planOf(items).every(({ examples }) => examples.length > 0)).to.equal(true);
      }),
      { numRuns: 60 },
    );
  });
});
