import * as z from 'zod';
import type { Item } from './attribute-value.ts';
import { storedForm } from './attributes.ts';
import { checkDefinition, type KnownOptions, memberProblems, optional, optionProblems, required } from './check-options.ts';
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

/** `attribute` holds the `target` attribute of an entity that must exist; checked when a record is created. */
export interface Reference {
  readonly attribute: string;
  /** `table/ENTITY`, as in `oms_config/PRODUCT`. */
  readonly entity: string;
  readonly target: string;
  /** Attributes that both records have under the same name and that must agree as well. */
  readonly alike?: readonly string[];
  /** Where the entity's key has more in it than the reference tells: how it is known all the same that there is one. */
  readonly known?: {
    /** A record beside it whose key the reference does tell. */
    readonly by: string;
    /** Finds those which are older than that record. */
    readonly orBy: PatternByAttribute;
  };
}

/**
 * Another entity of the table whose record goes with this one: written, changed and removed in the same transaction. It has
 * attributes of its owner under the same names, and its owner's ttl.
 */
export interface Companion {
  readonly entity: Entity;
  /** Only owners that meet this have one. */
  readonly when?: Condition;
  /** Of one whose key must be free for a new owner: the pattern that finds owners which are older than their companion. */
  readonly orBy?: PatternByAttribute;
}

/** A pattern of one parameter, which is given the value of an attribute. */
export interface PatternByAttribute {
  readonly pattern: string;
  readonly attribute: string;
}

/** What must hold between attributes of one record when it is written. */
export interface RecordRule {
  /** The attribute that is named when it does not hold. */
  readonly attribute: string;
  readonly expected: string;
  readonly holds: (item: Item) => boolean;
}

/** Who writes an entity, where the writer for applications must not do it by itself. */
export interface Keeper {
  /** Operations, or the entity that it goes with. */
  readonly by: readonly [string, ...string[]];
  /** It may come and go in one transaction with the record of this entity that has the same values, such as an order's header. */
  readonly comesWith?: { readonly entity: string; readonly alike: readonly string[] };
}

export interface Entity<Shape extends z.core.$ZodLooseShape = z.core.$ZodLooseShape> {
  readonly name: string;
  readonly description: string;
  /** The plain attributes that a writer gives. */
  readonly schema: z.ZodObject<Shape, z.core.$strict>;
  /** What a reader goes by: takes all that the schema takes, and what was stored before its rules. */
  readonly stored: z.ZodObject<Shape, z.core.$strict>;
  /** Attributes with one fixed value, such as `entity_type`. */
  readonly constants: Readonly<Record<string, string>>;
  readonly derive: readonly DeriveRule[];
  readonly ttl?: TtlRule;
  readonly references: readonly Reference[];
  readonly companions: readonly Companion[];
  readonly rules: readonly RecordRule[];
  readonly keeper?: Keeper;
}

export interface EntityOptions<Shape extends z.core.$ZodLooseShape> {
  readonly name: string;
  readonly description: string;
  readonly attributes: Shape;
  readonly constants?: Readonly<Record<string, string>>;
  readonly derive?: readonly DeriveRule[];
  readonly ttl?: TtlRule;
  readonly references?: readonly Reference[];
  readonly companions?: readonly Companion[];
  readonly rules?: readonly RecordRule[];
  readonly keeper?: Keeper;
}

const entityOptions: KnownOptions<EntityOptions<z.core.$ZodLooseShape>> = {
  name: required('text'),
  description: required('text'),
  attributes: required('kinds'),
  constants: optional('texts'),
  derive: optional('list'),
  ttl: optional('object'),
  references: optional('list'),
  companions: optional('list'),
  rules: optional('list'),
  keeper: optional('object'),
};

const deriveOptions: KnownOptions<DeriveRule> = { when: optional('object'), set: required('texts') };

export function defineEntity<Shape extends z.core.$ZodLooseShape>(options: EntityOptions<Shape>): Entity<Shape> {
  checkDefinition(`entity ${options.name}`, [
    ...optionProblems<EntityOptions<z.core.$ZodLooseShape>>(options, entityOptions),
    ...memberProblems('derive', options.derive ?? [], deriveOptions),
  ]);
  const { attributes, constants = {}, derive = [], references = [], companions = [], rules = [], ...rest } = options;
  const schema = z.strictObject(attributes);
  const stored = z.strictObject(storedShape(attributes)) as unknown as typeof schema;
  return { ...rest, schema, stored, constants, derive, references, companions, rules };
}

function storedShape(shape: z.core.$ZodLooseShape): z.core.$ZodLooseShape {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, storedForm(schema as z.ZodType)]));
}

/** What a writer gives for a record of the entity: decimals as strings, whole numbers as they are. */
export type InputOf<E extends Entity> = z.input<E['schema']>;

/** What a reader gets for a record of the entity. */
export type RecordOf<E extends Entity> = z.output<E['schema']>;
