import { attributeOf, type Item } from '../../../tables/model/attribute-value.ts';
import { sameValue } from '../../../tables/model/canonical.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import { deriveAttributes, entityOf } from '../../../tables/model/item.ts';
import { keyNames, type Table } from '../../../tables/model/table.ts';
import { toJsonItem } from '../../core/item/dynamo-json.ts';
import { type AttributeRole, attributeRole, rulesFor } from '../../core/show/attribute-role.ts';
import { showSpan } from '../../core/show/show-value.ts';
import type { ExplainedAttribute } from '../wire-types.ts';
import { showCondition } from './show-condition.ts';

/** What each attribute of an item is for, and the rule that made it where there is one: keys first, then what writers give. */
export function explainItem(table: Table, item: Item): { readonly attributes: readonly ExplainedAttribute[] } {
  const entity = entityOf(table, item);
  const derived = entity === undefined ? {} : deriveAttributes(table, entity, item).set;
  const missing = Object.keys(derived).filter((name) => !Object.hasOwn(item, name));
  const names = [...Object.keys(item), ...missing].toSorted(byName);
  const attributes = names.map((name): ExplainedAttribute => {
    const role = attributeRole(table, entity, name);
    const due = attributeOf(derived, name);
    const present = attributeOf(item, name);
    const rule = entity === undefined ? undefined : ruleText(table, entity, name);
    return {
      name,
      role,
      indexes: table.indexes.filter((index) => keyNames(index).includes(name)).map((index) => index.name),
      value: present === undefined ? null : (toJsonItem({ [name]: present })[name] ?? null),
      rule: rule ?? null,
      // What the rule gives now, where that is not what is stored.
      due: due === undefined || sameValue(present, due) ? null : (toJsonItem({ [name]: due })[name] ?? null),
    };
  });
  const place = placeOf(table, entity);
  return { attributes: attributes.toSorted((a, b) => order.indexOf(a.role) - order.indexOf(b.role) || place(a) - place(b)) };
}

/** A record's own order is chance: keys go as the table and its indexes have them, the rest as the entity has it, then by name. */
function placeOf(table: Table, entity: Entity | undefined): (attribute: ExplainedAttribute) => number {
  const keys = [table.key, ...table.indexes].flatMap(keyNames);
  const given = Object.keys(entity?.schema.shape ?? {});
  return ({ name, role }) => {
    const known = role === 'given' ? given : keys;
    return known.includes(name) ? known.indexOf(name) : known.length;
  };
}

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const order: readonly AttributeRole[] = ['key', 'given', 'constant', 'ttl', 'index key', 'derived', 'other'];

function ruleText(table: Table, entity: Entity, name: string): string | undefined {
  if (name === table.ttl && entity.ttl !== undefined) return `${entity.ttl.from} + ${showSpan(entity.ttl.seconds)}`;
  const rules = rulesFor(entity, name).map(({ set, when }) =>
    when === undefined ? (set[name] ?? '') : `${set[name]} when ${showCondition(when)}`,
  );
  return rules.length === 0 ? undefined : rules.join('; ');
}
