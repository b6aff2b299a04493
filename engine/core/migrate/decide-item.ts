import type { Item } from '../../../tables/model/attribute-value.ts';
import { attributeOf } from '../../../tables/model/attribute-value.ts';
import { sameValue } from '../../../tables/model/canonical.ts';
import { entityOf, keyOf, keyProblems } from '../../../tables/model/item.ts';
import { keyAttributes, keyNames, type Table } from '../../../tables/model/table.ts';
import { secondsPerDay } from '../../../tables/model/time.ts';
import { frozenItem } from '../item/frozen-item.ts';
import { type CheckedChange, checkChange, checkItems, takenReason } from './check-change.ts';
import type { BackfillStep, InsertStep, Lookup, PassStep } from './define-migration.ts';
import { markOf } from './mark.ts';

/** What the item must still be for a write to go through: each attribute's value, or undefined where there was none. */
export type Guard = Readonly<Record<string, Item[string] | undefined>>;

/** An update of one item, under its guard. */
export interface Update {
  readonly kind: 'update';
  readonly key: Item;
  readonly set: Item;
  readonly remove: readonly string[];
  readonly guard: Guard;
  /** The values that it replaces or removes. */
  readonly before: Item;
}

/** A new item, and the item that it follows from, which must still be as it was. */
export interface Insert {
  readonly kind: 'insert';
  readonly key: Item;
  readonly item: Item;
  readonly source: Item;
  readonly guard: Guard;
  /** What is wrong when another item is under its key already. */
  readonly taken?: ((there: Item) => string | undefined) | undefined;
}

export type GuardedChange = Update | Insert;

export type ItemDecision =
  /** Of another entity than the step is for. */
  | { readonly kind: 'foreign' }
  /** Its TTL has passed. */
  | { readonly kind: 'expired' }
  /** It is as it should be. */
  | { readonly kind: 'right' }
  | { readonly kind: 'change'; readonly changes: readonly GuardedChange[] }
  /** The function failed on it, or gave what cannot be meant or DynamoDB cannot hold. */
  | { readonly kind: 'poison'; readonly reason: string };

export interface DecideOptions {
  readonly nowSeconds: number;
  /** Overrides what the step says of expired items. */
  readonly includeExpired?: boolean | undefined;
  readonly lookup?: Lookup | undefined;
  /** What a step that marks its writes sets its mark to; nothing is marked when left out. */
  readonly mark?: string | undefined;
  /** What the function is given in the place of what it sees; for finding out what it looks at. */
  readonly shown?: ((seen: Item) => Item) | undefined;
}

const emptyLookup: Lookup = new Map();

/** DynamoDB Developer Guide, "Using TTL": an item more than five years past its time is not deleted. */
const maxExpiredSeconds = 5 * 365 * secondsPerDay;

const right: ItemDecision = { kind: 'right' };

/** What a step does to an item. Pure: the backfill, its repetition, the plan and the verify pass all ask here. */
export function decideItem(step: PassStep, item: Item, options: DecideOptions): ItemDecision {
  const entity = step.table.entities.length === 0 ? undefined : entityOf(step.table, item);
  if (step.entities !== undefined && (entity === undefined || !step.entities.includes(entity))) return { kind: 'foreign' };
  const skipsExpired = options.includeExpired !== true && step.expired !== 'include';
  if (skipsExpired && isExpired(step.table, item, options.nowSeconds)) return { kind: 'expired' };
  try {
    const own = visible(step, item);
    const seen = options.shown?.(own) ?? own;
    const mark = markOf(step, options.mark);
    if (step.kind === 'insert') return decideInsert(step, item, checkItems(step.items(seen, entity), step.table), mark);
    return decideUpdate(step, item, checkChange(step.change(seen, entity, options.lookup ?? emptyLookup)), mark);
  } catch (error) {
    return { kind: 'poison', reason: error instanceof Error ? error.message : String(error) };
  }
}

export function isExpired(table: Table, item: Item, nowSeconds: number): boolean {
  const value = table.ttl === undefined ? undefined : attributeOf(item, table.ttl);
  if (value === undefined || !('N' in value)) return false;
  const seconds = Number(value.N);
  return seconds < nowSeconds && seconds > nowSeconds - maxExpiredSeconds;
}

