import * as catalogue from './catalogue.ts';
import type { Pattern } from './model/pattern.ts';
import type { System, Table } from './model/table.ts';

const systemOrder: readonly System[] = ['oms', 'markets', 'backtest', 'order-management'];

function rank(table: Table): string {
  const at = systemOrder.indexOf(table.system);
  const place = table.system === 'tablewright' ? 99 : at === -1 ? systemOrder.length : at;
  return `${String(place).padStart(2, '0')} ${table.name}`;
}

/** The catalogue in the order in which people see it: by system, the toolkit's own ledger last. */
export const tables: readonly Table[] = (Object.values(catalogue) as readonly Table[]).toSorted((a, b) =>
  rank(a) < rank(b) ? -1 : 1,
);

export function patternsOf(catalogue: readonly Table[]): readonly Pattern[] {
  return catalogue.flatMap((table) => Object.values(table.patterns));
}

type CatalogueTable = (typeof catalogue)[keyof typeof catalogue];
type PatternIn<T> = T extends { readonly patterns: infer P } ? P[keyof P] : never;

/** Every pattern of the catalogue, with its own parameter and result types. */
export type CataloguePattern = Extract<PatternIn<CatalogueTable>, Pattern>;

/** `oms.trading.ordersByProduct` and the like. */
export type PatternName = CataloguePattern['name'];

export type PatternNamed<Name extends PatternName> = Extract<CataloguePattern, { readonly name: Name }>;
