import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { type Condition, compareTexts } from '../../../tables/model/condition.ts';
import { compareDecimals } from '../../../tables/model/decimal.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { showKey } from '../../../tables/model/item.ts';
import type { LegacyScan, LegacySort, Pattern } from '../../../tables/model/pattern.ts';
import type { Table } from '../../../tables/model/table.ts';
import { physicalName } from '../../../tables/stack-config.ts';
import { ExpressionBuilder } from '../store/expression.ts';
import type { ScanRequest } from '../store/store.ts';
import { checkParams, limitOf, type Params, type ReadNames, renderParams } from './plan-read.ts';

/** The Scan that answered a pattern before its index was there. */
export interface LegacyPlan {
  readonly request: ScanRequest;
  /** The filter with its parameters put in. */
  readonly filter: Condition;
  readonly sort: LegacySort | undefined;
  readonly limit: number | undefined;
}

export function legacyOf(pattern: Pattern): LegacyScan {
  if (pattern.legacy !== undefined) return pattern.legacy;
  throw new TablewrightError('UNKNOWN_NAME', `${pattern.name} was never read with a Scan, so there is nothing to cut over`, {
    next: "'tablewright cutover status' lists the patterns that were.",
  });
}

export function planLegacy(table: Table, pattern: Pattern, input: Params, names: ReadNames): LegacyPlan {
  const legacy = legacyOf(pattern);
  const params = checkParams(pattern, input);
  const filter = bind(legacy.filter, (text) => renderParams(pattern, text, params) ?? '');
  const expressions = new ExpressionBuilder();
  const FilterExpression = expressions.condition(filter);
  return {
    request: { TableName: physicalName(table, names), FilterExpression, ...expressions.attributes() },
    filter,
    sort: legacy.sort,
    limit: limitOf(pattern, params),
  };
}

/** A condition with its text operands rendered. */
export function bind(condition: Condition, render: (text: string) => string): Condition {
  if ('conditions' in condition) return { ...condition, conditions: condition.conditions.map((part) => bind(part, render)) };
  if (condition.op === 'oneOf') return { ...condition, values: condition.values.map(render) };
  if (condition.op === 'beginsWith') return { ...condition, prefix: render(condition.prefix) };
  if ('value' in condition && typeof condition.value === 'string') return { ...condition, value: render(condition.value) };
  return condition;
}

/** The client's sort. Records that are equal by it have no order of their own, in an index neither. */
export function compareBy(sort: LegacySort | undefined, a: Item, b: Item): number {
  if (sort === undefined) return 0;
  const left = a[sort.by];
  const right = b[sort.by];
  // A record without the attribute comes last, whichever way the sort goes.
  if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
  const order =
    'N' in left && 'N' in right
      ? compareDecimals(left.N, right.N)
      : compareTexts(scalarText(left) ?? '', scalarText(right) ?? '');
  return sort.order === 'ascending' ? order : -order;
}

/** As `compareBy`, then by the primary key, so that pages of one list never overlap. */
export function compareWhole(table: Table, sort: LegacySort | undefined, a: Item, b: Item): number {
  return compareBy(sort, a, b) || compareTexts(showKey(table, a), showKey(table, b));
}
