import { type $ZodArray, $ZodNullable, $ZodObject, $ZodOptional, $ZodRecord, type $ZodType } from 'zod/v4/core';
import { type AttributeValue, attributeOf, type Item, setAttribute } from './attribute-value.ts';
import { storedAs } from './attributes.ts';
import { storePlain } from './plain-data.ts';

/**
 * Stored form of a parsed plain value, led by its schema. Numbers come from texts or whole numbers only, so their
 * digits are the author's own.
 */
export function marshal(schema: $ZodType, value: unknown): AttributeValue {
  const mark = markOf(schema);
  if (mark === 'JSON') return { S: JSON.stringify(value) };
  if (value === null) return { NULL: true };
  if (mark === 'N') return { N: String(value) };
  if (mark === 'B') return { B: value as Uint8Array };
  if (mark === 'PLAIN') return storePlain(value);
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (Array.isArray(value)) {
    const element = (unwrap(schema) as $ZodArray)._zod.def.element;
    return { L: value.map((entry) => marshal(element, entry)) };
  }
  return { M: marshalObject(schema, value as Readonly<Record<string, unknown>>) };
}

export function marshalObject(schema: $ZodType, values: Readonly<Record<string, unknown>>): Item {
  const inner = unwrap(schema);
  const item: Item = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    setAttribute(item, name, marshal(memberOf(inner, name), value));
  }
  return item;
}

function memberOf(schema: $ZodType, name: string): $ZodType {
  if (schema instanceof $ZodRecord) return schema._zod.def.valueType;
  if (schema instanceof $ZodObject) {
    const member = attributeOf(schema._zod.def.shape, name);
    if (member !== undefined) return member;
  }
  throw new TypeError(`no schema for attribute ${name}`);
}

type Mark = 'N' | 'B' | 'JSON' | 'PLAIN';
const marks = new WeakMap<$ZodType, { readonly mark: Mark | undefined }>();

/** Asked for every value that is stored, so kept. */
function markOf(schema: $ZodType): Mark | undefined {
  const known = marks.get(schema) ?? { mark: storedAs.get(schema)?.type ?? storedAs.get(unwrap(schema))?.type };
  marks.set(schema, known);
  return known.mark;
}

function unwrap(schema: $ZodType): $ZodType {
  if (schema instanceof $ZodOptional || schema instanceof $ZodNullable) {
    return unwrap(schema._zod.def.innerType);
  }
  return schema;
}
