import { keyTypesOf } from './key-types.ts';
import {
  type Index,
  type KeyAttribute,
  keyAttributes,
  keyNames,
  keyParts,
  maxIndexes,
  maxKeyParts,
  type Table,
} from './table.ts';

/** What of a table its keys are judged by. */
type Keyed = Pick<Table, 'key' | 'indexes' | 'entities' | 'ttl'>;

/** What must hold for the keys of a table and its indexes, so that DynamoDB makes them and takes what the entities write. */
export function keySchemaProblems(table: Keyed): readonly string[] {
  return [
    ...duplicateIndexes(table),
    ...(table.indexes.length > maxIndexes
      ? [`the table has ${table.indexes.length} indexes, DynamoDB takes at most ${maxIndexes}`]
      : []),
    ...repeatedIn(keyNames(table.key)).map((name) => `the table names ${name} more than once in its key`),
    ...table.indexes.flatMap(partProblems),
    ...keyAttributes(table).flatMap((attribute) => typeProblems(table, attribute)),
    ...disagreements(table),
  ];
}

function duplicateIndexes(table: Keyed): readonly string[] {
  return repeatedIn(table.indexes.map(({ name }) => name)).map((name) => `index ${name} is declared twice`);
}

const repeatedIn = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name, at) => names.indexOf(name) !== at)),
];

function partProblems(index: Index): readonly string[] {
  const tooMany = (part: 'hash' | 'range') =>
    index[part].length > maxKeyParts
      ? [`index ${index.name} has ${index[part].length} ${part} attributes, DynamoDB takes at most ${maxKeyParts}`]
      : [];
  return [
    ...(index.hash.length === 0 ? [`index ${index.name} has no hash attribute`] : []),
    ...tooMany('hash'),
    ...tooMany('range'),
    ...repeatedIn(keyNames(index)).map((name) => `index ${index.name} names ${name} more than once in its key`),
  ];
}

/**
 * A key of another type than its entities write is taken when the table is made, and from then on DynamoDB refuses every write
 * of those records.
 */
function typeProblems(table: Keyed, { name, type }: KeyAttribute): readonly string[] {
  return keyTypesOf(table.entities, name, table.ttl).flatMap((stated) => {
    if (stated.type === type) return [];
    // A derived attribute is stored as the key says; a number can be spelt as a text, and a text of digits as a number.
    if (stated.derived && stated.type !== undefined && type !== 'B') return [];
    const written =
      stated.type === undefined ? `a ${stated.kind}, which cannot be a key` : `type ${stated.type} (${stated.kind})`;
    return [`the key ${name} has type ${type}, but ${stated.entity} writes ${written}`];
  });
}

/** One name is one attribute definition: DynamoDB knows one type for it. */
function disagreements(table: Keyed): readonly string[] {
  const types = new Map<string, Set<string>>();
  for (const { hash, range } of [table.key, ...table.indexes].map(keyParts)) {
    for (const { name, type } of [...hash, ...range]) types.set(name, (types.get(name) ?? new Set()).add(type));
  }
  return [...types]
    .filter(([, found]) => found.size > 1)
    .map(([name, found]) => `the key ${name} is declared with the types ${[...found].join(' and ')}`);
}
