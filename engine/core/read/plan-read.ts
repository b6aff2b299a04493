import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import { type Condition, compareTexts } from '../../../tables/model/condition.ts';
import { compareDecimals } from '../../../tables/model/decimal.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { isGet, type KeyCondition } from '../../../tables/model/pattern.ts';
import { type Naming, physicalName } from '../../../tables/model/stack/stack-config.ts';
import { keyAttributes, keyNames } from '../../../tables/model/table.ts';
import { ExpressionBuilder, type KeyPart } from '../store/expression.ts';
import type { GetRequest, PageAnswer, QueryRequest, ScanRequest } from '../store/store.ts';
import { bindCondition, type CheckedCall, keyRead, renderParams } from './checked-call.ts';
import { badCursor, type CursorPosition } from './cursor.ts';
import { planLegacy, type ScanPlan } from './plan-legacy.ts';
import { type Bounds, boundsOf, decideWay, type ReadOptions } from './read-options.ts';

/** What every plan has. `request` is the first request, exactly as it is sent. */
export interface PlanOf<Kind extends string, Request> extends Bounds {
  readonly kind: Kind;
  readonly call: CheckedCall;
  readonly request: Request;
}

export interface GetPlan extends PlanOf<'get', GetRequest> {
  /** What the record must meet to count; DynamoDB filters no GetItem. */
  readonly filter: Condition | undefined;
}

export interface QueryPlan extends PlanOf<'query', QueryRequest> {
  /** The index holds keys only: whole records are fetched by them. */
  readonly hydrate: boolean;
}

export type ReadPlan = GetPlan | QueryPlan | ScanPlan;

/** What one answer gives to a read, and what is left of it. */
export interface ReadStep {
  readonly items: readonly Item[];
  /** As many as there are items, unless they were only counted. */
  readonly records: number;
  /** Where another read may go on; undefined at the end of the list. */
  readonly position: CursorPosition | undefined;
  /** The plan of what is still to be read; undefined when the read is complete. */
  readonly rest: QueryPlan | undefined;
}

export type ReadNames = Naming;

/** Records that a filtered query looks at in one request at least, however few are wanted. */
export const minFilteredLimit = 100;

/** Said with every request, so that what a read costs is known. */
export const countUnits = { ReturnConsumedCapacity: 'TOTAL' } as const;

/** The read that answers a call: its first request, and what is needed to make the following ones. Pure. */
export function planRead(call: CheckedCall, names: ReadNames, options: ReadOptions = {}): ReadPlan {
  const bounds = boundsOf(call, options);
  const named = { TableName: physicalName(call.table, names), ...countUnits };
  const target = options.consistent === true ? { ...named, ConsistentRead: true } : named;
  if (decideWay(call, options) === 'scan') return planLegacy(call, target, bounds, options);
  return isGet(call.pattern, call.table.key.range?.name)
    ? planGet(call, target, bounds, options)
    : planQuery(call, target, bounds, options);
}

type Target = Pick<ScanRequest, 'TableName' | 'ReturnConsumedCapacity' | 'ConsistentRead'>;

function planGet(call: CheckedCall, target: Target, bounds: Bounds, { from }: ReadOptions): GetPlan {
  const { pattern } = call;
  if (from !== undefined) throw badCursor(pattern.name, 'it gives one record, so there is no page after the first');
  return {
    kind: 'get',
    call,
    ...bounds,
    filter: pattern.filter === undefined ? undefined : bindCondition(call, pattern.filter),
    request: { ...target, Key: Object.fromEntries(pattern.key.map((condition) => equality(call, condition))) },
  };
}

function planQuery(call: CheckedCall, target: Target, bounds: Bounds, options: ReadOptions): QueryPlan {
  const { pattern } = call;
  const expressions = new ExpressionBuilder();
  const KeyConditionExpression = expressions.keyCondition(keyPartsInOrder(call));
  const filter = pattern.filter === undefined ? undefined : expressions.condition(bindCondition(call, pattern.filter));
  const hydrate = pattern.hydrate === true;
  const request: QueryRequest = {
    ...target,
    ...(pattern.index === undefined ? {} : { IndexName: pattern.index }),
    KeyConditionExpression,
    ...(filter === undefined ? {} : { FilterExpression: filter }),
    ...expressions.attributes(),
    ScanIndexForward: (pattern.order !== 'descending') !== (options.reverse === true),
    // An entry of an index may outlive its record for a moment; only fetching tells.
    ...(options.count === true && !hydrate ? { Select: 'COUNT' } : {}),
  };
  return { kind: 'query', call, ...bounds, hydrate, request: paged(request, bounds.limit, options.from?.key) };
}

