import { type AttributeValue, attributeOf, type Item, scalarText, setAttribute } from '../../../tables/model/attribute-value.ts';
import { attributesOf } from '../../../tables/model/condition.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import { deriveAttributes, recoverKeyValues, templateOf } from '../../../tables/model/item.ts';
import { keyNames, type Table } from '../../../tables/model/table.ts';
import { placeholdersOf } from '../../../tables/model/template.ts';
import { epochSecondsOf } from '../../../tables/model/time.ts';
import { type BackfillStep, backfill, type ItemChange } from './define-migration.ts';

export interface DerivedOptions {
  readonly name: string;
  readonly table: Table;
  readonly entities: readonly Entity[];
  /** Which of the derived attributes; all but the primary key and the ttl when left out. */
  readonly attributes?: readonly string[];
  readonly expired?: 'skip' | 'include';
  readonly mark?: string;
  readonly consumers?: 'paused';
}

/**
 * A backfill that follows from the catalogue's own rules: index keys, copies and constants are what `derive` says, where
 * the item has what they are made of; a sparse index's keys are removed where its rule does not hold. Attributes that only
 * the primary key still tells are read back from it and filled in.
 */
export function derivedBackfill({ table, entities, attributes, ...rest }: DerivedOptions): BackfillStep {
  const keys = new Set(keyNames(table.key));
  // What no rule makes any more is nobody's to remove here.
  const wantedOf = (entity: Entity) =>
    (attributes ?? derivedNames(entity)).filter((name) => !keys.has(name) && isMade(entity, name));
  const plans = new Map(entities.map((entity) => [entity, planOf(entity, wantedOf(entity))]));
  const writes = new Set(entities.flatMap(wantedOf));
  const recovered = attributes === undefined ? entities.flatMap((entity) => recoverable(table, entity)) : [];
  const constants = attributes === undefined ? entities.flatMap((entity) => Object.keys(entity.constants)) : [];
  const reads = new Set([...[...plans.values()].flatMap(({ rules }) => sourcesOf(rules)), ...recovered, ...constants]);
  for (const name of [...keys, ...writes]) reads.delete(name);
  return backfill({
    ...rest,
    table,
    entities,
    reads: [...reads],
    writes: [...new Set([...writes, ...recovered, ...constants])],
    change: (item, entity) => {
      const plan = entity === undefined ? undefined : plans.get(entity);
      if (entity === undefined || plan === undefined) return undefined;
      return changeOf(table, plan, item, attributes === undefined ? fillIn(table, entity, item) : {});
    },
  });
}

interface DerivedPlan {
  readonly wanted: readonly string[];
  /** The entity with the rules alone that make what is wanted: what others read is neither read nor guarded. */
  readonly rules: Entity;
}

/** The ttl is a matter of its own (ttlRepair); without its rule it raises no problems here. */
function planOf({ ttl: _, ...entity }: Entity, wanted: readonly string[]): DerivedPlan {
  const derive = entity.derive.filter((rule) => wanted.some((name) => Object.hasOwn(rule.set, name)));
  return { wanted, rules: { ...entity, derive } };
}

function changeOf(table: Table, { wanted, rules }: DerivedPlan, item: Item, filled: Item): ItemChange {
  const derived = deriveAttributes(table, rules, { ...item, ...filled });
  if (derived.problems.length > 0) throw new Error(derived.problems.join('; '));
  const set: Item = { ...filled };
  const remove: string[] = [];
  for (const name of wanted) {
    const value = attributeOf(derived.set, name);
    if (value === undefined) remove.push(name);
    else setAttribute(set, name, value);
  }
  return { set, remove };
}

/** What the key still tells of attributes that are not there, and the constants. */
function fillIn(table: Table, entity: Entity, item: Item): Item {
  const filled: Item = {};
  for (const [name, text] of Object.entries(recoverKeyValues(table, entity, item) ?? {})) {
    if (!Object.hasOwn(item, name) && Object.hasOwn(entity.schema.shape, name)) setAttribute(filled, name, { S: text });
  }
  for (const [name, value] of Object.entries(entity.constants)) {
    if (!Object.hasOwn(item, name)) setAttribute(filled, name, { S: value });
  }
  return filled;
}

const isMade = (entity: Entity, name: string): boolean =>
  Object.hasOwn(entity.constants, name) || derivedNames(entity).includes(name);

function derivedNames(entity: Entity): readonly string[] {
  return [...new Set(entity.derive.flatMap((rule) => Object.keys(rule.set)))];
}

function sourcesOf(entity: Entity): readonly string[] {
  return entity.derive.flatMap((rule) => [
    ...Object.values(rule.set).flatMap(placeholdersOf),
    ...(rule.when === undefined ? [] : attributesOf(rule.when)),
  ]);
}

/** Attributes of the entity that stand in its primary key. */
function recoverable(table: Table, entity: Entity): readonly string[] {
  return keyNames(table.key)
    .flatMap((name) => placeholdersOf(templateOf(entity, name) ?? ''))
    .filter((name) => Object.hasOwn(entity.schema.shape, name));
}

/** Seconds since 1970 stay below this until the year 5138; what is above was written in milliseconds. */
const firstMillisecondValue = 100_000_000_000;

/**
 * Gives items the ttl of their entity's rule where it is missing, no number, in milliseconds, or before the item's own
 * time. A sensible ttl that differs, which somebody may have chosen, stays.
 */
export function ttlRepair({ table, entities, ...rest }: Omit<DerivedOptions, 'attributes' | 'expired'>): BackfillStep {
  const attribute = table.ttl;
  if (attribute === undefined) throw new TypeError(`${table.name} has no ttl`);
  const sources = entities.flatMap((entity) => (entity.ttl === undefined ? [] : [entity.ttl.from]));
  const fromKey = entities.flatMap((entity) => recoverable(table, entity)).filter((source) => sources.includes(source));
  return backfill({
    ...rest,
    table,
    entities,
    reads: [...new Set([attribute, ...sources, ...fromKey])].filter((source) => !keyNames(table.key).includes(source)),
    writes: [attribute],
    // A ttl that lies before the item's own time makes it look expired, and it is what has to be repaired.
    expired: 'include',
    change: (item, entity) => {
      if (entity?.ttl === undefined) return undefined;
      const text = scalarText(item[entity.ttl.from]) ?? recoverKeyValues(table, entity, item)?.[entity.ttl.from];
      const start = epochSecondsOf(text ?? '');
      if (start === undefined) throw new Error(`${entity.ttl.from}: expected a time that ttl can be counted from`);
      if (isSensible(item[attribute], start)) return undefined;
      return { set: { [attribute]: { N: String(start + entity.ttl.seconds) } } };
    },
  });
}

function isSensible(value: AttributeValue | undefined, start: number): boolean {
  if (value === undefined || !('N' in value)) return false;
  const seconds = Number(value.N);
  return seconds > start && seconds < firstMillisecondValue;
}
