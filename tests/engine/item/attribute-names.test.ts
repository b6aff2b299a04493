import { expect } from 'chai';
import fc from 'fast-check';
import { parseCsv } from '../../../engine/cli/seed/parse-csv.ts';
import { parseJsonLines } from '../../../engine/cli/seed/parse-json.ts';
import { fromJsonItem, fromJsonValue, itemOfText, toJsonItem } from '../../../engine/core/item/dynamo-json.ts';
import { itemBytes } from '../../../engine/core/item/item-size.ts';
import { plainJson } from '../../../engine/core/item/plain-json.ts';
import { checkChange } from '../../../engine/core/migrate/check-change.ts';
import { decideItem, type Update } from '../../../engine/core/migrate/decide-item.ts';
import { backfill, type ItemChange } from '../../../engine/core/migrate/define-migration.ts';
import { journalEntryOf, parseEntries, printEntries, undoOf } from '../../../engine/core/migrate/journal.ts';
import { changeEntry, takeBackEntry, updateStatement } from '../../../engine/core/migrate/statement.ts';
import { resolveRow } from '../../../engine/core/seed/resolve-row.ts';
import { parseItem, parseLine, printItem, printItemLines } from '../../../engine/core/transfer/export-line.ts';
import type { MaskRule } from '../../../engine/core/transfer/mask/mask-rules.ts';
import { attributeOf, type Item, plainItem, setAttribute } from '../../../tables/model/attribute-value.ts';
import { canonicalItem, canonicalValue, keyIdentity, sameValue } from '../../../tables/model/canonical.ts';
import { absent, holds, present } from '../../../tables/model/condition.ts';
import { keyOf, keyProblems } from '../../../tables/model/item.ts';
import { readPlain, storePlain } from '../../../tables/model/plain-data.ts';
import { reindex } from '../../../tables/model/reindex.ts';
import { anyItem, anyName, anyValue } from '../../support/any-item.ts';
import { maskerOf, maskFile } from '../../support/mask-bed.ts';
import { textSource } from '../../support/text-source.ts';
import { thing, thingOf, things } from '../../support/toy-table.ts';

/** The first entry that a parser gives. */
async function firstOf<T extends object>(entries: AsyncIterable<T>): Promise<Extract<T, { value: unknown }> | undefined> {
  for await (const entry of entries) if ('value' in entry) return entry as Extract<T, { value: unknown }>;
  return undefined;
}

/** The item as the toy table's masker leaves it by one rule. */
function maskedBy(rule: MaskRule, item: Item): Item {
  return maskerOf(things, maskFile([{ ...rule, undeclared: true }]), [things]).apply(item) ?? {};
}

/** Names that every object has something under already; the first cannot even be assigned. */
const taken = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

/** Numbers and sets in any spelling: what counts is the content. */
const same = (found: Item | undefined, expected: Item) => expect(canonicalItem(found ?? {})).to.equal(canonicalItem(expected));

const withAttribute = (item: Item, name: string, value: Item[string]): Item => ({ ...item, [name]: value });

/** An item of the toy table with attributes of any names, but for its own. */
const anyThing = fc
  .tuple(anyItem, anyName, anyValue)
  .map(([more, name, value]) => thingOf(0, withAttribute(more, name, value)))
  .map((item) => ({ ...item, ...thingOf(0) }));