/** DynamoDB counts its Limit before the filter, so a filtered query asks for more than it wants. */
function paged(request: QueryRequest, wanted: number | undefined, after: Item | undefined): QueryRequest {
  const filtered = request.FilterExpression !== undefined;
  return {
    ...request,
    ...(wanted === undefined ? {} : { Limit: filtered ? Math.max(wanted, minFilteredLimit) : wanted }),
    ...(after === undefined ? {} : { ExclusiveStartKey: after }),
  };
}

/** What a query's answer gives, and the plan of the rest: the request after the answer follows from these two alone. */
export function advance(plan: QueryPlan, answer: PageAnswer): ReadStep {
  const found = plan.request.Select === 'COUNT' ? (answer.count ?? 0) : answer.items.length;
  const records = Math.min(found, plan.limit ?? found);
  const items = answer.items.slice(0, records);
  const end = items.at(-1);
  const cut = items.length < answer.items.length && end !== undefined;
  const key = cut ? startKey(plan.call, end) : answer.next;
  const [limit, left] = [lessened(plan.limit, records), lessened(plan.left, records)];
  const given = plan.given + records;
  return {
    items,
    records,
    position: key === undefined || left === 0 ? undefined : { way: 'query', key, given },
    rest:
      answer.next === undefined || limit === 0
        ? undefined
        : { ...plan, limit, left, given, request: paged(plan.request, limit, answer.next) },
  };
}

function lessened(bound: number | undefined, by: number): number | undefined {
  return bound === undefined ? undefined : bound - by;
}

/** What DynamoDB goes on from: the keys of the index and of the table. */
function startKey(call: CheckedCall, item: Item): Item {
  const names = new Set([...keyNames(keyRead(call)), ...keyNames(call.table.key)]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}

/** In the order of the key's attributes. Behind one that was left out nothing may follow. */
function keyPartsInOrder(call: CheckedCall): readonly KeyPart[] {
  const { pattern } = call;
  const given = keyNames(keyRead(call)).flatMap((name) => {
    const condition = pattern.key.find(({ attribute }) => attribute === name);
    return condition === undefined ? [] : [{ name, parts: keyParts(call, condition) }];
  });
  const gap = given.findIndex(({ parts }) => parts.length === 0 || parts.some(({ op }) => op !== 'equals'));
  const behind = gap === -1 ? [] : given.slice(gap + 1).filter(({ parts }) => parts.length > 0);
  if (behind.length === 0) return given.flatMap(({ parts }) => parts);
  const names = behind.map(({ name }) => name).join(', ');
  throw new TablewrightError('BAD_PARAMETER', `${pattern.name}: ${names} is given, but ${given[gap]?.name} before it is not`, {
    next: 'Sort keys are given from the left: give the earlier one too, or leave the later one out.',
  });
}

function equality(call: CheckedCall, condition: KeyCondition): readonly [string, AttributeValue] {
  const text = condition.op === 'window' ? undefined : renderParams(call, condition.value);
  return [condition.attribute, typed(call, condition.attribute, text ?? '')];
}

/** The condition with its values; none when it is of parameters that were left out. */
function keyParts(call: CheckedCall, condition: KeyCondition): readonly KeyPart[] {
  if (condition.op === 'window') return windowParts(call, condition);
  const { attribute, op } = condition;
  const text = renderParams(call, condition.value);
  return text === undefined ? [] : [{ attribute, op, value: typed(call, attribute, text) }];
}

type Window = Extract<KeyCondition, { readonly op: 'window' }>;

function windowParts(call: CheckedCall, condition: Window): readonly KeyPart[] {
  const { attribute } = condition;
  const [from, to] = [renderParams(call, condition.from), renderParams(call, condition.to)];
  checkWindow(call, condition, from, to);
  const value = (text: string) => typed(call, attribute, text);
  if (from !== undefined && to !== undefined) return [{ attribute, op: 'between', from: value(from), to: value(to) }];
  if (from !== undefined) return [{ attribute, op: 'atLeast', value: value(from) }];
  return to === undefined ? [] : [{ attribute, op: 'atMost', value: value(to) }];
}

/** DynamoDB refuses a BETWEEN whose first bound is the greater one. */
function checkWindow(call: CheckedCall, { attribute }: Window, from: string | undefined, to: string | undefined): void {
  if (from === undefined || to === undefined) return;
  const order = typeOf(call, attribute) === 'N' ? compareDecimals(from, to) : compareTexts(from, to);
  if (order <= 0) return;
  const { params } = call;
  throw new TablewrightError('BAD_PARAMETER', `from ${String(params.from)} lies after to ${String(params.to)}`, {
    next: 'Swap the two; the earlier one comes first.',
  });
}

function typed(call: CheckedCall, attribute: string, text: string): AttributeValue {
  return typeOf(call, attribute) === 'N' ? { N: text } : { S: text };
}

function typeOf({ table }: CheckedCall, attribute: string): string | undefined {
  return keyAttributes(table).find((candidate) => candidate.name === attribute)?.type;
}
