import { type AttributeValue, type Item, scalarText } from '../../tables/model/attribute-value.ts';
import { entityOf } from '../../tables/model/item.ts';
import type { Table } from '../../tables/model/table.ts';
import { readingsOf, reduced, textsOf } from './text-readings.ts';

type Contents = ReadonlyMap<Table, readonly Item[]>;

const personal = ['cpf', 'first_name', 'last_name', 'email', 'phone', 'client_id', 'analyst_id', 'owner'];
/** Shorter values, and numbers shorter than a telephone's, are looked for as they are: whole, or between the separators of keys. */
const least = { letters: 6, digits: 10 };

/**
 * Personal values of the source that stand in texts, numbers, bytes or names of the target: in any case, with any punctuation or accents, as a
 * part of others, behind URL encoding, escapes, base64 and hexadecimal digits. Knows nothing of how masks look for them.
 */
export function personalIn(source: Contents, target: Contents): readonly string[] {
  const exact = valuesOf(source);
  const values = new Set([...exact].map(reduced).filter(isTelling));
  const lengths = [...new Set([...values].map(({ length }) => length))];
  const left = new Set<string>();
  for (const text of textsIn(target)) for (const part of [text, ...text.split('#')]) if (exact.has(part)) left.add(part);
  for (const text of readingsIn(target)) {
    for (const length of lengths) {
      for (let at = 0; at + length <= text.length; at += 1) {
        const part = text.slice(at, at + length);
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

/** Shorter numbers are prices and counts. */
const isLong = (number: string): boolean => number.length >= least.digits;

function textsIn(target: Contents): ReadonlySet<string> {
  const found = new Set<string>();
  for (const items of target.values()) {
    for (const item of items) for (const text of textsOf({ M: item }, isLong)) found.add(text);
  }
  return found;
}

/** What is in the target, reduced; each once, as most of it comes again and again. */
function readingsIn(target: Contents): ReadonlySet<string> {
  const found = new Set<string>();
  for (const text of textsIn(target)) {
    found.add(reduced(text));
    for (const reading of readingsOf(text, 2)) if (isReadable(reading)) found.add(reduced(reading));
  }
  return found;
}

/** Not every run of letters is base64: what comes of it otherwise is bytes, in which chance makes words. */
const isReadable = (text: string): boolean => !/[\ufffd\u0000-\u0008\u000e-\u001f]/.test(text);
