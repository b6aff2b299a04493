import type { z } from 'zod';
import { defineEntity, type Entity, type RecordOf } from '../entity.ts';

/** A record of the ledger. What its key says is not stored a second time. */
export interface LedgerEntity<
  Shape extends z.core.$ZodLooseShape = z.core.$ZodLooseShape,
  PK extends string = string,
  SK extends string = string,
> extends Entity<Shape> {
  readonly key: { readonly PK: PK; readonly SK: SK };
  /** Members that only the key holds. */
  readonly inKey: readonly string[];
  /**
   * The version of its form, in the attribute `format` of each record. Raised when a version of the toolkit that does not know a
   * change would misread it. A record without it is of format 1.
   */
  readonly format: number;
}

export interface LedgerEntityOptions<
  InKey extends z.core.$ZodLooseShape,
  Attributes extends z.core.$ZodLooseShape,
  PK extends string,
  SK extends string,
> {
  readonly name: string;
  readonly description: string;
  readonly key: { readonly PK: PK; readonly SK: SK };
  readonly inKey: InKey;
  readonly attributes: Attributes;
  /** 1 when left out. */
  readonly format?: number;
}

export function defineLedgerEntity<
  InKey extends z.core.$ZodLooseShape,
  Attributes extends z.core.$ZodLooseShape,
  const PK extends string,
  const SK extends string,
>(options: LedgerEntityOptions<InKey, Attributes, PK, SK>): LedgerEntity<InKey & Attributes, PK, SK> {
  const { name, description, key, inKey, attributes, format = 1 } = options;
  const entity = defineEntity({ name, description, attributes: { ...inKey, ...attributes }, derive: [{ set: key }] });
  return { ...entity, key, inKey: Object.keys(inKey), format };
}

type Placeholders<Template extends string> = Template extends `${string}{${infer Hole}}${infer Rest}`
  ? (Hole extends `${infer Name}|${string}` ? Name : Hole) | Placeholders<Rest>
  : never;

/** What names one record of the entity. */
export type KeyOf<E extends LedgerEntity> = Pick<RecordOf<E>, Placeholders<E['key']['PK'] | E['key']['SK']> & keyof RecordOf<E>>;

/** What names some records of the entity: their partition, and as much of the sort key as is given, from its beginning. */
export type RangeOf<E extends LedgerEntity> = Pick<RecordOf<E>, Placeholders<E['key']['PK']> & keyof RecordOf<E>> &
  Partial<Pick<RecordOf<E>, Placeholders<E['key']['SK']> & keyof RecordOf<E>>>;
