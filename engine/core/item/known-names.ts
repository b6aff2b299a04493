import { keyAttributes, type Table } from '../../../tables/model/table.ts';

/** Every attribute that the catalogue knows of in a table. */
export function knownNames(table: Table): readonly string[] {
  const ofEntities = table.entities.flatMap(({ schema, derive, constants }) => [
    ...Object.keys(schema.shape),
    ...derive.flatMap(({ set }) => Object.keys(set)),
    ...Object.keys(constants),
  ]);
  const ttl = table.ttl === undefined ? [] : [table.ttl];
  return [...new Set([...ofEntities, ...keyAttributes(table).map(({ name }) => name), ...ttl])];
}
