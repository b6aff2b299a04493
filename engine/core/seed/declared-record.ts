import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import type { FixtureTable } from './define-seed.ts';

/** A number as it stands in a file, digit by digit. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Where a record stands, for messages. */
export interface RowPlace {
  readonly file: string;
  /** The line of the record, or of one attribute in it where the format tells; undefined in TypeScript. */
  readonly line: (path: readonly PropertyKey[]) => number | undefined;
  /** Which record of the file it is, from 1. */
  readonly number: number;
}

interface Declared {
  readonly place: RowPlace;
  readonly table: FixtureTable;
}

/** A record as its file gives it: relative times unresolved. */
export interface DeclaredRecord extends Declared {
  readonly entity: Entity;
  readonly values: Readonly<Record<string, unknown>>;
  readonly ttl?: string;
  /** Every value is a text (CSV), so `true` means the boolean. */
  readonly textual: boolean;
}

/** A whole item that is stored as it is, once its times are filled in. */
export interface DeclaredItem extends Declared {
  readonly item: Item;
}

export type DeclaredRow = DeclaredRecord | DeclaredItem;

/** `seeds/oms/trading.jsonl:12`, as editors open it. */
export function showPlace(place: RowPlace, path: readonly PropertyKey[] = []): string {
  const line = place.line(path);
  return line === undefined ? `${place.file} (record ${place.number})` : `${place.file}:${line}`;
}
