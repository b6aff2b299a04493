import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalDecimal } from '../../../tables/model/decimal.ts';
import type { Index, KeyAttribute, KeySchema } from '../../../tables/model/table.ts';

/** Store the item whole, in place of one with the same key. */
export interface PutRequest {
  /** The physical name of the table. */
  readonly table: string;
  readonly put: Item;
}

/** Remove the item with this key, if there is one. */
export interface DeleteRequest {
  readonly table: string;
  readonly delete: Item;
}

export type WriteRequest = PutRequest | DeleteRequest;

/** What the writer knows of a table: its physical name, and from the catalogue its key and indexes. */
export interface WriteTable {
  readonly name: string;
  readonly key: KeySchema;
  readonly indexes: readonly Index[];
}

/** The attributes of a request: the whole item of a put, the key of a delete. */
export function bodyOf(request: WriteRequest): Item {
  return 'put' in request ? request.put : request.delete;
}

/**
 * One text per primary key: two requests have the same one exactly if DynamoDB would take them for the same item. Numbers
 * are compared by value, so `1` and `1.0` are one key. The key must have been checked before.
 */
export function keyIdentity(schema: KeySchema, body: Item): string {
  const hash = partIdentity(schema.hash, body);
  // The length keeps `ab`+`c` apart from `a`+`bc`.
  return schema.range === undefined ? hash : `${hash.length}:${hash}${partIdentity(schema.range, body)}`;
}

function partIdentity(attribute: KeyAttribute, body: Item): string {
  const value = body[attribute.name];
  if (value === undefined) return '';
  if ('S' in value) return value.S;
  if ('N' in value) return canonicalDecimal(value.N);
  return 'B' in value ? Buffer.from(value.B).toString('latin1') : '';
}
