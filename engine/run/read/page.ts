import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { CursorBinding, CursorPosition, CursorSeal } from '../../core/read/cursor.ts';
import { checkParams } from '../../core/read/plan-read.ts';
import { answerPages, ownLimit, type ReadRequest, type ReadSupport } from './answer.ts';
import { tableOf } from './read-pattern.ts';
import { type Consumed, readRecord } from './reading.ts';

export const defaultPageSize = 50;
export const maxPageSize = 1_000;

export interface PageOptions {
  /** Records in a page; the last page has fewer. */
  readonly size?: number | undefined;
  /** From the page before. */
  readonly cursor?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly consistent?: boolean | undefined;
}

export interface Page<T> {
  readonly records: readonly T[];
  /** Opaque; give it back with the same pattern and parameters for the page after. Undefined after the last one. */
  readonly cursor: string | undefined;
  readonly consumed: Consumed;
}

export interface PageSupport extends ReadSupport {
  readonly cursors: CursorSeal;
}

/** One page of a pattern. */
export async function readPage(
  support: PageSupport,
  request: ReadRequest,
  { size = defaultPageSize, cursor }: PageOptions,
): Promise<Page<unknown>> {
  checkSize(request.pattern.name, size);
  const { environment, cursors } = support;
  const table = tableOf(environment.tables, request.pattern);
  const binding: CursorBinding = {
    stack: environment.names.stack,
    pattern: request.pattern.name,
    params: checkParams(request.pattern, request.params),
  };
  const from = cursor === undefined ? undefined : cursors.open(binding, cursor);
  const found = await collect(support, request, size, from);
  const given = (from?.given ?? 0) + found.items.length;
  const key = given < ownLimit(support, request) ? found.last : undefined;
  const position = key === undefined ? undefined : ({ way: found.way, key, given } satisfies CursorPosition);
  return {
    records: found.items.map((item) => readRecord(table, request.pattern, item)),
    cursor: position === undefined ? undefined : cursors.seal(binding, position),
    consumed: { records: found.items.length, pages: found.pages, units: found.units, way: found.way },
  };
}

/** A filter may leave a page of DynamoDB's short, so several make one of ours. */
async function collect(support: ReadSupport, request: ReadRequest, size: number, from: CursorPosition | undefined) {
  const items: Item[] = [];
  let units = 0;
  let pages = 0;
  let last: Item | undefined;
  let way: 'query' | 'scan' = 'query';
  const bounded = { ...request, options: { ...request.options, limit: size } };
  for await (const page of answerPages(support, bounded, from)) {
    items.push(...page.items);
    units += page.units;
    pages += 1;
    ({ last, way } = page);
  }
  const table = tableOf(support.environment.tables, request.pattern);
  return { items, units, pages, way, last: last === undefined ? undefined : trimmed(last, way, table, request) };
}

/** A cursor carries the keys and what the order goes by, nothing else of a record. */
function trimmed(last: Item, way: 'query' | 'scan', table: ReturnType<typeof tableOf>, { pattern }: ReadRequest): Item {
  if (way === 'query') return last;
  const sort = pattern.legacy?.sort?.by;
  const names = [table.key.hash.name, table.key.range?.name, sort];
  return Object.fromEntries(Object.entries(last).filter(([name]) => names.includes(name)));
}

function checkSize(name: string, size: number): void {
  if (Number.isSafeInteger(size) && size >= 1 && size <= maxPageSize) return;
  throw new TablewrightError('BAD_ARGUMENT', `${name}: size: expected a whole number from 1 to ${maxPageSize}, found ${size}`, {
    next: `Leave it out for ${defaultPageSize}.`,
  });
}
