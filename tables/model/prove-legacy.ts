import { attributesOf, type Condition } from './condition.ts';
import { isGet, openRange, type Pattern } from './pattern.ts';
import { keyNames, type Table } from './table.ts';
import { placeholdersOf } from './template.ts';

/**
 * What must hold for the old form of a pattern, so that it can be compared with the new one: it goes by what every record
 * always had, it can be asked for every value, and it says how the client sorted.
 */
export function legacyProblems(table: Table, pattern: Pattern): readonly string[] {
  const { legacy } = pattern;
  if (legacy === undefined) return [];
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
    ...sortProblems(table, pattern),
    ...backfillProblems(pattern),
  ];
}

function equalityParams(condition: Condition): readonly string[] {
  if (condition.op === 'all') return condition.conditions.flatMap(equalityParams);
  return condition.op === 'equals' && typeof condition.value === 'string' ? placeholdersOf(condition.value) : [];
}

/** A query with an open range key answers in its order; the old answer needs the same one. */
function sortProblems(table: Table, pattern: Pattern): readonly string[] {
  const schema = table.indexes.find((index) => index.name === pattern.index) ?? table.key;
  const open = openRange(schema, pattern);
  const sorted = open !== undefined && !isGet(pattern, table.key.range?.name);
  return sorted && pattern.legacy?.sort === undefined ? [`legacy has no sort, but the query answers by ${open}`] : [];
}

function backfillProblems({ index, legacy }: Pattern): readonly string[] {
  if (index !== undefined && legacy?.backfill === undefined) return [`legacy names no backfill for index ${index}`];
  if (index === undefined && legacy?.backfill !== undefined) return ['legacy names a backfill, but no index is read'];
  return [];
}
