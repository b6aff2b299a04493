import {
  type AttributeValue,
  attributeOf,
  type Item,
  scalarText,
  setAttribute,
} from '../../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../../tables/model/error.ts';
import { entityOf } from '../../../../tables/model/item.ts';
import type { Schema } from '../../../../tables/model/schema-view.ts';
import { keyNames, type Table } from '../../../../tables/model/table.ts';
import type { BoundEntity, BoundTable } from './bind-rules.ts';
import { collectValues } from './collect-values.ts';
import { type DerivedText, readDerived, renderDerived } from './derived-texts.ts';
import { holdsValue, replaceTexts } from './find-values.ts';
import type { MaskTally } from './mask-tally.ts';
import { maskText } from './mask-value.ts';
import { type FoundValue, foundText, leastPartLength, type Needles, needlesOf } from './needles.ts';
import type { KeyedHash } from './permute.ts';
import { changeValue, freeName, numberAfter, type ValueContext } from './replace-values.ts';
import { textsIn } from './texts-in.ts';

/** Masks the items of one table and counts what it does. */
export interface ItemMasker {
  /** Undefined when a rule leaves the record out. */
  apply(item: Item): Item | undefined;
  /** What was counted since the last time. */
  take(): MaskTally;
}

/**
 * Attributes go by their rules; a key's parts are masked from the key itself; whatever else of the record repeats a masked value,
 * in any form, is changed with it. See docs/design/masks.md for what is promised.
 */
export function itemMasker(bound: BoundTable, hash: KeyedHash): ItemMasker {
  let tally: Record<string, number> = {};
  const count = (name: string, by = 1): void => {
    tally[name] = (tally[name] ?? 0) + by;
  };
  return {
    apply: (item) => {
      const entity = entityOf(bound.table, item);
      const own = entity === undefined ? undefined : bound.ofEntity.get(entity.name);
      count(`entity:${entity?.name ?? ''}`);
      if (own !== undefined) return maskRecord(bound.table, own, item, hash, count);
      if (bound.strays === undefined) throw strayRecord(bound.table);
      if (bound.strays.as === 'keep') return maskRecord(bound.table, bound.strays.bound, item, hash, count);
      count('dropped');
      return undefined;
    },
    take: () => {
      const taken = tally;
      tally = {};
      return taken;
    },
  };
}

type Count = (name: string, by?: number) => void;

function maskRecord(table: Table, bound: BoundEntity, item: Item, hash: KeyedHash, count: Count): Item {
  const derived = readDerived(table, bound.entity, item);
  const known = (name: string): string | undefined =>
    scalarText(attributeOf(item, name)) ?? derived.find(({ values }) => Object.hasOwn(values, name))?.values[name];
  const values: FoundValue[] = [];
  for (const [name, tree] of bound.rules.members) {
    const value = attributeOf(item, name);
    if (value !== undefined) collectValues(value, tree, schemaOf(bound, name), { hash, known, count, values });
  }
  collectFromKeys(bound, item, derived, { hash, known, values, count });
  const needles = needlesOf(values, hash);
  refuseFoundIdentities(table, bound, item, derived, needles);
  const copies = { count: 0 };
  const context: ValueContext = { hash, known, needles, copies };
  const masked = maskAttributes(table, bound, item, derived, context);
  if (copies.count > 0) count('copies', copies.count);
  return masked;
}

interface Collecting {
  readonly hash: KeyedHash;
  readonly known: (name: string) => string | undefined;
  readonly values: FoundValue[];
  readonly count: Count;
}

/** Values that stand in keys: masked from there, and told where the attribute says something else. */
function collectFromKeys(
  { entity, rules }: BoundEntity,
  item: Item,
  derived: readonly DerivedText[],
  { hash, known, values, count }: Collecting,
): void {
  const seen = new Set<string>();
  for (const { values: parts } of derived) {
    for (const [part, text] of Object.entries(parts)) {
      const rule = rules.members.get(part)?.rule;
      if (rule === undefined || rule.as === 'keep' || seen.has(`${part}=${text}`)) continue;
      seen.add(`${part}=${text}`);
      const beside = scalarText(attributeOf(item, part));
      if (beside === text) continue;
      if (beside === undefined) count(`rule:${rule.at}`);
      else count(`disagree:${entity?.name ?? ''}.${part}`);
      values.push(foundText(rule.as, text, hash, subjectOf(rule.by, known)));
    }
  }
}

function subjectOf(by: string | undefined, known: (name: string) => string | undefined): string | undefined {
  return by === undefined ? undefined : known(by);
}

