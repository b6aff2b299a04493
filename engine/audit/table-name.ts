import type { Table } from '../../tables/model/table.ts';

export interface TableGuess {
  readonly table: Table;
  /** Told by its name in the source, or guessed from the name of the variable that holds it. */
  readonly certain: boolean;
}

/** The catalogue's table of a physical name: itself, with a stack's suffix, or with a part that the source does not tell. */
export function tableNamed(catalogue: readonly Table[], name: string): TableGuess | undefined {
  // `orders-{stack}`, `{prefix}orders`: what is not told is left out.
  const told = name.replace(/\{[^}]*\}/g, '').replace(/^[-_.]+|[-_.]+$/g, '');
  const exact = catalogue.find((table) => table.name === told);
  if (exact !== undefined) return { table: exact, certain: true };
  const suffixed = catalogue
    .filter((table) => told.startsWith(table.name) && /^[-_][A-Za-z0-9]+$/.test(told.slice(table.name.length)))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
  return suffixed === undefined ? undefined : { table: suffixed, certain: true };
}

/** A guess from a variable's name: `ORDERS_TABLE` and `tradesTable` speak of one table, if they speak of only one. */
export function tableHinted(catalogue: readonly Table[], variable: string): TableGuess | undefined {
  const words = variable.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  const stem = `_${words.replace(/[^a-z0-9]+/g, '_')}_`.replace(/_(table|tables|name|tablename)(?=_)/g, '');
  const fitting = catalogue.filter((table) => stem === `_${table.name.toLowerCase().replace(/[^a-z0-9]+/g, '_')}_`);
  const [table] = fitting;
  return table !== undefined && fitting.length === 1 ? { table, certain: false } : undefined;
}
