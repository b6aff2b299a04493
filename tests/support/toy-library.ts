import fc from 'fast-check';
import type { Params } from '../../engine/core/read/checked-call.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { decimal, integer, text } from '../../tables/model/attributes.ts';
import { all, atLeast, compareTexts, equals } from '../../tables/model/condition.ts';
import { compareDecimals } from '../../tables/model/decimal.ts';
import { defineEntity } from '../../tables/model/entity.ts';
import { ascending, beginsWith, descending, is, type Pattern, window } from '../../tables/model/pattern.ts';
import { defineTable } from '../../tables/model/table.ts';

const book = defineEntity({
  name: 'BOOK',
  description: 'A book on a shelf',
  attributes: {
    shelf: text(),
    title: text(),
    kind: text(),
    colour: text().optional(),
    weight: decimal().optional(),
    owner: text().optional(),
    lentAt: text().optional(),
  },
});
const result = [book];
const example = {};

/** A small table with every kind of read: by key, window, prefix, filter, limit, number order, keys only, once a Scan. */
export const library = defineTable({
  name: 'toy-library',
  system: 'toys',
  namespace: 'library',
  description: 'Books on shelves',
  hash: 'shelf',
  range: 'title',
  indexes: {
    by_colour: { hash: 'colour', range: { name: 'weight', type: 'N' } },
    by_owner: { hash: 'owner', range: 'lentAt', projection: 'KEYS_ONLY' },
  },
  entities: [book],
  patterns: {
    one: {
      description: 'A book by its place, if it is of the kind',
      params: { shelf: text(), title: text(), kind: text() },
      key: [is('title', '{title}'), is('shelf', '{shelf}')],
      filter: equals('kind', '{kind}'),
      result,
      example,
    },
    ofShelf: {
      description: 'All of a shelf',
      params: { shelf: text() },
      key: [is('shelf', '{shelf}')],
      legacy: { filter: equals('shelf', '{shelf}'), sort: ascending('title') },
      result,
      example,
    },
    between: {
      description: 'A part of a shelf',
      params: { shelf: text(), from: text().optional(), to: text().optional() },
      key: [window('title', { from: '{from}', to: '{to}' }), is('shelf', '{shelf}')],
      result,
      example,
    },
    lastOf: {
      description: 'Those of a kind whose title begins so, last first',
      params: { shelf: text(), prefix: text(), kind: text(), weight: decimal().optional() },
      key: [is('shelf', '{shelf}'), beginsWith('title', '{prefix}')],
      order: 'descending',
      filter: all(equals('kind', '{kind}'), atLeast('weight', { N: '3' })),
      result,
      example,
    },
    heaviest: {
      description: 'The heaviest of a colour',
      params: { colour: text(), n: integer().default(2) },
      index: 'by_colour',
      key: [is('colour', '{colour}')],
      order: 'descending',
      limit: 'n',
      legacy: { filter: all(equals('colour', '{colour}'), atLeast('weight', { N: '-1000' })), sort: descending('weight') },
      result,
      example,
    },
    heaviestOfKind: {
      description: 'The heaviest of a colour and a kind',
      params: { colour: text(), kind: text(), n: integer().default(2) },
      index: 'by_colour',
      key: [is('colour', '{colour}')],
      order: 'descending',
      filter: equals('kind', '{kind}'),
      limit: 'n',
      result,
      example,
    },
    lentTo: {
      description: 'What somebody has at home, by time',
      params: { owner: text() },
      index: 'by_owner',
      key: [is('owner', '{owner}')],
      hydrate: true,
      result,
      example,
    },
  },
});

type Name = keyof typeof library.patterns;

const textOf = (item: Item, name: string) => (item[name] as { readonly S: string } | undefined)?.S;
const numberOf = (item: Item) => (item.weight as { readonly N: string } | undefined)?.N;
const byKey = (a: Item, b: Item) =>
  compareTexts(textOf(a, 'shelf') ?? '', textOf(b, 'shelf') ?? '') ||
  compareTexts(textOf(a, 'title') ?? '', textOf(b, 'title') ?? '');
const byWeight = (a: Item, b: Item) => compareDecimals(numberOf(a) ?? '0', numberOf(b) ?? '0');
const byLentAt = (a: Item, b: Item) => compareTexts(textOf(a, 'lentAt') ?? '', textOf(b, 'lentAt') ?? '');

/** What each pattern means, written down once more without any of its declaration. */
const meanings: Readonly<
  Record<
    Name,
    {
      readonly matches: (item: Item, params: Params) => boolean;
      readonly order: (a: Item, b: Item) => number;
      readonly descending?: true;
    }
  >
