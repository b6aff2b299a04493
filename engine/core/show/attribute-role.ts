import type { DeriveRule, Entity } from '../../../tables/model/entity.ts';
import { keyNames, type Table } from '../../../tables/model/table.ts';

/** What an attribute of an item is for. */
export type AttributeRole = 'key' | 'given' | 'constant' | 'ttl' | 'index key' | 'derived' | 'other';

export function attributeRole(table: Table, entity: Entity | undefined, name: string): AttributeRole {
  if (keyNames(table.key).includes(name)) return 'key';
  if (name === table.ttl) return 'ttl';
  // What writers give stays theirs, also where an index stands on it as it is.
  if (entity !== undefined && Object.hasOwn(entity.schema.shape, name)) return 'given';
  if (table.indexes.some((index) => keyNames(index).includes(name))) return 'index key';
  if (entity === undefined) return 'other';
  if (Object.hasOwn(entity.constants, name)) return 'constant';
  return rulesFor(entity, name).length > 0 ? 'derived' : 'other';
}

/** The rules that make an attribute of an entity. */
export const rulesFor = (entity: Entity, name: string): readonly DeriveRule[] =>
  entity.derive.filter((rule) => Object.hasOwn(rule.set, name));
