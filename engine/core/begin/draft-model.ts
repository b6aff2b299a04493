import {
  brazilianTime,
  bytes,
  decimal,
  epochSeconds,
  flag,
  integer,
  isoDay,
  isoTime,
  type Kind,
  known,
  listOf,
  mapOf,
  note,
  plainData,
  text,
  valuesOf,
} from '../../../tables/model/attributes.ts';
import { defineEntity, type Entity } from '../../../tables/model/entity.ts';
import { beginsWith, is, type PatternOptions } from '../../../tables/model/pattern.ts';
import {
  type Billing,
  defineTable,
  type Index,
  type IndexOptions,
  provisioned,
  type Table,
} from '../../../tables/model/table.ts';
import { exampleOf } from './draft-patterns.ts';
import type { CapacityDraft, EntityDraft, KindDraft, MemberDraft, PatternDraft, SimpleKind, TableDraft } from './table-draft.ts';

const kinds: Readonly<Record<SimpleKind, () => Kind>> = {
  text,
  note,
  flag,
  decimal,
  integer,
  epochSeconds,
  isoTime,
  isoDay,
  brazilianTime,
  bytes,
  plainData,
};

/** The table that a draft stands for; what its text says, when it is run. */
export function modelOf(draft: TableDraft): Table {
  const entities = draft.entities.map(entityModel);
  const patterns = Object.fromEntries(draft.patterns.map((pattern) => [pattern.name, patternModel(pattern, entities)]));
  return defineTable({
    name: draft.name,
    system: draft.system,
    namespace: draft.namespace,
    description: draft.description,
    suffix: draft.suffix,
    ...draft.key,
    indexes: Object.fromEntries(draft.indexes.map(indexModel)),
    ...(draft.ttl === undefined ? {} : { ttl: draft.ttl }),
    ...(draft.capacity === undefined ? {} : { billing: { [draft.capacity.kind]: billingModel(draft.capacity) } }),
    entities,
    patterns,
  });
}

/** Auto scaling is not part of what a table says: what it has now is taken for the most as well. */
function billingModel({ read, write }: CapacityDraft): Billing {
  return provisioned(read, write, { read, write });
}

function indexModel({ name, hash, range, projection }: Index): [string, IndexOptions] {
  return [name, { hash, range, projection }];
}

export function entityModel(draft: EntityDraft): Entity {
  const { name, description, constants, derive, ttl } = draft;
  const shape = Object.fromEntries(Object.entries(draft.attributes).map(([attribute, one]) => [attribute, memberModel(one)]));
  const rules = derive.map(({ set }) => ({ set }));
  return defineEntity({ name, description, attributes: shape, constants, derive: rules, ...(ttl === undefined ? {} : { ttl }) });
}

function memberModel({ type, optional, nullable }: MemberDraft): Kind {
  const kind = kindModel(type);
  const wide = nullable ? kind.nullable() : kind;
  return optional ? wide.optional() : wide;
}

function kindModel(draft: KindDraft): Kind {
  if (draft.kind === 'known') return known(...draft.values);
  if (draft.kind === 'list') return listOf(kindModel(draft.element));
  if (draft.kind === 'record') return valuesOf(kindModel(draft.value));
  if (draft.kind !== 'map') return kinds[draft.kind]();
  return mapOf(Object.fromEntries(Object.entries(draft.members).map(([name, one]) => [name, memberModel(one)])));
}

function patternModel(draft: PatternDraft, entities: readonly Entity[]): PatternOptions {
  const { description, index, hash, prefix, hydrate } = draft;
  return {
    description,
    params: Object.fromEntries(Object.entries(draft.params).map(([name, kind]) => [name, kinds[kind]()])),
    ...(index === undefined ? {} : { index }),
    key: [
      ...hash.map(({ attribute, value }) => is(attribute, value)),
      ...(prefix === undefined ? [] : [beginsWith(prefix.attribute, prefix.value)]),
    ],
    ...(hydrate ? { hydrate } : {}),
    result: entities.filter(({ name }) => draft.result.includes(name)),
    example: exampleOf(draft),
  };
}
