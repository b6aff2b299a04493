import { attributeOf } from './attribute-value.ts';
import { attributesOf } from './condition.ts';
import type { Entity } from './entity.ts';
import { templateOf } from './item.ts';
import { keySchemaProblems } from './prove-keys.ts';
import { keyAttributes, keyNames, type Table } from './table.ts';
import { placeholdersOf, templatesOverlap } from './template.ts';

/** What must hold for the entities of a table, whatever is asked of them. */
export function entitiesProblems(table: Table): readonly string[] {
  return [
    ...table.entities.flatMap((entity) => entityProblems(table, entity)),
    ...ambiguous(table),
    ...keySchemaProblems(table),
  ].map((text) => `${table.name}: ${text}`);
}

function entityProblems(table: Table, entity: Entity): readonly string[] {
  const known = new Set([...Object.keys(entity.schema.shape), ...Object.keys(entity.constants)]);
  const keyless = keyNames(table.key).filter((name) => !setsAttribute(entity, name));
  const sources = entity.derive.flatMap((rule) => [
    ...Object.values(rule.set).flatMap(placeholdersOf),
    ...(rule.when === undefined ? [] : attributesOf(rule.when)),
  ]);
  const unknown = [...new Set([...sources, ...(entity.ttl === undefined ? [] : [entity.ttl.from])])].filter(
    (name) => !known.has(name),
  );
  const keys = new Set(keyAttributes(table).map((attribute) => attribute.name));
  const given = Object.keys(entity.schema.shape).filter((name) => keys.has(name) && templateOf(entity, name) !== undefined);
  return [
    ...keyless.map((name) => `${entity.name} does not set the key attribute ${name}`),
    ...unknown.map((name) => `${entity.name} derives from ${name}, which is none of its attributes`),
    ...given.map((name) => `${entity.name} takes ${name} from the writer and also derives it`),
    ...entity.companions.flatMap((companion) => companionProblems(table, entity, companion.entity)),
    ...(entity.ttl !== undefined && table.ttl === undefined
      ? [`${entity.name} has a ttl rule, but the table has no ttl attribute`]
      : []),
  ];
}

/** A companion is made of its owner's attributes alone, so that it can be written wherever the owner is. */
function companionProblems(table: Table, owner: Entity, companion: Entity): readonly string[] {
  if (!table.entities.includes(companion)) return [`${owner.name} has the companion ${companion.name}, which is no entity here`];
  const foreign = Object.keys(companion.schema.shape).filter((name) => !Object.hasOwn(owner.schema.shape, name));
  return foreign.map((name) => `${companion.name} goes with ${owner.name}, which has no ${name}`);
}

/** Two entities must never share a primary key, or one would overwrite the other. */
function ambiguous(table: Table): readonly string[] {
  return table.entities.flatMap((a, at) =>
    table.entities.slice(at + 1).flatMap((b) => {
      const shared = keyNames(table.key).every((name) =>
        templatesFor(a, name).some((left) => templatesFor(b, name).some((right) => templatesOverlap(left, right))),
      );
      return shared ? [`${a.name} and ${b.name} may have the same primary key`] : [];
    }),
  );
}

export function setsAttribute(entity: Entity, name: string): boolean {
  return templatesFor(entity, name).length > 0;
}

/** The texts an attribute may take: derived by a rule, given by the writer, or constant. */
export function templatesFor(entity: Entity, name: string): readonly string[] {
  const derived = entity.derive.flatMap(({ set }) => attributeOf(set, name) ?? []);
  if (derived.length > 0) return derived;
  if (Object.hasOwn(entity.constants, name)) return [entity.constants[name] ?? ''];
  return Object.hasOwn(entity.schema.shape, name) ? [`{${name}}`] : [];
}
