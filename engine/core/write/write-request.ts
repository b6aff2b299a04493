import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Index, KeySchema } from '../../../tables/model/table.ts';

/** Store the item whole, in place of one with the same key. */
export interface PutRequest {
  /** The physical name of the table. */
  readonly table: string;
  readonly put: Item;
  /** The same item, where it came as text and nobody has to make it: then `put` makes it anew each time. */
  readonly asText?: ItemText;
}

/** An item that is still text: what the writer has to know of it was read out of the text. */
export interface ItemText {
  /** Its DynamoDB JSON, as it can go into a request. */
  readonly text: string;
  /** See `itemBytes`. */
  readonly bytes: number;
  /** Those of its attributes that were asked for; see `measuredNames`. */
  readonly part: Item;
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