> = {
  one: {
    matches: (item, { shelf, title, kind }) =>
      textOf(item, 'shelf') === shelf && textOf(item, 'title') === title && textOf(item, 'kind') === kind,
    order: byKey,
  },
  ofShelf: { matches: (item, { shelf }) => textOf(item, 'shelf') === shelf, order: byKey },
  between: {
    matches: (item, { shelf, from, to }) => {
      const title = textOf(item, 'title') ?? '';
      const within =
        (from === undefined || compareTexts(title, String(from)) >= 0) &&
        (to === undefined || compareTexts(title, String(to)) <= 0);
      return textOf(item, 'shelf') === shelf && within;
    },
    order: byKey,
  },
  lastOf: {
    matches: (item, { shelf, prefix, kind }) =>
      textOf(item, 'shelf') === shelf &&
      textOf(item, 'title')?.startsWith(String(prefix)) === true &&
      textOf(item, 'kind') === kind &&
      compareDecimals(numberOf(item) ?? '-1', '3') >= 0,
    order: byKey,
    descending: true,
  },
  heaviest: {
    matches: (item, { colour }) => textOf(item, 'colour') === colour && numberOf(item) !== undefined,
    order: byWeight,
    descending: true,
  },
  heaviestOfKind: {
    matches: (item, { colour, kind }) =>
      textOf(item, 'colour') === colour && textOf(item, 'kind') === kind && numberOf(item) !== undefined,
    order: byWeight,
    descending: true,
  },
  lentTo: { matches: (item, { owner }) => textOf(item, 'owner') === owner && 'lentAt' in item, order: byLentAt },
};

export interface LibraryRead {
  readonly name: Name;
  readonly params: Params;
  readonly reverse: boolean;
  /** The caller's. */
  readonly limit: number | undefined;
}

/** Every match in the order asked for, cut by the pattern's own limit: a plain filter and a sort. */
export function bruteForce(items: readonly Item[], { name, params, reverse }: LibraryRead): readonly Item[] {
  const meaning = meanings[name];
  const { limit }: Pattern = library.patterns[name];
  const found = items.filter((item) => meaning.matches(item, params)).toSorted((a, b) => meaning.order(a, b) || byKey(a, b));
  const ordered = (meaning.descending === true) !== reverse ? found.toReversed() : found;
  return ordered.slice(0, limit === undefined ? undefined : Number(params.n ?? 2));
}

const shelf = fc.constantFrom('a', 'b');
const title = fc
  .constantFrom('', 'é', '𝄞')
  .chain((more) => fc.string({ unit: fc.constantFrom('x', 'y'), minLength: 1, maxLength: 4 }).map((begin) => begin + more));
const kind = fc.constantFrom('novel', 'atlas');
const colour = fc.constantFrom('red', 'blue');
const owner = fc.constantFrom('ana', 'bo');

/** Weights and times are told apart, so that every order has one answer. */
export const anyLibrary: fc.Arbitrary<readonly Item[]> = fc
  .uniqueArray(
    fc.record(
      { shelf, title, kind, colour, weight: fc.boolean(), owner, lent: fc.boolean() },
      { requiredKeys: ['shelf', 'title', 'kind'] },
    ),
    { maxLength: 40, size: 'max', selector: (row) => `${row.shelf}/${row.title}` },
  )
  .map((rows) =>
    rows.map((row, at) => {
      const item: Item = { shelf: { S: row.shelf }, title: { S: row.title }, kind: { S: row.kind } };
      if (row.colour !== undefined) item.colour = { S: row.colour };
      if (row.weight === true) item.weight = { N: `${(at * 7) % 41}.${at}5` };
      if (row.owner !== undefined) item.owner = { S: row.owner };
      if (row.lent === true) item.lentAt = { S: `2026-01-${String((at * 11) % 43).padStart(2, '0')}` };
      return item;
    }),
  );

const bounds = fc
  .tuple(fc.option(title, { nil: undefined }), fc.option(title, { nil: undefined }))
  .map(([a, b]) => (a !== undefined && b !== undefined && compareTexts(a, b) > 0 ? { from: b, to: a } : { from: a, to: b }))
  .map(({ from, to }) => ({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }));

const calls: fc.Arbitrary<Pick<LibraryRead, 'name' | 'params'>> = fc.oneof(
  fc.record({ name: fc.constant('one' as const), params: fc.record({ shelf, title, kind }) }),
  fc.record({ name: fc.constant('ofShelf' as const), params: fc.record({ shelf }) }),
  fc.record({
    name: fc.constant('between' as const),
    params: fc.tuple(shelf, bounds).map(([on, within]) => ({ shelf: on, ...within })),
  }),
  fc.record({ name: fc.constant('lastOf' as const), params: fc.record({ shelf, prefix: fc.constantFrom('x', 'xy'), kind }) }),
  fc.record({ name: fc.constant('heaviest' as const), params: fc.record({ colour, n: fc.integer({ min: 1, max: 12 }) }) }),
  fc.record({
    name: fc.constant('heaviestOfKind' as const),
    params: fc.record({ colour, kind, n: fc.integer({ min: 1, max: 12 }) }),
  }),
  fc.record({ name: fc.constant('lentTo' as const), params: fc.record({ owner }) }),
);

/** Any read that the library takes. */
export const anyRead: fc.Arbitrary<LibraryRead> = fc
  .tuple(calls, fc.boolean(), fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }))
  .map(([call, reverse, limit]) => ({
    ...call,
    reverse: reverse && !['one', 'heaviest', 'heaviestOfKind'].includes(call.name),
    limit,
  }));
