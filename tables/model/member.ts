import type * as z from 'zod';
import { type AttributeValue, attributeOf } from './attribute-value.ts';
import type { Entity } from './entity.ts';
import { describeIssue } from './item.ts';
import { marshal } from './marshal.ts';

/** The stored form of a value, undefined where an optional one is left out; or all that is wrong with it, with the name. */
export type StoredMember = { readonly value: AttributeValue | undefined } | { readonly problems: readonly string[] };

/** One attribute of an entity by itself: as a writer may give it, or as it may be stored. Undefined when the entity has no such. */
export function storeMember(
  entity: Entity,
  name: string,
  value: unknown,
  form: 'schema' | 'stored' = 'schema',
): StoredMember | undefined {
  const member = attributeOf(entity[form].shape as Readonly<Record<string, z.ZodType>>, name);
  const parsed = member?.safeParse(value);
  if (member === undefined || parsed === undefined) return undefined;
  if (parsed.success) return { value: parsed.data === undefined ? undefined : marshal(member, parsed.data) };
  return { problems: parsed.error.issues.map((issue) => describeIssue({ ...issue, path: [name, ...issue.path] })) };
}
