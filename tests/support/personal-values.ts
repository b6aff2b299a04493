import { type AttributeValue, type Item, scalarText } from '../../tables/model/attribute-value.ts';
import { entityOf } from '../../tables/model/item.ts';
import type { Table } from '../../tables/model/table.ts';

type Contents = ReadonlyMap<Table, readonly Item[]>;

const personal = ['cpf', 'first_name', 'last_name', 'email', 'phone', 'client_id', 'analyst_id', 'owner'];
/** Shorter values, and numbers shorter than a telephone's, are looked for as they are: whole, or between the separators of keys. */
const least = { letters: 6, digits: 10 };

/**
 * Personal values of the source that stand in texts, numbers or names of the target: in any case, with any punctuation or accents, as
 * a part of others. Knows nothing of how masks look for them.
 */
export function personalIn(source: Contents, target: Contents): readonly string[] {
  const exact = valuesOf(source);
  const values = new Set([...exact].map(reduced).filter(isTelling));
  const lengths = [...new Set([...values].map(({ length }) => length))];
  const left = new Set<string>();
  for (const text of textsIn(target)) {
    for (const part of [text, ...text.split('#')]) if (exact.has(part)) left.add(part);
    const whole = reduced(text);
    for (const length of lengths) {
      for (let at = 0; at + length <= whole.length; at += 1) {
        const part = whole.slice(at, at + length);
        if (values.has(part)) left.add(part);
      }
    }
  }
  return [...left];
}

function valuesOf(source: Contents): ReadonlySet<string> {
  const values = new Set<string>();
  const add = (value: AttributeValue | undefined): void => void values.add(scalarText(value) ?? '');
  for (const [table, items] of source) {
    for (const item of items) {
      for (const name of personal) add(item[name]);
      if (entityOf(table, item)?.name === 'CLIENT') add(item.name);
      if (item.address !== undefined && 'M' in item.address) for (const part of Object.values(item.address.M)) add(part);
    }
  }
  values.delete('');
  return values;
}

const isTelling = (text: string): boolean => text.length >= (/^\d+$/.test(text) ? least.digits : least.letters);

const reduced = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

function textsIn(target: Contents): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (value: AttributeValue): void => {
    if ('S' in value) found.add(value.S);
    // Shorter ones are prices and counts.
    if ('N' in value && value.N.length >= least.digits) found.add(value.N);
    if ('M' in value) addItem(value.M);
    if ('L' in value) for (const entry of value.L) add(entry);
    if ('SS' in value) for (const entry of value.SS) found.add(entry);
  };
  const addItem = (item: Item): void => {
    for (const [name, value] of Object.entries(item)) {
      found.add(name);
      add(value);
    }
  };
  for (const items of target.values()) for (const item of items) addItem(item);
  return found;
}
