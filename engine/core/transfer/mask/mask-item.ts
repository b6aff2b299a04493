import {
  type AttributeValue,
  attributeOf,
  type Item,
  scalarText,
  setAttribute,
} from '../../../../tables/model/attribute-value.ts';
import { decimalProblem } from '../../../../tables/model/decimal.ts';
import type { Entity } from '../../../../tables/model/entity.ts';
import { TablewrightError } from '../../../../tables/model/error.ts';
import { deriveAttributes, entityOf, recoverKeyValues } from '../../../../tables/model/item.ts';
import { keyAttributes, type Table } from '../../../../tables/model/table.ts';
import { type MaskRule, ruleFor } from './mask-rules.ts';
import { type MaskKind, maskText } from './mask-value.ts';
import type { KeyedHash } from './permute.ts';

/** Shorter texts are too common to be searched for in other attributes: `SP` stands in many words. */
const leastTraceableLength = 4;

interface Replacement {
  readonly original: string;
  readonly masked: string;
}

/**
 * Masks items of one table. Attributes go by their rules; keys and index keys are rendered anew from them; whatever else of
 * the item repeats a masked value (a note, a copy) is changed with it. An item whose key would still show one is refused.
 */
export function itemMasker(table: Table, rules: readonly MaskRule[], hash: KeyedHash): (item: Item) => Item {
  const keys = keyAttributes(table).map((attribute) => attribute.name);
  const indexKeys = new Set(keys);
  return (item) => {
    const entity = entityOf(table, item);
    const own = rules.filter((rule) => rule.entity === undefined || rule.entity === entity?.name);
    const replaced: Replacement[] = [];
    const masked: Item = { ...item };
    for (const rule of own) maskPath(masked, rule.attribute.split('.'), rule.as, hash, replaced);
    const derived = entity === undefined ? masked : withDerived(table, entity, item, masked, rules, hash, replaced);
    const traceable = replaced.filter(({ original }) => original.length >= leastTraceableLength);
    const clean = traceable.length === 0 ? derived : sweep(derived, indexKeys, traceable);
    refuseLeaks(table, keys, item, clean, traceable);
    return clean;
  };
}

/** Keys from their templates, with the masked values; values that only the key still tells are masked as their rule says. */
function withDerived(
  table: Table,
  entity: Entity,
  item: Item,
  masked: Item,
  rules: readonly MaskRule[],
  hash: KeyedHash,
  replaced: Replacement[],
): Item {
  const recovered = recoverKeyValues(table, entity, item) ?? {};
  const known: Item = { ...masked };
  for (const [name, text] of Object.entries(recovered)) {
    if (Object.hasOwn(item, name)) continue;
    const rule = ruleFor(rules, entity, name);
    setAttribute(known, name, { S: rule === undefined ? text : (recorded(rule.as, text, hash, replaced) ?? text) });
  }
  const { set } = deriveAttributes(table, entity, known);
  // Only what the item had: a masked export adds no index entries that the table had not.
  const present = Object.entries(set).filter(([name]) => Object.hasOwn(item, name) && name !== table.ttl);
  return { ...masked, ...Object.fromEntries(present) };
}

function maskPath(target: Item, path: readonly string[], kind: MaskKind, hash: KeyedHash, replaced: Replacement[]): void {
  const [name = '', ...rest] = path;
  const value = attributeOf(target, name);
  if (value === undefined) return;
  const after = rest.length === 0 ? maskAll(value, kind, hash, replaced) : descend(value, rest, kind, hash, replaced);
  if (after === undefined) delete target[name];
  else setAttribute(target, name, after);
}

function descend(
  value: AttributeValue,
  path: readonly string[],
  kind: MaskKind,
  hash: KeyedHash,
  replaced: Replacement[],
): AttributeValue {
  if ('L' in value) return { L: value.L.map((entry) => descend(entry, path, kind, hash, replaced)) };
  if (!('M' in value)) return value;
  const members = { ...value.M };
  maskPath(members, path, kind, hash, replaced);
  return { M: members };
}