describe('attributes of any name', () => {
  it('stand in the canonical form by their code units, since digests of it are kept', () => {
    const names = ['b', 'B', 'é', 'a', '10', '9', '\uffff', '🗝', 'ab', '__proto__'];
    const item = Object.fromEntries(names.map((name) => [name, { S: name }])) as Item;
    const members = ['10', '9', 'B', '__proto__', 'a', 'ab', 'b', 'é', '🗝', '\uffff'].map(
      (name) => `${JSON.stringify(name)}:{"S":${JSON.stringify(name)}}`,
    );
    expect(canonicalItem(item)).to.equal(`{${members.join(',')}}`);
  });

  it('stay what they are in DynamoDB JSON, both ways, and in the canonical form', () => {
    fc.assert(
      fc.property(anyItem, (item) => {
        const json: unknown = JSON.parse(JSON.stringify(toJsonItem(item)));
        same(fromJsonItem(json), item);
        same(itemOfText(canonicalItem(item)), item);
        expect(Object.keys(itemOfText(canonicalItem(item)))).to.have.members(Object.keys(item));
        const reversed = Object.fromEntries(Object.entries(item).toReversed());
        expect(canonicalItem(reversed)).to.equal(canonicalItem(item));
      }),
    );
  });

  it('count in the size of an item by name and value', () => {
    fc.assert(
      fc.property(anyItem, anyName, (item, name) => {
        const { [name]: _, ...rest } = item;
        const grown = withAttribute(rest, name, { S: 'four' });
        expect(itemBytes(grown)).to.equal(itemBytes(rest) + Buffer.byteLength(name) + 4);
      }),
    );
  });

  it('stand in plain JSON and in plain objects', () => {
    fc.assert(
      fc.property(anyItem, (item) => {
        // The parser orders names that look like numbers first.
        expect(Object.keys(JSON.parse(plainJson(item, '  ')) as object)).to.have.members(Object.keys(item));
        expect(Object.keys(plainItem(item))).to.have.members(Object.keys(item));
      }),
    );
  });

  it('go through an export’s line and back', () => {
    fc.assert(
      fc.property(anyItem, (item) => {
        const raw = printItem(item);
        same(parseItem('t', raw), item);
        const line = parseLine(Buffer.from(printItemLines([raw])).toString());
        same('kind' in line && line.kind === 'item' ? line.item : undefined, item);
        const change = parseLine(JSON.stringify({ Keys: toJsonItem(item), NewImage: toJsonItem(item) }));
        same('kind' in change && change.kind === 'change' ? change.after : undefined, item);
      }),
    );
  });

  it('are masked by their rules, and only they are', () => {
    fc.assert(
      fc.property(anyThing, anyName, (item, name) => {
        fc.pre(!name.includes('.') && name !== 'id' && name !== 'colour');
        const known = withAttribute(item, name, { S: 'secret words' });
        const masked = maskedBy({ attribute: name, as: 'text' }, known);
        expect(Object.keys(masked)).to.have.members(Object.keys(known));
        expect(masked[name]).not.to.deep.equal(known[name]);
        const removed = maskedBy({ attribute: name, as: 'remove' }, known);
        expect(Object.keys(removed)).to.have.members(Object.keys(known).filter((own) => own !== name));
        const inner = { ...thingOf(0), deep: { M: known } };
        const within = maskedBy({ attribute: `deep.${name}`, as: 'text' }, inner).deep as { M: Item };
        expect(Object.keys(within.M)).to.have.members(Object.keys(known));
        expect(within.M[name]).not.to.deep.equal(known[name]);
      }),
    );
  });

  it('are set and removed by a migration, guarded, journalled and given back', () => {
    fc.assert(
      fc.property(anyThing, anyName, anyValue, (item, name, value) => {
        fc.pre(name !== 'id');
        const before = attributeOf(item, name);
        const set = updateOf(item, () => ({ set: Object.fromEntries([[name, value]]) }));
        if (sameValue(before, value)) expect(set).to.equal(undefined);
        else {
          expect(Object.keys(set?.set ?? {})).to.deep.equal([name]);
          expect(Object.hasOwn(set?.guard ?? {}, name)).to.equal(true);
          expect(Object.hasOwn(set?.before ?? {}, name)).to.equal(before !== undefined);
          givesBack(set as Update);
          saysItsNames(set as Update);
        }
        const removed = updateOf(item, () => ({ remove: [name] }));
        expect(removed?.remove ?? []).to.deep.equal(before === undefined ? [] : [name]);
        if (removed !== undefined) givesBack(removed);
      }),
    );
  });

  it('guard the deletion of an item that a migration put there', () => {
    fc.assert(
      fc.property(anyThing, (item) => {
        const entry = takeBackEntry({ ...things, entities: [], indexes: [] }, 't', keyOf(things, item), item);
        const names = 'Delete' in entry ? Object.values(entry.Delete.ExpressionAttributeNames ?? {}) : [];
        expect(names).to.include.members(Object.keys(item));
      }),
    );
  });

  it('go through a seed’s file of raw items', async () => {
    await fc.assert(
      fc.asyncProperty(anyThing, async (item) => {
        const entry = await firstOf(parseJsonLines(textSource(JSON.stringify({ Item: toJsonItem(item) }))));
        const read = fromJsonItem((entry?.value as { Item: unknown } | undefined)?.Item);
        const place = { file: 'f', line: () => 1, number: 1 };
        const table = { ...things, entities: [thing] };
        const resolved = resolveRow({ place, table, item: read ?? {} }, 0);
        same('row' in resolved ? resolved.row.item : undefined, item);
      }),
    );
  });

  it('stand in the ledger’s own records', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyName), (names) => {
        const record = Object.fromEntries(names.map((name) => [name, name]));
        expect(Object.entries(readPlain(storePlain(record)) as object)).to.have.deep.members(Object.entries(record));
      }),
    );
  });
});

