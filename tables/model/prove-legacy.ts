import { attributesOf, type Condition } from './condition.ts';
import {
  isGet,
  isLegacyQuery,
  isOptionalParam,
  type KeyCondition,
  type LegacyQuery,
  type LegacyScan,
  openRange,
  type Pattern,
} from './pattern.ts';
import { viewSchema } from './schema-view.ts';
import { keyNames, type Table } from './table.ts';
import { placeholdersOf, separator } from './template.ts';

/**
 * What must hold for the old form of a pattern, so that it can be compared with the new one: it goes by what every record
 * always had, it can be asked for every value, and it says how the client sorted.
 */
export function legacyProblems(table: Table, pattern: Pattern): readonly string[] {
  const { legacy } = pattern;
  if (legacy === undefined) return [];
  if (isLegacyQuery(legacy)) return formerIndexProblems(table, pattern, legacy);
  const plain = new Set([
    ...keyNames(table.key),
    ...pattern.result.flatMap((entity) => [...Object.keys(entity.schema.shape), ...Object.keys(entity.constants)]),
  ]);
  const named = [...attributesOf(legacy.filter), ...(legacy.sort === undefined ? [] : [legacy.sort.by])];
  const foreign = [...new Set(named)].filter((name) => !plain.has(name));
  const recovered = new Set(equalityParams(legacy.filter));
  const asked = Object.keys(pattern.params).filter((name) => name !== pattern.limit);
  const lost = asked.filter((name) => !recovered.has(name));
  return [
    ...foreign.map((name) => `legacy names ${name}, which older records may not have; name plain attributes only`),
    ...lost.map((name) => `legacy does not compare parameter ${name} by equality, so its values cannot be listed`),
    ...sortProblems(table, pattern, legacy),
    ...scanBackfillProblems(pattern),
  ];
}

/** That the Query before is a legal one, the pattern's own proof says; here is what comparing the two needs beside it. */
function formerIndexProblems(table: Table, pattern: Pattern, legacy: LegacyQuery): readonly string[] {
  const asked = Object.keys(pattern.params).filter((name) => name !== pattern.limit && !isOptionalParam(pattern, name));
  const unlisted = (key: Pattern['key'], where: string) => {
    const told = new Set(key.flatMap(toldParams));
    return asked
      .filter((name) => !told.has(name))
      .map((name) => `${where} does not tell parameter ${name} by a record's key, so its values cannot be listed`);
  };
  return [
    ...(legacy.index === pattern.index ? [`legacy names the index ${legacy.index}, which the pattern itself is read by`] : []),
    ...unlisted(pattern.key, 'the pattern'),
    ...unlisted(legacy.key, 'legacy'),
    ...[pattern, legacy].flatMap((side) => partialProblems(table, side)),
    ...bytesProblems(pattern),
    ...madeUpProblems(table, pattern, legacy),
  ];
}

/** Parameters that a record's key tells: those of equalities, and of beginnings that a fixed text ends. */
function toldParams(condition: KeyCondition): readonly string[] {
  const told = condition.op === 'equals' || (condition.op === 'beginsWith' && condition.value.endsWith(separator));
  return told ? placeholdersOf(condition.value) : [];
}

function partialProblems(table: Table, side: Pick<Pattern, 'index' | 'hydrate'>): readonly string[] {
  const index = table.indexes.find(({ name }) => name === side.index);
  if (index === undefined || index.projection === 'ALL' || side.hydrate === true) return [];
  return [`index ${index.name} holds a part of the records only, so answers cannot be compared; hydrate, or project ALL`];
}

function bytesProblems({ params }: Pattern): readonly string[] {
  return Object.entries(params)
    .filter(([, schema]) => viewSchema(schema).kind === 'bytes')
    .map(([name]) => `parameter ${name} is of bytes, which a pattern with a legacy form cannot have`);
}

/** A made-up key has to be filled in before its index can be read; natural attributes are there. */
function madeUpProblems(table: Table, { index, result }: Pattern, { backfill }: LegacyQuery): readonly string[] {
  if (backfill !== undefined) return [];
  const names = keyNames(table.indexes.find(({ name }) => name === index) ?? table.key);
  const own = new Set(keyNames(table.key));
  const made = names.filter(
    (name) => !own.has(name) && result.some(({ derive }) => derive.some(({ set }) => Object.hasOwn(set, name))),
  );
  return made.length === 0 ? [] : [`legacy names no backfill for ${made.join(', ')} of index ${index}`];
}

function equalityParams(condition: Condition): readonly string[] {
  if (condition.op === 'all') return condition.conditions.flatMap(equalityParams);
  return condition.op === 'equals' && typeof condition.value === 'string' ? placeholdersOf(condition.value) : [];
}

/** A query with an open range key answers in its order; the old answer needs the same one. */
function sortProblems(table: Table, pattern: Pattern, legacy: LegacyScan): readonly string[] {
  const schema = table.indexes.find((index) => index.name === pattern.index) ?? table.key;
  const open = openRange(schema, pattern);
  const sorted = open !== undefined && !isGet(pattern, table.key.range?.name);
  return sorted && legacy.sort === undefined ? [`legacy has no sort, but the query answers by ${open}`] : [];
}

function scanBackfillProblems({ index, legacy }: Pattern): readonly string[] {
  if (index !== undefined && legacy?.backfill === undefined) return [`legacy names no backfill for index ${index}`];
  if (index === undefined && legacy?.backfill !== undefined) return ['legacy names a backfill, but no index is read'];
  return [];
}
