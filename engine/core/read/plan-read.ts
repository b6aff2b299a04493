import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Condition } from '../../../tables/model/condition.ts';
import { formerPattern, isGet } from '../../../tables/model/pattern.ts';
import { physicalName, type StackNaming } from '../../../tables/model/stack/stack-config.ts';
import { keyNames } from '../../../tables/model/table.ts';
import { ExpressionBuilder } from '../store/expression.ts';
import type { GetRequest, PageAnswer, QueryRequest, ScanRequest } from '../store/store.ts';
import { bindCondition, type CheckedCall, keyRead } from './checked-call.ts';
import { badCursor, type CursorPosition } from './cursor.ts';
import { checkKeyConditions, equality, keyPartsInOrder } from './key-parts.ts';
import { planLegacy, type ScanPlan } from './plan-legacy.ts';
import { type Bounds, boundsOf, decideForm, type ReadOptions } from './read-options.ts';

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
  /** It is the old form of a pattern, and the new one is to be tried beside it. */
  readonly shadow: boolean;
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

export type ReadNames = StackNaming;

/** Records that a filtered query looks at in one request at least, however few are wanted. */
export const minFilteredLimit = 100;

/** Said with every request, so that what a read costs is known. */
export const countUnits = { ReturnConsumedCapacity: 'TOTAL' } as const;

/** The read that answers a call: its first request, and what is needed to make the following ones. Pure. */
export function planRead(call: CheckedCall, names: ReadNames, options: ReadOptions = {}): ReadPlan {
  const bounds = boundsOf(call, options);
  const named = { TableName: physicalName(call.table, names), ...countUnits };
  const target = options.consistent === true ? { ...named, ConsistentRead: true } : named;
  if (decideForm(call, options) === 'old') {
    const former = formerPattern(call.pattern);
    if (former === undefined) return planLegacy(call, target, bounds, options);
    return { ...planQuery({ ...call, pattern: former }, target, bounds, options), shadow: isShadowed(options) };
  }
  return isGet(call.pattern, call.table.key.range?.name)
    ? planGet(call, target, bounds, options)
    : planQuery(call, target, bounds, options);
}

/** A whole list from its beginning can be compared; a part of one, or a number, tells too little. */
const isShadowed = ({ state, from, reverse, count }: ReadOptions): boolean =>
  state === 'shadow' && from === undefined && reverse !== true && count !== true;

type Target = Pick<ScanRequest, 'TableName' | 'ReturnConsumedCapacity' | 'ConsistentRead'>;

function planGet(call: CheckedCall, target: Target, bounds: Bounds, { from }: ReadOptions): GetPlan {
  const { pattern } = call;
  checkKeyConditions(call);
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
  checkKeyConditions(call);
  checkPosition(call, options.from);
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
  const first = paged(request, bounds.limit, options.from?.key);
  return { kind: 'query', call, ...bounds, hydrate, shadow: false, request: first };
}

/** A cursor goes on in the index that it was made on, and in no other. */
function checkPosition(call: CheckedCall, from: CursorPosition | undefined): void {
  if (from === undefined) return;
  const wanted = startNames(call);
  if (wanted.size === Object.keys(from.key).length && Object.keys(from.key).every((name) => wanted.has(name))) return;
  throw badCursor(call.pattern.name, `it was made on another index than ${call.pattern.index ?? "the table's own key"}`);
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
    position: key === undefined || left === 0 ? undefined : { way: 'query', ...madeOn(plan), key, given },
    rest:
      answer.next === undefined || limit === 0
        ? undefined
        : { ...plan, limit, left, given, request: paged(plan.request, limit, answer.next) },
  };
}

const madeOn = ({ request: { IndexName } }: QueryPlan) => (IndexName === undefined ? {} : { index: IndexName });

function lessened(bound: number | undefined, by: number): number | undefined {
  return bound === undefined ? undefined : bound - by;
}

/** What DynamoDB goes on from: the keys of the index and of the table. */
function startKey(call: CheckedCall, item: Item): Item {
  const names = startNames(call);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}

function startNames(call: CheckedCall): ReadonlySet<string> {
  return new Set([...keyNames(keyRead(call)), ...keyNames(call.table.key)]);
}
