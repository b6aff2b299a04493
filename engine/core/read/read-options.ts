import { TablewrightError } from '../../../tables/model/error.ts';
import { isGet, isLegacyQuery, openRange } from '../../../tables/model/pattern.ts';
import type { ReadState } from '../cutover/state-record.ts';
import { type CheckedCall, keyRead, ownLimit } from './checked-call.ts';
import { badCursor, type CursorPosition } from './cursor.ts';

/** Everything that may be asked of a read beside its parameters. */
export interface ReadOptions {
  /** How the pattern is read in this stack; by its query when left out. */
  readonly state?: ReadState | undefined;
  /** The most records to give, on top of the pattern's own limit. */
  readonly limit?: number | undefined;
  /** Last record first. For patterns that are sorted and have no limit of their own. */
  readonly reverse?: boolean | undefined;
  /** Sees every write that was acknowledged before; the table's own key allows it, its indexes do not. */
  readonly consistent?: boolean | undefined;
  /** Goes on where an earlier page of the same list ended. */
  readonly from?: CursorPosition | undefined;
  /** Only how many there are; the records are fetched all the same where DynamoDB cannot count them. */
  readonly count?: boolean | undefined;
  /** Everything, past the pattern's own limit. */
  readonly unlimited?: boolean | undefined;
}

/** How many records a read may give. */
export interface Bounds {
  /** The most that this read gives. */
  readonly limit: number | undefined;
  /** What earlier pages left of the pattern's own limit. */
  readonly left: number | undefined;
  /** How many earlier pages gave. */
  readonly given: number;
}

/** The bounds of a read whose options fit the pattern; else every option that does not is named. */
export function boundsOf(call: CheckedCall, options: ReadOptions): Bounds {
  const problems = [limitProblem(options.limit), consistencyProblem(call, options), orderProblem(call, options)];
  refuse(call.pattern.name, problems);
  const own = options.unlimited === true ? undefined : ownLimit(call);
  const given = options.from?.given ?? 0;
  const left = own === undefined ? undefined : own - given;
  if (left !== undefined && left < 1) throw badCursor(call.pattern.name, 'there is no page after the last');
  return { limit: smaller(left, options.limit), left, given };
}

export function checkLimit(name: string, limit: number | undefined): void {
  refuse(name, [limitProblem(limit)]);
}

interface Problem {
  readonly problem: string;
  readonly next: string;
}

function refuse(name: string, found: readonly (Problem | undefined)[]): void {
  const problems = found.filter((problem) => problem !== undefined);
  const [first] = problems;
  if (first === undefined) return;
  const next = problems.map((problem) => problem.next).join(' ');
  if (problems.length === 1) throw new TablewrightError('BAD_ARGUMENT', `${name}: ${first.problem}`, { next });
  throw new TablewrightError('BAD_ARGUMENT', `${name}: the options do not fit`, {
    problems: problems.map(({ problem }) => problem),
    next,
  });
}

function limitProblem(limit: number | undefined): Problem | undefined {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 1)) return undefined;
  return { problem: `limit: expected a whole number of at least 1, found ${limit}`, next: 'Ask for one record or more.' };
}

/** DynamoDB Developer Guide, "Read consistency": a global secondary index answers eventually consistent reads only. */
function consistencyProblem({ pattern }: CheckedCall, { consistent }: ReadOptions): Problem | undefined {
  if (consistent !== true || pattern.index === undefined) return undefined;
  return {
    problem: `index ${pattern.index} gives no consistent reads; only the table's own key does`,
    next: 'Leave out consistent, or read the record by its primary key.',
  };
}

function orderProblem(call: CheckedCall, { reverse }: ReadOptions): Problem | undefined {
  if (reverse !== true) return undefined;
  const next = 'Leave out reverse.';
  if (!isSorted(call)) return { problem: 'it has no order that could be reversed', next };
  // The best ten, reversed, would be the worst ten: another question, which no pattern asks.
  if (call.pattern.limit === undefined) return undefined;
  return { problem: 'it gives the first records by its own order and cannot be reversed', next };
}

/** May its records be asked for from the last one on? */
export function isReversible(call: Pick<CheckedCall, 'pattern' | 'table'>): boolean {
  return isSorted(call) && call.pattern.limit === undefined;
}

/** An open range key sorts the answer; one record, or records of one key, have no order. */
function isSorted(call: Pick<CheckedCall, 'pattern' | 'table'>): boolean {
  const { pattern, table } = call;
  return openRange(keyRead(call), pattern) !== undefined && !isGet(pattern, table.key.range?.name);
}

function smaller(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** As the pattern says, or by its old form. A list goes on the way it began, as long as the pattern's state allows it. */
export function decideForm({ pattern }: CheckedCall, { state = 'query', from }: ReadOptions): 'new' | 'old' {
  const { legacy } = pattern;
  if (from === undefined) return state === 'query' ? 'new' : 'old';
  const former = isLegacyQuery(legacy) ? legacy.index : undefined;
  if (from.way === 'scan') {
    if (legacy !== undefined && former === undefined) return 'old';
    throw badCursor(pattern.name, 'it was made while the pattern was read by Scan, which it no longer is');
  }
  if (from.index !== undefined && from.index === former) return 'old';
  if (from.index !== undefined && from.index !== pattern.index) {
    throw badCursor(pattern.name, `it was made on index ${from.index}, which the pattern is no longer read by`);
  }
  if (state === 'query') return 'new';
  throw badCursor(pattern.name, `it was made while the pattern was read by Query; the pattern is in state ${state} now`);
}
