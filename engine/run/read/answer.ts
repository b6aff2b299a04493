import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import type { ReadState } from '../../core/cutover/state-record.ts';
import { badCursor, type CursorPosition } from '../../core/read/cursor.ts';
import { compareWhole } from '../../core/read/plan-legacy.ts';
import { planRead } from '../../core/read/plan-read.ts';
import { type LegacyAnswer, readLegacy, sliceAnswer } from './read-legacy.ts';
import { consistencyOf, type ReadEnvironment, type ReadOptions, readFrom, tableOf } from './read-pattern.ts';
import type { Consumed } from './reading.ts';

/** Where the state of each pattern is known. Patterns without a legacy form are always read by their query. */
export interface ReadStates {
  stateOf(pattern: Pattern, signal?: AbortSignal): Promise<ReadState>;
}

/** Tries the query beside an answer that came from a scan. Must neither throw nor make the reader wait. */
export interface ShadowReads {
  observe(pattern: Pattern, params: Readonly<Record<string, unknown>>, answer: LegacyAnswer): void;
}

export interface ReadSupport {
  readonly environment: ReadEnvironment;
  readonly states: ReadStates;
  readonly shadow?: ShadowReads | undefined;
}

export interface ReadRequest {
  readonly pattern: Pattern;
  readonly params: Readonly<Record<string, unknown>>;
  readonly options: Omit<ReadOptions, 'after' | 'most'> & { readonly limit?: number | undefined };
}

/** Some records of an answer, and where the next ones begin. */
export interface AnswerPage {
  readonly items: readonly Item[];
  readonly units: number;
  readonly way: 'query' | 'scan';
  /** The keys of the last record; undefined when there are no more. */
  readonly last: Item | undefined;
}

/** The pages of an answer, by the way that the pattern's state asks for. A read that goes on does so the way it began. */
export async function* answerPages(
  support: ReadSupport,
  request: ReadRequest,
  from?: CursorPosition,
): AsyncGenerator<AnswerPage> {
  const { pattern, params, options } = request;
  options.signal?.throwIfAborted();
  const state = pattern.legacy === undefined ? 'query' : await support.states.stateOf(pattern, options.signal);
  if (from?.way === 'query' && state !== 'query') {
    throw badCursor(pattern.name, `it was made while the pattern was read by Query; the pattern is in state ${state} now`);
  }
  if (state === 'query' && from?.way !== 'scan') {
    const read = { ...options, after: from?.key, most: mostOf(support, request, from) };
    for await (const page of readFrom(support.environment, pattern, params, read)) yield { ...page, way: 'query' };
    return;
  }
  yield await answerByScan(support, request, state, from);
}

async function answerByScan(
  support: ReadSupport,
  request: ReadRequest,
  state: ReadState,
  from: CursorPosition | undefined,
): Promise<AnswerPage> {
  const { pattern, params, options } = request;
  const table = tableOf(support.environment.tables, pattern);
  const answer = await readLegacy(support.environment, pattern, params, options);
  if (state === 'shadow') support.shadow?.observe(pattern, params, answer);
  const isAfter = (item: Item) => from === undefined || compareWhole(table, pattern.legacy?.sort, item, from.key) > 0;
  const { items, more } = sliceAnswer(answer.items, isAfter, mostOf(support, request, from));
  return { items, units: answer.units, way: 'scan', last: more ? items.at(-1) : undefined };
}

/** How many records may still come: the caller's limit, and what earlier pages left of the pattern's own. */
function mostOf(support: ReadSupport, request: ReadRequest, from?: CursorPosition): number {
  return Math.min(ownLimit(support, request) - (from?.given ?? 0), request.options.limit ?? Number.POSITIVE_INFINITY);
}

/** The most records that the pattern itself gives. */
export function ownLimit({ environment }: ReadSupport, { pattern, params }: ReadRequest): number {
  const plan = planRead(tableOf(environment.tables, pattern), pattern, params, environment.names);
  return plan.kind === 'query' ? (plan.limit ?? Number.POSITIVE_INFINITY) : 1;
}

/** The number of records of an answer. A query counts without fetching, unless its entries must be looked up. */
export async function countRecords(support: ReadSupport, request: ReadRequest): Promise<Consumed> {
  const { pattern, params, options } = request;
  const state = pattern.legacy === undefined ? 'query' : await support.states.stateOf(pattern, options.signal);
  const { environment } = support;
  const plan = planRead(tableOf(environment.tables, pattern), pattern, params, environment.names);
  if (state !== 'query' || plan.kind === 'get' || plan.hydrate) return countFetched(support, request);
  const most = mostOf(support, request);
  let counted: Consumed = { records: 0, pages: 0, units: 0, way: 'query' };
  let start: Item | undefined;
  do {
    options.signal?.throwIfAborted();
    const position = start === undefined ? {} : { ExclusiveStartKey: start };
    const { Limit: _, ...all } = plan.request;
    const bounded = plan.request.FilterExpression === undefined && Number.isFinite(most) ? { Limit: most - counted.records } : {};
    const page = await environment.store.query(
      { ...all, ...consistencyOf(pattern, options), ...position, ...bounded, Select: 'COUNT' },
      options.signal,
    );
    const records = Math.min(most, counted.records + (page.count ?? page.items.length));
    counted = { ...counted, records, pages: counted.pages + 1, units: counted.units + page.units };
    start = page.next;
  } while (start !== undefined && counted.records < most);
  return counted;
}

async function countFetched(support: ReadSupport, request: ReadRequest): Promise<Consumed> {
  let counted: Consumed = { records: 0, pages: 0, units: 0, way: 'query' };
  for await (const { items, units, way } of answerPages(support, request)) {
    counted = { records: counted.records + items.length, pages: counted.pages + 1, units: counted.units + units, way };
  }
  return counted;
}