describe('names that every object has something under', () => {
  it('are absent until somebody sets them', () => {
    for (const name of taken) {
      const item: Item = {};
      expect(attributeOf(item, name), name).to.equal(undefined);
      expect([holds(present(name), item), holds(absent(name), item)]).to.deep.equal([false, true]);
      setAttribute(item, name, { S: 'x' });
      expect(Object.keys(item)).to.deep.equal([name]);
      expect(attributeOf(item, name)).to.deep.equal({ S: 'x' });
      expect([holds(present(name), item), holds(absent(name), item)]).to.deep.equal([true, false]);
      expect(Object.getPrototypeOf(item)).to.equal(Object.prototype);
    }
  });

  it('are no types of values', () => {
    for (const name of taken) {
      const value = Object.fromEntries([[name, 'x']]);
      expect(fromJsonValue(value), name).to.equal(undefined);
      expect(() => checkChange({ set: { a: value } }), name).to.throw();
      expect(parseLine(JSON.stringify({ Item: { a: value } }))).to.have.property('problem');
    }
  });

  it('may be a table’s keys', () => {
    for (const name of taken) {
      const table = { ...things, key: { hash: { name, type: 'S' as const } }, indexes: [] };
      const item: Item = Object.fromEntries([[name, { S: 'k' }]]);
      expect(keyProblems(table, item), name).to.deep.equal([]);
      expect(keyIdentity(table.key, item)).to.equal('k');
      expect(keyProblems(table, {})).to.deep.equal([`${name}: the key attribute is missing`]);
      expect(keyIdentity(table.key, {})).to.equal('');
      expect(Object.keys(keyOf(table, {}))).to.deep.equal([]);
    }
  });

  it('are set anew with the index attributes that follow', () => {
    for (const name of taken) {
      const values: Item = Object.fromEntries([[name, { S: 'new' }]]);
      expect(Object.keys(reindex(things, thing, thingOf(0), values).set)).to.deep.equal([name]);
      expect(Object.keys(reindex(things, thing, { ...thingOf(0), ...values }, values).set)).to.deep.equal([]);
    }
  });

  it('are columns of a CSV file', async () => {
    const entry = await firstOf(parseCsv(textSource('id,__proto__,constructor,deep.__proto__,deep.a\n1,p,c,d,e\n')));
    expect(JSON.stringify(entry?.value)).to.equal(
      '{"id":"1","__proto__":"p","constructor":"c","deep":{"__proto__":"d","a":"e"}}',
    );
  });
});

describe('one identity', () => {
  it('is the same for values exactly if they have one canonical form', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        expect(sameValue(a, b)).to.equal(canonicalValue(a) === canonicalValue(b));
        expect(sameValue(a, structuredClone(a))).to.equal(true);
      }),
    );
    expect(sameValue({ N: '1.0' }, { N: '1' })).to.equal(true);
    expect(sameValue({ NS: ['2', '1.0'] }, { NS: ['1', '2'] })).to.equal(true);
    expect(sameValue({ N: '1' }, { S: '1' })).to.equal(false);
    expect(sameValue(undefined, { NULL: true })).to.equal(false);
  });

  it('keeps the parts of a key apart, and numbers by their value', () => {
    const key = { hash: { name: 'h', type: 'S' }, range: { name: 'r', type: 'N' } } as const;
    expect(keyIdentity(key, { h: { S: 'a' }, r: { N: '1.0' } })).to.equal(keyIdentity(key, { h: { S: 'a' }, r: { N: '1' } }));
    const texts = { hash: { name: 'h', type: 'S' }, range: { name: 'r', type: 'S' } } as const;
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (a, b, c, d) => {
        const one = keyIdentity(texts, { h: { S: a }, r: { S: b } });
        expect(one === keyIdentity(texts, { h: { S: c }, r: { S: d } })).to.equal(a === c && b === d);
      }),
    );
  });
});

function updateOf(item: Item, change: () => ItemChange): Update | undefined {
  const step = backfill({ name: 's', table: things, entities: [thing], reads: [], change });
  const decision = decideItem(step, item, { nowSeconds: 0, includeExpired: true });
  if (decision.kind === 'right') return undefined;
  const [only] = decision.kind === 'change' ? decision.changes : [];
  if (only?.kind !== 'update') throw new Error(JSON.stringify(decision));
  return only;
}

/** The journal's text gives the entry back, and its undoing touches the same names. */
function givesBack(update: Update): void {
  const [entry] = parseEntries(printEntries([journalEntryOf(update)])) ?? [];
  if (entry?.kind !== 'update') throw new Error('an update was expected');
  same(entry.set, update.set);
  same(entry.before, update.before);
  const undone = undoOf(entry);
  expect([...Object.keys(undone.set), ...undone.remove]).to.have.members([...Object.keys(update.set), ...update.remove]);
}

/** As PartiQL, or as an expression where the name could be taken for a path. */
function saysItsNames(update: Update): void {
  const [name = ''] = Object.keys(update.set);
  const statement = updateStatement('t', update);
  if (statement !== undefined) expect(statement.Statement).to.contain(`SET "${name}"=?`);
  const entry = changeEntry('t', update);
  expect('Update' in entry ? Object.values(entry.Update.ExpressionAttributeNames ?? {}) : []).to.include(name);
}
