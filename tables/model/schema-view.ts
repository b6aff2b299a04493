import {
  $ZodArray,
  $ZodBoolean,
  $ZodDefault,
  $ZodEnum,
  $ZodNullable,
  $ZodObject,
  $ZodOptional,
  $ZodRecord,
  type $ZodType,
} from 'zod/v4/core';
import { isListed, storedAs, type TimeSpelling, timeSpelling } from './attributes.ts';

export type Schema = $ZodType;

/** What a schema asks for, for readers of loosely typed input who prepare it before it is checked. */
export interface SchemaView {
  readonly kind: 'text' | 'number' | 'flag' | 'choice' | 'list' | 'map' | 'bytes' | 'json' | 'plain';
  readonly choices: readonly string[];
  /** How it spells a time, if it is one. */
  readonly time: TimeSpelling | undefined;
  readonly element: Schema | undefined;
  /** It takes texts of a list only: its choices, or those of `known`. */
  readonly listed: boolean;
  /** A map with members of any name. */
  readonly open: boolean;
  readonly member: (name: string) => Schema | undefined;
}

const kindOfStored = { N: 'number', B: 'bytes', JSON: 'json', PLAIN: 'plain' } as const;

const views = new WeakMap<Schema, SchemaView>();

/** Asked for every value of every row that is read, so kept. */
export function viewSchema(given: Schema): SchemaView {
  const known = views.get(given) ?? viewAnew(given);
  views.set(given, known);
  return known;
}

function viewAnew(given: Schema): SchemaView {
  const schema = unwrap(given);
  const stored = storedAs.get(schema)?.type;
  return {
    kind: stored === undefined ? kindOf(schema) : kindOfStored[stored],
    choices: schema instanceof $ZodEnum ? Object.values(schema._zod.def.entries).map(String) : [],
    time: timeSpelling.get(schema)?.spelling,
    element: schema instanceof $ZodArray ? schema._zod.def.element : undefined,
    listed: schema instanceof $ZodEnum || isListed(schema),
    open: schema instanceof $ZodRecord,
    member: (name) => memberOf(schema, name),
  };
}

function kindOf(schema: Schema): SchemaView['kind'] {
  if (schema instanceof $ZodBoolean) return 'flag';
  if (schema instanceof $ZodEnum) return 'choice';
  if (schema instanceof $ZodArray) return 'list';
  return schema instanceof $ZodObject || schema instanceof $ZodRecord ? 'map' : 'text';
}

function memberOf(schema: Schema, name: string): Schema | undefined {
  if (schema instanceof $ZodRecord) return schema._zod.def.valueType;
  if (!(schema instanceof $ZodObject) || !Object.hasOwn(schema._zod.def.shape, name)) return undefined;
  return schema._zod.def.shape[name];
}

function unwrap(schema: Schema): Schema {
  const wraps = schema instanceof $ZodOptional || schema instanceof $ZodNullable || schema instanceof $ZodDefault;
  return wraps ? unwrap(schema._zod.def.innerType) : schema;
}
