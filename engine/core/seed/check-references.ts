import { scalarText } from '../../../tables/model/attribute-value.ts';
import type { Reference } from '../../../tables/model/entity.ts';
import { showPlace } from './declared-record.ts';
import type { ResolvedRow } from './resolve-row.ts';

/**
 * What rows refer to and is nowhere among the rows given: an execution's order, an order's client. `rows` are checked;
 * `others` only count as targets. Raw items refer to nothing.
 */
export function checkReferences(rows: readonly ResolvedRow[], others: readonly ResolvedRow[]): readonly string[] {
  const all = [...rows, ...others];
  const targets = new Map<string, ReadonlySet<string>>();
  const targetsOf = (reference: Reference): ReadonlySet<string> => {
    const names = [reference.target, ...(reference.alike ?? [])];
    const id = [reference.entity, ...names].join(' ');
    const known = targets.get(id) ?? collect(all, reference.entity, names);
    targets.set(id, known);
    return known;
  };
  return rows.flatMap((row) =>
    (row.entity?.references ?? []).flatMap((reference) => {
      const names = [reference.attribute, ...(reference.alike ?? [])];
      const value = valuesOf(row, names);
      if (value === undefined || targetsOf(reference).has(value)) return [];
      return [describe(row, reference, names)];
    }),
  );
}

function collect(rows: readonly ResolvedRow[], entity: string, names: readonly string[]): ReadonlySet<string> {
  const own = rows.filter((row) => `${row.table.name}/${row.entity?.name}` === entity);
  return new Set(own.flatMap((row) => valuesOf(row, names) ?? []));
}

/** The values of the attributes as one text; undefined when one is absent, because an absent attribute refers to nothing. */
function valuesOf(row: ResolvedRow, names: readonly string[]): string | undefined {
  const values = names.map((name) => scalarText(row.item[name]));
  return values.includes(undefined) ? undefined : JSON.stringify(values);
}

function describe(row: ResolvedRow, reference: Reference, names: readonly string[]): string {
  const found = names.map((name) => `${name} ${JSON.stringify(scalarText(row.item[name]))}`).join(' and ');
  const place = showPlace(row.place, [reference.attribute]);
  return `${place}: ${row.entity?.name}: ${reference.attribute}: expected a ${reference.entity} with ${found}, found none`;
}
