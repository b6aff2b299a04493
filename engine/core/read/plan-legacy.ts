import { type AttributeValue, attributeOf, type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { all, atLeast, atMost, type Condition, type Operand, present, startsWith } from '../../../tables/model/condition.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import {
  formerPattern,
  isLegacyQuery,
  type Legacy,
  type LegacyScan,
  type LegacySort,
  type Pattern,
} from '../../../tables/model/pattern.ts';
import { keyNames, type Table } from '../../../tables/model/table.ts';
import { ExpressionBuilder, type KeyPart } from '../store/expression.ts';
import type { ScanRequest } from '../store/store.ts';
import { bindCondition, type CheckedCall, keyRead } from './checked-call.ts';
import type { CursorPosition } from './cursor.ts';
import { compareKeys, keyPartsInOrder } from './key-parts.ts';
import type { PlanOf, ReadStep } from './plan-read.ts';
import type { Bounds, ReadOptions } from './read-options.ts';

/** The Scan that answered a pattern before its index was there: the whole table, filtered; sorted and cut by the client. */
export interface ScanPlan extends PlanOf<'scan', ScanRequest> {
  readonly sort: LegacySort | undefined;
  readonly reverse: boolean;
  /** The last record that earlier pages gave: its keys and what the order goes by. */
  readonly after: Item | undefined;
  /** The query is to be tried beside it. */
  readonly shadow: boolean;
}

export function legacyOf(pattern: Pattern): Legacy {
  if (pattern.legacy !== undefined) return pattern.legacy;
  throw new TablewrightError('UNKNOWN_NAME', `${pattern.name} was never read otherwise, so there is nothing to cut over`, {
    next: "'tablewright cutover status' lists the patterns that were.",
  });
}

/** The old form of a pattern that was read by Scan. */
function scanOf(pattern: Pattern): LegacyScan {
  const legacy = legacyOf(pattern);
  if (!isLegacyQuery(legacy)) return legacy;
  throw new TypeError(`${pattern.name} was read by index ${legacy.index}, not by a Scan`);
}

/**
 * Which records the old form gives, as a condition on the records themselves, with the call's parameters put in: the Scan's filter,
 * or the keys by which the index before holds a record and the Query asks for it.
 */
export function legacyFilter(call: CheckedCall): Condition {
  const pattern = formerPattern(call.pattern);
  if (pattern === undefined) return bindCondition(call, scanOf(call.pattern).filter);
  const former = { ...call, pattern };
  return all(
    ...keyNames(keyRead(former)).map(present),
    ...keyPartsInOrder(former).map(conditionOf),
    ...(pattern.filter === undefined ? [] : [bindCondition(former, pattern.filter)]),
  );
}

function conditionOf(part: KeyPart): Condition {
  const { attribute, op } = part;
  if (op === 'between') return all(atLeast(attribute, operand(part.from)), atMost(attribute, operand(part.to)));
  const value = operand(part.value);
  if (op === 'beginsWith') return startsWith(attribute, String(value));
  return { op, attribute, value };
}

/** The prover lets no bytes into a pattern that has an old form. */
function operand(value: AttributeValue): Operand {
  return 'N' in value ? { N: value.N } : (scalarText(value) ?? '');
}

/** What the old answers are sorted by: the client's sort, or the order of the index before. Records that are equal by it have none. */
export function legacyOrder(table: Table, pattern: Pattern): readonly LegacySort[] {
  const former = formerPattern(pattern);
  if (former === undefined) return sortList(scanOf(pattern).sort);
  const { order = 'ascending' } = former;
  const index = table.indexes.find(({ name }) => name === former.index);
  return (index?.range ?? []).map(({ name }) => ({ by: name, order }));
}

const sortList = (sort: LegacySort | undefined): readonly LegacySort[] => (sort === undefined ? [] : [sort]);

/** `target`: the table, and how it is to be read. */
export function planLegacy(call: CheckedCall, target: ScanRequest, bounds: Bounds, options: ReadOptions): ScanPlan {
  const expressions = new ExpressionBuilder();
  const FilterExpression = expressions.condition(legacyFilter(call));
  return {
    kind: 'scan',
    call,
    ...bounds,
    request: { ...target, FilterExpression, ...expressions.attributes() },
    sort: scanOf(call.pattern).sort,
    reverse: options.reverse === true,
    after: options.from?.key,
    shadow: options.state === 'shadow',
  };
}

/** Every match in the client's order, whatever the limits. */
export function sortMatches({ call, sort }: ScanPlan, matches: readonly Item[]): readonly Item[] {
  return matches.toSorted((a, b) => compareWhole(call.table, sort, a, b));
}

/** The part of the sorted matches that the reader gets: after the position, and no more than the limits allow. */
export function takeMatches(plan: ScanPlan, sorted: readonly Item[]): ReadStep {
  const { call, sort, reverse, after, limit, left } = plan;
  const ordered = reverse ? sorted.toReversed() : sorted;
  const isAfter = (item: Item) => after === undefined || compareWhole(call.table, sort, item, after) * (reverse ? -1 : 1) > 0;
  const begin = ordered.findIndex(isAfter);
  const open = begin === -1 ? [] : ordered.slice(begin);
  const items = open.slice(0, limit);
  const end = items.at(-1);
  const more = items.length < open.length && end !== undefined && left !== items.length;
  const position: CursorPosition | undefined = more
    ? { way: 'scan', key: sortKey(plan, end), given: plan.given + items.length }
    : undefined;
  return { items, records: items.length, position, rest: undefined };
}

/** A cursor carries the keys and what the order goes by, nothing else of a record. */
function sortKey({ call, sort }: ScanPlan, item: Item): Item {
  const names = [...keyNames(call.table.key), ...(sort === undefined ? [] : [sort.by])];
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}

/** Records that are equal by the sort have no order of their own, in an index neither. */
export function compareBy(sort: readonly LegacySort[], a: Item, b: Item): number {
  return sort.reduce((order, one) => order || compareByOne(one, a, b), 0);
}

function compareByOne(sort: LegacySort, a: Item, b: Item): number {
  const left = a[sort.by];
  const right = b[sort.by];
  // A record without the attribute comes last, whichever way the sort goes.
  if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
  const order = compareKeys(left, right);
  return sort.order === 'ascending' ? order : -order;
}

/** As `compareBy`, then by the primary key, so that pages of one list never overlap. */
function compareWhole(table: Table, sort: LegacySort | undefined, a: Item, b: Item): number {
  const none = { S: '' };
  const byKey = (name: string) => compareKeys(attributeOf(a, name) ?? none, attributeOf(b, name) ?? none);
  return keyNames(table.key).reduce((order, name) => order || byKey(name), compareBy(sortList(sort), a, b));
}