/** Every text and number in the value; undefined removes it. */
function maskAll(value: AttributeValue, kind: MaskKind, hash: KeyedHash, replaced: Replacement[]): AttributeValue | undefined {
  if (kind === 'remove') {
    collect(value, replaced);
    return undefined;
  }
  const one = (text: string): string => recorded(kind, text, hash, replaced) ?? text;
  if ('S' in value) return { S: one(value.S) };
  if ('N' in value) return { N: maskNumber(value.N, one) };
  if ('SS' in value) return { SS: value.SS.map(one) };
  if ('NS' in value) return { NS: value.NS.map((text) => maskNumber(text, one)) };
  if ('L' in value) return { L: value.L.map((entry) => maskAll(entry, kind, hash, replaced) ?? entry) };
  if ('M' in value) {
    return {
      M: Object.fromEntries(
        Object.entries(value.M).map(([name, entry]) => [name, maskAll(entry, kind, hash, replaced) ?? entry]),
      ),
    };
  }
  // Bytes have no shape to keep, and nothing says that they are a person's: a rule for them must say `remove`.
  return 'B' in value || 'BS' in value ? undefined : value;
}

/** A number stays one that DynamoDB takes; only its digits change. */
function maskNumber(text: string, one: (text: string) => string): string {
  const [mantissa = '', exponent] = text.split(/(?=[eE])/);
  const masked = one(mantissa) + (exponent ?? '');
  return decimalProblem(masked) === undefined ? masked : '0';
}

function collect(value: AttributeValue, replaced: Replacement[]): void {
  const text = scalarText(value);
  if (text !== undefined) replaced.push({ original: text, masked: '' });
  else if ('SS' in value) for (const entry of value.SS) replaced.push({ original: entry, masked: '' });
  else if ('L' in value) for (const entry of value.L) collect(entry, replaced);
  else if ('M' in value) for (const entry of Object.values(value.M)) collect(entry, replaced);
}

function recorded(kind: MaskKind, text: string, hash: KeyedHash, replaced: Replacement[]): string | undefined {
  const masked = maskText(kind, text, hash);
  if (text !== '') replaced.push({ original: text, masked: masked ?? '' });
  return masked;
}

/** Copies of masked values in other attributes; keys are not touched here, they follow from their templates. */
function sweep(item: Item, keys: ReadonlySet<string>, replaced: readonly Replacement[]): Item {
  const entries = Object.entries(item).map(([name, value]) => [name, keys.has(name) ? value : swept(value, replaced)]);
  return Object.fromEntries(entries) as Item;
}

function swept(value: AttributeValue, replaced: readonly Replacement[]): AttributeValue {
  const one = (text: string): string => replaced.reduce((left, { original, masked }) => left.replaceAll(original, masked), text);
  if ('S' in value) return { S: one(value.S) };
  if ('SS' in value) return { SS: [...new Set(value.SS.map(one))] };
  if ('L' in value) return { L: value.L.map((entry) => swept(entry, replaced)) };
  if ('M' in value)
    return { M: Object.fromEntries(Object.entries(value.M).map(([name, entry]) => [name, swept(entry, replaced)])) };
  return value;
}

function refuseLeaks(table: Table, keys: readonly string[], item: Item, masked: Item, replaced: readonly Replacement[]): void {
  const leaking = keys.filter((name) => {
    const text = scalarText(attributeOf(masked, name));
    return text !== undefined && replaced.some(({ original }) => text.includes(original));
  });
  if (leaking.length === 0) return;
  const entity = entityOf(table, item)?.name ?? 'a record that fits no entity of the catalogue';
  throw new TablewrightError('BAD_ARGUMENT', `${table.name}: masking would leave personal data readable in a key`, {
    problems: leaking.map((name) => `${entity}: ${name} still holds a value that a rule masks`),
    next: 'Add a rule for the attribute that this key is made of, or leave these records out with --entity. No export was finished.',
  });
}
