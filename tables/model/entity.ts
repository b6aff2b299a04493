import { z } from 'zod';
import type { Condition } from './condition.ts';

/**
 * A rule that derives attributes: when its conditions hold and every placeholder has a value, it sets them all; otherwise
 * none of them (that is what keeps an index sparse).
 */
export interface DeriveRule {
  readonly when?: Condition;
  readonly set: Readonly<Record<string, string>>;
}

/** The record expires `seconds` after the time in `from`. */
export interface TtlRule {
  readonly from: string;
  readonly seconds: number;
}

/** `attribute` holds the `target` attribute of an entity that must exist; checked when fixtures are loaded. */
export interface Reference {
  readonly attribute: string;
  /** `table/ENTITY`, as in `oms_config/PRODUCT`. */
  readonly entity: string;
  readonly target: string;
  /** Attributes that both records have under the same name and that must agree as well. */
  readonly alike?: readonly string[];
}

export interface Entity<Shape extends z.core.$ZodLooseShape = z.core.$ZodLooseShape> {
  readonly name: string;
  readonly description: string;
  /** The plain attributes that a writer gives. */
  readonly schema: z.ZodObject<Shape, z.core.$strict>;
  /** Attributes with one fixed value, such as `entity_type`. */
  readonly constants: Readonly<Record<string, string>>;
  readonly derive: readonly DeriveRule[];
  readonly ttl?: TtlRule;
  readonly references: readonly Reference[];
}

export interface EntityOptions<Shape extends z.core.$ZodLooseShape> {
  readonly name: string;
  readonly description: string;
  readonly attributes: Shape;
  readonly constants?: Readonly<Record<string, string>>;
  readonly derive?: readonly DeriveRule[];
  readonly ttl?: TtlRule;
  readonly references?: readonly Reference[];
}

export function defineEntity<Shape extends z.core.$ZodLooseShape>(options: EntityOptions<Shape>): Entity<Shape> {
  const { attributes, constants = {}, derive = [], references = [], ...rest } = options;
  return { ...rest, schema: z.strictObject(attributes), constants, derive, references };
}

/** What a writer gives for a record of the entity: decimals as strings, whole numbers as they are. */
export type InputOf<E extends Entity> = z.input<E['schema']>;

/** What a reader gets for a record of the entity. */
export type RecordOf<E extends Entity> = z.output<E['schema']>;