/** The attributes that a pass has to read; undefined when it needs whole items. */
export function projectionOf(step: PassStep): readonly string[] | undefined {
  if (step.kind === 'insert' || step.writes === undefined) return undefined;
  const ttl = step.table.ttl === undefined ? [] : [step.table.ttl];
  const mark = step.mark === undefined ? [] : [step.mark];
  return [...new Set([...keyNames(step.table.key), ...step.reads, ...step.writes, ...ttl, ...mark])];
}

/**
 * As `projectionOf`, and the keys of all indexes: they tell which of them a change is written to, and where. They cost nothing:
 * whatever is projected, whole items are paid for (Developer Guide, "Scan: provisioned throughput").
 */
export function projectionWithIndexKeys(step: PassStep): readonly string[] | undefined {
  const projected = projectionOf(step);
  return projected === undefined ? undefined : [...new Set([...projected, ...keyAttributes(step.table).map(({ name }) => name)])];
}

/**
 * Only what was declared: a function that looked at more would not be guarded by it. Frozen: one that changed what it is given and
 * gave it back would seem to have nothing to do.
 */
function visible(step: PassStep, item: Item): Item {
  return frozenItem(pick(item, [...keyNames(step.table.key), ...step.reads]));
}

/** The mark goes with a change and is no change by itself: an item that is right needs none. */
function decideUpdate(step: BackfillStep, item: Item, change: CheckedChange, mark: Item): ItemDecision {
  const wanted = Object.entries(change.set);
  const set: Item = Object.fromEntries(wanted.filter(([name, value]) => !sameValue(attributeOf(item, name), value)));
  const kept = new Set(wanted.map(([name]) => name));
  const remove = change.remove.filter((name) => Object.hasOwn(item, name) && !kept.has(name));
  const touched = [...Object.keys(set), ...remove];
  if (touched.length === 0) return right;
  const problem = updateProblem(step, item, set, touched);
  if (problem !== undefined) return { kind: 'poison', reason: problem };
  const written = [...touched, ...Object.keys(mark)];
  const before = pick(item, written);
  const guard = guardOf(item, [...step.reads, ...written], step.table);
  const marked = { ...set, ...mark };
  return { kind: 'change', changes: [{ kind: 'update', key: keyOf(step.table, item), set: marked, remove, guard, before }] };
}

function updateProblem(step: BackfillStep, item: Item, set: Item, touched: readonly string[]): string | undefined {
  const keys = touched.filter((name) => keyNames(step.table.key).includes(name));
  if (keys.length > 0) return `${keys.join(', ')}: a part of the primary key cannot be changed`;
  const undeclared = step.writes === undefined ? [] : touched.filter((name) => !step.writes?.includes(name));
  if (undeclared.length > 0) return `${undeclared.join(', ')}: not among the step's writes (${step.writes?.join(', ')})`;
  const problems = keyProblems(step.table, { ...keyOf(step.table, item), ...set });
  return problems.length > 0 ? problems.join('; ') : undefined;
}

function decideInsert(step: InsertStep, item: Item, items: readonly Item[], mark: Item): ItemDecision {
  if (items.length === 0) return right;
  const guard = guardOf(item, step.reads, step.table);
  const source = keyOf(step.table, item);
  return {
    kind: 'change',
    changes: items.map((made) => {
      const { taken: isTaken } = step;
      const taken = isTaken === undefined ? {} : { taken: (there: Item) => takenReason(isTaken, there, made) };
      return { kind: 'insert', key: keyOf(step.table, made), item: { ...made, ...mark }, source, guard, ...taken };
    }),
  };
}

function guardOf(item: Item, names: readonly string[], table: Table): Guard {
  const keys = keyNames(table.key);
  const guarded = names.filter((name) => !keys.includes(name));
  return Object.fromEntries(guarded.map((name) => [name, attributeOf(item, name)]));
}

function pick(item: Item, names: readonly string[]): Item {
  const picked: [string, Item[string]][] = [];
  for (const name of names) {
    const value = attributeOf(item, name);
    if (value !== undefined) picked.push([name, value]);
  }
  return Object.fromEntries(picked);
}
