import { TablewrightError } from '../../../tables/model/error.ts';
import { findPattern, typedParameters } from '../../cli/pattern-arguments.ts';
import { fromJsonItem, isRecord, toJsonItem } from '../../core/item/dynamo-json.ts';
import { checkCall } from '../../core/read/checked-call.ts';
import { badCursor, type CursorPosition } from '../../core/read/cursor.ts';
import { type Explanation, explainRead } from '../../core/read/explain-read.ts';
import type { ReadPlan } from '../../core/read/plan-read.ts';
import { presentStates } from '../../run/cutover/present-states.ts';
import { explainPattern } from '../../run/read/explain-pattern.ts';
import { planByState, sendPlan } from '../../run/read/read-pattern.ts';
import { consumedWith, nothingConsumed } from '../../run/read/reading.ts';
import type { ConsoleEnvironment } from '../console-environment.ts';
import type { PatternRead, PatternRequest } from '../wire-types.ts';
import { shownItem } from './items.ts';
import { isLocal } from './stack.ts';

const defaultSize = 50;
const maxSize = 500;

/** One page of a pattern, read as applications read it, with the request as it was sent. */
export async function patternReadAnswer(
  environment: ConsoleEnvironment,
  name: string,
  given: PatternRequest,
): Promise<PatternRead> {
  const { stack, context } = environment;
  const { signal } = context;
  const { read } = stack;
  const pattern = findPattern(stack.tables, name);
  const call = checkCall(stack.tables, pattern, typedParameters(pattern, given.params));
  const options = {
    limit: Math.min(maxSize, given.size ?? defaultSize),
    reverse: given.reverse,
    consistent: given.consistent,
    from: given.cursor === undefined ? undefined : positionOf(name, given.cursor),
  };
  const plan = await planByState({ environment: read, states: presentStates(read, signal) }, call, options, signal);
  // The plan's own pattern is another one where the index before answers.
  const state = plan.kind === 'scan' || plan.call.pattern !== pattern ? 'scan' : 'query';
  const explained = await explainPattern(read, call, { ...options, state }, signal);
  if (plan.kind === 'scan' && !isLocal(environment) && given.asked !== true) throw unasked(explained);
  const startedMs = performance.now();
  let consumed = nothingConsumed;
  let position: CursorPosition | undefined;
  const items = [];
  for await (const page of sendPlan(read, plan, { signal })) {
    items.push(...page.items);
    consumed = consumedWith(consumed, page);
    position = page.position;
  }
  const { units, pages, way } = consumed;
  return {
    explanation: { ...explained, request: shownRequest(plan) },
    items: items.map((item) => shownItem(call.table, item)),
    ...{ units, pages, way },
    ms: performance.now() - startedMs,
    cursor: position === undefined ? null : cursorOf(position),
  };
}

/** What a read would send and cost, without sending it. */
export async function explainAnswer({ stack, context }: ConsoleEnvironment, name: string, given: PatternRequest) {
  const pattern = findPattern(stack.tables, name);
  const call = checkCall(stack.tables, pattern, typedParameters(pattern, given.params));
  const { reverse, consistent, size: limit } = given;
  const explained = await explainPattern(stack.read, call, { limit, reverse, consistent }, context.signal);
  return { ...explained, request: jsonRequest(explained.request) };
}

const shownRequest = (plan: ReadPlan) => jsonRequest(explainRead(plan).request);

/** Binary keys are text in JSON, as in every other place. */
function jsonRequest(request: ReadPlan['request']): Readonly<Record<string, unknown>> {
  const items = ['Key', 'ExclusiveStartKey', 'ExpressionAttributeValues'];
  return Object.fromEntries(
    Object.entries(request).map(([name, value]) => [name, items.includes(name) ? toJsonItem(value) : value]),
  );
}

function unasked({ pattern, expected, table }: Explanation): TablewrightError {
  const message = `${pattern} is still read by a Scan of ${table}: about ${expected.units} read units for every read`;
  return new TablewrightError('NOT_CONFIRMED', message, { next: 'Ask for it on the page, or cut the pattern over first.' });
}

function cursorOf({ key, ...position }: CursorPosition): string {
  return JSON.stringify({ ...position, key: toJsonItem(key) });
}

function positionOf(pattern: string, text: string): CursorPosition {
  const parsed: unknown = (() => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  })();
  const { way, index, key, given } = isRecord(parsed) ? parsed : {};
  const item = fromJsonItem(key);
  if ((way !== 'query' && way !== 'scan') || item === undefined || typeof given !== 'number') {
    throw badCursor(pattern, 'it is not one of this console');
  }
  return { way, key: item, given, ...(typeof index === 'string' ? { index } : {}) };
}