function maskAttributes(
  table: Table,
  bound: BoundEntity,
  item: Item,
  derived: readonly DerivedText[],
  context: ValueContext,
): Item {
  const { rules } = bound;
  const masked: Item = {};
  for (const [name, value] of Object.entries(item)) {
    const text = derived.find((one) => one.name === name);
    const after = text === undefined ? attributeAfter(table, bound, name, value, context) : keyAfter(bound, text, value, context);
    if (after === undefined) continue;
    const newName = isDeclared(table, bound, name) || rules.members.has(name) ? name : replaceTexts(name, context.needles.texts);
    if (newName !== name) context.copies.count += 1;
    setAttribute(masked, freeName(masked, newName), after);
  }
  return masked;
}

function attributeAfter(
  table: Table,
  bound: BoundEntity,
  name: string,
  value: AttributeValue,
  context: ValueContext,
): AttributeValue | undefined {
  const { entity, rules, identities } = bound;
  if (entity !== undefined && Object.hasOwn(entity.constants, name)) return value;
  const tree = rules.members.get(name);
  if (tree?.rule === undefined && identities.has(name)) return value;
  if (name === table.ttl) return ttlAfter(entity, rules, value, context);
  return changeValue(value, tree, schemaOf(bound, name), context);
}

function schemaOf({ entity }: BoundEntity, name: string): Schema | undefined {
  return entity !== undefined && Object.hasOwn(entity.schema.shape, name) ? entity.schema.shape[name] : undefined;
}

/** What expires so long after a moved date moves with it, or it would tell the date. */
function ttlAfter(
  entity: BoundEntity['entity'],
  rules: BoundEntity['rules'],
  value: AttributeValue,
  { hash, known }: ValueContext,
): AttributeValue {
  const rule = entity?.ttl === undefined ? undefined : rules.members.get(entity.ttl.from)?.rule;
  if (rule?.as !== 'date' || !('N' in value)) return value;
  return { N: maskText('date', value.N, hash, subjectOf(rule.by, known)) };
}

/** A key part by part: by its rule, else with what is found in it replaced; its fixed parts stay. */
function keyAfter(
  { rules, identities }: BoundEntity,
  text: DerivedText,
  value: AttributeValue,
  context: ValueContext,
): AttributeValue {
  const { hash, known, needles, copies } = context;
  const parts = Object.entries(text.values).map(([part, own]) => {
    const rule = rules.members.get(part)?.rule;
    if (rule !== undefined) return [part, maskText(rule.as, own, hash, subjectOf(rule.by, known))] as const;
    if (identities.has(part) || text.closed.has(part)) return [part, own] as const;
    if (text.numbers.has(part)) return [part, numberAfter(own, true, context)] as const;
    const after = replaceTexts(own, needles.texts);
    if (after !== own) copies.count += 1;
    return [part, after] as const;
  });
  if (parts.every(([part, after]) => text.values[part] === after)) return value;
  return renderDerived(text, Object.fromEntries(parts), value);
}

function isDeclared(table: Table, { entity }: BoundEntity, name: string): boolean {
  if (keyNames(table.key).includes(name)) return true;
  if (entity === undefined) return false;
  return (
    Object.hasOwn(entity.schema.shape, name) ||
    Object.hasOwn(entity.constants, name) ||
    entity.derive.some(({ set }) => Object.hasOwn(set, name)) ||
    name === table.ttl
  );
}

/** An identity is looked at wherever it stands: in its attribute, of whatever type, and in the keys, which may say something else. */
function refuseFoundIdentities(
  table: Table,
  { entity, rules, identities }: BoundEntity,
  item: Item,
  derived: readonly DerivedText[],
  needles: Needles,
): void {
  const sought = needles.texts.filter(
    ({ telling, folded }) => telling && !(folded.length < leastPartLength && /^\d+$/.test(folded)),
  );
  const leaking = [...identities].filter((name) => {
    if (rules.members.get(name)?.rule !== undefined) return false;
    const value = attributeOf(item, name);
    const inKeys = derived.flatMap(({ values }) => (Object.hasOwn(values, name) ? [values[name] ?? ''] : []));
    return [...(value === undefined ? [] : textsIn(value)), ...inKeys].some((text) => holdsValue(text, sought));
  });
  if (leaking.length === 0) return;
  const where = `${table.name}/${entity?.name ?? '?'}`;
  throw new TablewrightError('BAD_ARGUMENT', `${table.name}: masking would leave personal data readable in a key or reference`, {
    problems: leaking.map((name) => `${where}: ${name} holds a value that a rule masks, and has no rule itself`),
    next: `Add a rule for ${leaking.join(', ')} (as: keep if it may stay). No export was finished.`,
  });
}

function strayRecord(table: Table): TablewrightError {
  return new TablewrightError(
    'BAD_ARGUMENT',
    `${table.name}: a record fits no entity of the catalogue, so no rule tells what is personal in it`,
    {
      next: `Say what becomes of such records: { table: ${table.name}, entity: none, as: drop } leaves them out, as: keep masks them by the rules that name no entity. No export was finished.`,
    },
  );
}
