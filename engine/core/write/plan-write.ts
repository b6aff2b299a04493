import type { AttributeValue } from '../../../tables/model/attribute-value.ts';
import type { Transaction, Write } from '../../../tables/model/operation.ts';
import { physicalName } from '../../../tables/stack-config.ts';
import type { ReadNames } from '../read/plan-read.ts';
import { ExpressionBuilder } from '../store/expression.ts';
import type { TransactEntry, TransactRequest } from '../store/store.ts';

/** The TransactWriteItems request of a transaction. */
export function planTransaction(transaction: Transaction, names: ReadNames): TransactRequest {
  return { TransactItems: transaction.writes.map((write) => planWrite(write, names)) };
}

function planWrite(write: Write, names: ReadNames): TransactEntry {
  const expressions = new ExpressionBuilder();
  const TableName = physicalName(write.table, names);
  const update = write.kind === 'update' ? updateExpression(write, expressions) : '';
  const guard = write.condition === undefined ? {} : { ConditionExpression: expressions.condition(write.condition) };
  const rest = { TableName, ...guard, ...expressions.attributes() };
  switch (write.kind) {
    case 'put':
      return { Put: { ...rest, Item: write.item } };
    case 'delete':
      return { Delete: { ...rest, Key: write.key } };
    case 'update':
      return { Update: { ...rest, Key: write.key, UpdateExpression: update } };
  }
}

function updateExpression(write: Extract<Write, { readonly kind: 'update' }>, expressions: ExpressionBuilder): string {
  const assign = ([name, value]: readonly [string, AttributeValue]) => `${expressions.name(name)} = ${expressions.value(value)}`;
  const increase = ([name, amount]: readonly [string, string]) => `${expressions.name(name)} ${expressions.value({ N: amount })}`;
  const clauses = [
    ['SET', Object.entries(write.set ?? {}).map(assign)],
    ['ADD', Object.entries(write.add ?? {}).map(increase)],
    ['REMOVE', (write.remove ?? []).map((name) => expressions.name(name))],
  ] as const;
  return clauses
    .filter(([, parts]) => parts.length > 0)
    .map(([word, parts]) => `${word} ${parts.join(', ')}`)
    .join(' ');
}
