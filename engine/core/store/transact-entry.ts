import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Condition } from '../../../tables/model/condition.ts';
import { ExpressionBuilder, type Seen, type UpdateClauses } from './expression.ts';
import type { TransactEntry } from './store.ts';

/** When an entry may go. */
export type EntryGuard = Condition | Seen;

export function putEntry(TableName: string, item: Item, guard?: EntryGuard): TransactEntry {
  const expressions = new ExpressionBuilder();
  return { Put: { TableName, Item: item, ...guarded(expressions, guard), ...expressions.attributes() } };
}

export function updateEntry(TableName: string, key: Item, clauses: UpdateClauses, guard?: EntryGuard): TransactEntry {
  const expressions = new ExpressionBuilder();
  const UpdateExpression = expressions.update(clauses);
  const condition = guarded(expressions, guard);
  return { Update: { TableName, Key: key, UpdateExpression, ...condition, ...expressions.attributes() } };
}

export function deleteEntry(TableName: string, key: Item, guard?: EntryGuard): TransactEntry {
  const expressions = new ExpressionBuilder();
  return { Delete: { TableName, Key: key, ...guarded(expressions, guard), ...expressions.attributes() } };
}

/** Lets the transaction pass only while the condition holds. */
export function checkEntry(TableName: string, key: Item, guard: EntryGuard): TransactEntry {
  const expressions = new ExpressionBuilder();
  const ConditionExpression = conditionOf(expressions, guard);
  return { ConditionCheck: { TableName, Key: key, ConditionExpression, ...expressions.attributes() } };
}

function guarded(expressions: ExpressionBuilder, guard: EntryGuard | undefined): { readonly ConditionExpression?: string } {
  return guard === undefined ? {} : { ConditionExpression: conditionOf(expressions, guard) };
}

function conditionOf(expressions: ExpressionBuilder, guard: EntryGuard): string {
  return 'seen' in guard ? expressions.asSeen(guard) : expressions.condition(guard);
}

/** The physical name of the table that an entry is about. */
export function tableOfEntry(entry: TransactEntry): string {
  if ('Put' in entry) return entry.Put.TableName;
  if ('Update' in entry) return entry.Update.TableName;
  return 'Delete' in entry ? entry.Delete.TableName : entry.ConditionCheck.TableName;
}
