import { type AttributeValue, type Item, setAttribute } from '../../../../tables/model/attribute-value.ts';
import { canonicalDecimal } from '../../../../tables/model/decimal.ts';
import { type Schema, type SchemaView, viewSchema } from '../../../../tables/model/schema-view.ts';
import type { RuleTree } from './bind-rules.ts';
import { bytesText } from './bytes-text.ts';
import { hasOwnNames, type RuledTree, treeBelow } from './collect-values.ts';
import { replaceTexts } from './find-values.ts';
import { foldText } from './fold-text.ts';
import { isClosed } from './is-closed.ts';
import { maskNumber, maskText } from './mask-value.ts';
import { leastPartLength, type Needles } from './needles.ts';
import type { KeyedHash } from './permute.ts';

export interface ValueContext {
  readonly hash: KeyedHash;
  readonly known: (name: string) => string | undefined;
  readonly needles: Needles;
  /** How many texts, numbers and names were changed because they repeat a value. */
  readonly copies: { count: number };
}

/** A value by the rules at and below it; what no rule is for has the values found elsewhere replaced. Undefined when it goes. */
export function changeValue(
  value: AttributeValue,
  tree: RuleTree | undefined,
  schema: Schema | undefined,
  context: ValueContext,
): AttributeValue | undefined {
  if (tree?.rule !== undefined) return byRule(value, { ...tree, rule: tree.rule }, schema, context);
  const view = schema === undefined ? undefined : viewSchema(schema);
  if ('L' in value) {
    return { L: value.L.flatMap((entry) => changeValue(entry, tree, view?.element, context) ?? []) };
  }
  if ('M' in value) {
    const isOurs = (name: string): boolean => tree?.members.has(name) === true || isFixedName(view, name);
    return mapAfter(
      value.M,
      (name) => (isOurs(name) ? name : copied(name, context)),
      (name, entry) => changeValue(entry, tree?.members.get(name), view?.member(name), context),
    );
  }
  return leafAfter(value, schema, context);
}

/** A map's members, with the values that stand in their names replaced too. */
function mapAfter(
  members: Item,
  rename: (name: string) => string,
  change: (name: string, entry: AttributeValue) => AttributeValue | undefined,
): AttributeValue {
  const after: Item = {};
  for (const [name, entry] of Object.entries(members)) {
    const changed = change(name, entry);
    if (changed !== undefined) setAttribute(after, freeName(after, rename(name)), changed);
  }
  return { M: after };
}

/** Two names that a mask makes one are kept apart. */
export function freeName(taken: Item, name: string): string {
  if (!Object.hasOwn(taken, name)) return name;
  for (let at = 2; ; at += 1) if (!Object.hasOwn(taken, `${name}-${at}`)) return `${name}-${at}`;
}

/** A name that the catalogue gives to a member. */
function isFixedName(view: SchemaView | undefined, name: string): boolean {
  return view !== undefined && !view.open && view.member(name) !== undefined;
}

function leafAfter(value: AttributeValue, schema: Schema | undefined, context: ValueContext): AttributeValue {
  const view = schema === undefined ? undefined : viewSchema(schema);
  if ('S' in value) {
    const after = replaceTexts(value.S, context.needles.texts);
    if (after === value.S) return value;
    // Only a time is a time, and a listed value is one of a list: they can hold nothing else.
    if (schema !== undefined && isClosed(schema, value.S)) return value;
    context.copies.count += 1;
    return { S: after };
  }
  if ('N' in value) return { N: numberAfter(value.N, view?.kind === 'number', context) };
  if ('SS' in value) return { SS: [...new Set(value.SS.map((text) => copied(text, context)))] };
  if ('NS' in value) return { NS: [...new Set(value.NS.map((text) => numberAfter(text, false, context)))] };
  if ('B' in value) return { B: bytesAfter(value.B, context) };
  if ('BS' in value) return { BS: distinct(value.BS.map((bytes) => bytesAfter(bytes, context))) };
  return value;
}

function copied(text: string, { needles, copies }: ValueContext): string {
  const after = replaceTexts(text, needles.texts);
  if (after !== text) copies.count += 1;
  return after;
}

/** Whole numbers only: a part of a price is no phone number. With a sign before it, it is. */
export function numberAfter(text: string, isDeclared: boolean, { needles, copies }: ValueContext): string {
  const number = canonicalDecimal(text);
  const bare = number.replace(/^-/, '');
  if (isDeclared && bare.replaceAll(/\D/g, '').length < leastPartLength) return text;
  const [own, unsigned] = [needles.numbers.get(number), needles.numbers.get(bare)];
  if (own === undefined && unsigned === undefined) return text;
  copies.count += 1;
  return own ?? `-${unsigned}`;
}

/** Bytes that are text are searched as text; others as Latin-1, which has a symbol for every byte, and so loses none. */
function bytesAfter(bytes: Uint8Array, context: ValueContext): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(buffer)) {
    const after = copied(text, context);
    return after === text ? bytes : Buffer.from(after, 'utf8');
  }
  const latin = buffer.toString('latin1');
  const asBytes = context.needles.texts.map((needle) => ({
    ...needle,
    original: Buffer.from(needle.original).toString('latin1'),
  }));
  const after = replaceTexts(latin, [...context.needles.texts, ...asBytes.map(refolded)]);
  if (after === latin) return bytes;
  context.copies.count += 1;
  return Buffer.from(after, 'latin1');
}

/** DynamoDB takes no set with a member twice. */
function distinct(all: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(all.map((bytes) => [Buffer.from(bytes).toString('latin1'), bytes])).values()];
}

function refolded<T extends { readonly original: string; readonly folded: string }>(needle: T): T {
  return { ...needle, folded: foldText(needle.original).text };
}

/** Every text and number in the value, by the rule; members that have a rule of their own by that. */
function byRule(
  value: AttributeValue,
  tree: RuledTree,
  schema: Schema | undefined,
  context: ValueContext,
): AttributeValue | undefined {
  const { rule } = tree;
  if (rule.as === 'remove') return undefined;
  const { hash, known } = context;
  const view = schema === undefined ? undefined : viewSchema(schema);
  const subject = rule.by === undefined ? undefined : known(rule.by);
  const text = (one: string): string => maskText(rule.as, one, hash, subject);
  const number = (one: string): string => maskNumber(rule.as, one, hash, subject);
  if ('L' in value) return { L: value.L.flatMap((entry) => byRule(entry, tree, view?.element, context) ?? []) };
  if ('M' in value) {
    const rename = (name: string): string => {
      // What a rule names is no value.
      if (rule.as === 'keep' || tree.members.has(name)) return name;
      if (hasOwnNames(schema)) return text(name);
      return isFixedName(view, name) ? name : copied(name, context);
    };
    return mapAfter(value.M, rename, (name, entry) => byRule(entry, treeBelow(tree, name), view?.member(name), context));
  }
  if (rule.as === 'keep') return value;
  if ('S' in value) return { S: value.S === '' ? '' : text(value.S) };
  if ('N' in value) return { N: number(value.N) };
  if ('SS' in value) return { SS: [...new Set(value.SS.map(text))] };
  if ('NS' in value) return { NS: [...new Set(value.NS.map(number))] };
  if ('B' in value) return { B: Buffer.from(text(bytesText(value.B))) };
  if ('BS' in value) return { BS: distinct(value.BS.map((bytes) => Buffer.from(text(bytesText(bytes))))) };
  return value;
}
