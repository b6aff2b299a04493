import type { Reference } from '../../../tables/model/entity.ts';
import { describeMissing } from '../../../tables/model/reference.ts';
import { type DeclaredRecord, type DeclaredRow, ExactNumber, showPlace } from './declared-record.ts';

/**
 * What records refer to and is nowhere among those given: an execution's order, an order's client. `rows` are checked;
 * `others` only count as targets. Goes by what the files say, so that a record with other faults still is a target and is
 * itself checked. Raw items refer to nothing.
 */
export function checkReferences(rows: readonly DeclaredRow[], others: readonly DeclaredRow[]): readonly string[] {
  const all = [...rows, ...others].filter(isRecord);
  const targets = new Map<string, ReadonlySet<string>>();
  const targetsOf = (reference: Reference): ReadonlySet<string> => {
    const names = [reference.target, ...(reference.alike ?? [])];
    const id = [reference.entity, ...names].join(' ');
    const known = targets.get(id) ?? collect(all, reference.entity, names);
    targets.set(id, known);
    return known;
  };
  return rows.filter(isRecord).flatMap((row) =>
    row.entity.references.flatMap((reference) => {
      const names = [reference.attribute, ...(reference.alike ?? [])];
      const values = valuesOf(row, names);
      if (values === undefined || targetsOf(reference).has(values)) return [];
      return [describe(row, reference, names)];
    }),
  );
}

function isRecord(row: DeclaredRow): row is DeclaredRecord {
  return 'entity' in row;
}

function collect(rows: readonly DeclaredRecord[], entity: string, names: readonly string[]): ReadonlySet<string> {
  const own = rows.filter((row) => `${row.table.name}/${row.entity.name}` === entity);
  return new Set(own.flatMap((row) => valuesOf(row, names) ?? []));
}

/** The values of the attributes as one text; undefined when one is absent, because an absent attribute refers to nothing. */
function valuesOf(row: DeclaredRecord, names: readonly string[]): string | undefined {
  const values = names.map((name) => textOf(row, name));
  return values.includes(undefined) ? undefined : JSON.stringify(values);
}

function textOf(row: DeclaredRecord, name: string): string | undefined {
  const value = row.values[name];
  if (value instanceof ExactNumber) return value.text;
  return value === undefined || value === null ? undefined : String(value);
}

function describe(row: DeclaredRecord, reference: Reference, names: readonly string[]): string {
  const values = names.map((name) => textOf(row, name));
  return `${showPlace(row.place, [reference.attribute])}: ${row.entity.name}: ${describeMissing(reference, values)}`;
}
