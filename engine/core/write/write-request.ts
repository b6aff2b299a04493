import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Index, KeySchema } from '../../../tables/model/table.ts';

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
