import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import { absent } from '../../../tables/model/condition.ts';
import type { Table } from '../../../tables/model/table.ts';
import { knownNames } from '../item/known-names.ts';
import type { Seen } from '../store/expression.ts';
import type { TransactEntry } from '../store/store.ts';
import { checkEntry, deleteEntry, putEntry, updateEntry } from '../store/transact-entry.ts';
import { maxStatementLength } from '../write/batch-limits.ts';
import type { Guard, Insert, Update } from './decide-item.ts';

/** A PartiQL statement with its parameters. */
export interface PartiqlStatement {
  readonly Statement: string;
  readonly Parameters: AttributeValue[];
}

/** A name that a quoted PartiQL identifier may not carry everywhere: it could be taken for a document path. */
const pathLike = /[."[\]]/;

const quoted = (name: string): string => `"${name}"`;

function whereClause(key: Item, guard: Guard, parameters: AttributeValue[]): string {
  const parts = Object.entries(key).map(([name, value]) => {
    parameters.push(value);
    return `${quoted(name)}=?`;
  });
  for (const [name, value] of Object.entries(guard)) {
    if (value === undefined) parts.push(`${quoted(name)} IS MISSING`);
    else {
      parameters.push(value);
      parts.push(`${quoted(name)}=?`);
    }
  }
  return parts.join(' AND ');
}

/** Can it be said in PartiQL? Odd names, NULL comparisons and very long statements go as an update expression instead. */
function isPlain(names: readonly string[], guard: Guard, statement: string): boolean {
  if (statement.length > maxStatementLength || names.some((name) => pathLike.test(name))) return false;
  return Object.values(guard).every((value) => value === undefined || !('NULL' in value));
}

/**
 * The update as PartiQL, which never creates an item; undefined where it has to go as an expression. Every attribute has a
 * SET or REMOVE of its own: the grammar of the Developer Guide ("PartiQL update statements for DynamoDB"). Amazon's parser
 * takes commas after SET too, but not after REMOVE.
 */
export function updateStatement(
  tableName: string,
  { key, set, remove, guard }: Omit<Update, 'kind' | 'before'>,
): PartiqlStatement | undefined {
  const parameters: AttributeValue[] = Object.values(set);
  const statement = [
    `UPDATE ${quoted(tableName)}`,
    ...Object.keys(set).map((name) => `SET ${quoted(name)}=?`),
    ...remove.map((name) => `REMOVE ${quoted(name)}`),
    `WHERE ${whereClause(key, guard, parameters)}`,
  ].join(' ');
  const names = [...Object.keys(set), ...remove, ...Object.keys(key), ...Object.keys(guard)];
  return isPlain(names, guard, statement) ? { Statement: statement, Parameters: parameters } : undefined;
}

/** The same update for TransactWriteItems, which takes any attribute name. */
export function changeEntry(tableName: string, { key, set, remove, guard }: Omit<Update, 'kind' | 'before'>): TransactEntry {
  return updateEntry(tableName, key, { set, remove }, unchanged(key, guard));
}

/** The new item, if its key is free and its source is still as it was. */
export function insertEntries(tableName: string, { item, key, source, guard }: Insert): TransactEntry[] {
  const [hash = ''] = Object.keys(key);
  return [putEntry(tableName, item, absent(hash)), checkEntry(tableName, source, unchanged(source, guard))];
}

/** DynamoDB Developer Guide, "Quotas: expression parameters": 300 operators and functions, with room for the item's own. */
const maxAbsent = 150;

/**
 * Takes an item away if it is still what it was when it was put there. No condition can say that there is nothing else in it, so
 * that is looked at before; meanwhile, no attribute that the table's entities know of may have come.
 */
export function takeBackEntry(table: Table, tableName: string, key: Item, item: Item): TransactEntry {
  const rest = Object.entries(item).filter(([name]) => !Object.hasOwn(key, name));
  const absent = [...knownNames(table)].filter((name) => !Object.hasOwn(item, name));
  const guard = [...rest, ...absent.slice(0, maxAbsent).map((name) => [name, undefined] as const)];
  return deleteEntry(tableName, key, unchanged(key, Object.fromEntries(guard)));
}

function unchanged(key: Item, guard: Guard): Seen {
  const [exists] = Object.keys(key);
  return { exists, seen: guard };
}
