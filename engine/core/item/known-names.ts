import { keyAttributes, type Table } from '../../../tables/model/table.ts';

const namesOfTables = new WeakMap<Table, ReadonlySet<string>>();

/** Every attribute that the catalogue knows of in a table. Asked for with every page, so kept. */
export function knownNames(table: Table): ReadonlySet<string> {
  const known = namesOfTables.get(table);
  if (known !== undefined) return known;
  const ofEntities = table.entities.flatMap(({ schema, derive, constants }) => [
    ...Object.keys(schema.shape),
    ...derive.flatMap(({ set }) => Object.keys(set)),
    ...Object.keys(constants),
  ]);
  const ttl = table.ttl === undefined ? [] : [table.ttl];
  const names = new Set([...ofEntities, ...keyAttributes(table).map(({ name }) => name), ...ttl]);
  namesOfTables.set(table, names);
  return names;
}
