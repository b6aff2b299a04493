import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import { absent, any, atMost, type Condition, less, type Operand } from '../../../tables/model/condition.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { writeUnits } from '../../core/capacity/write-units.ts';
import { itemBytes } from '../../core/item/item-size.ts';
import { ExpressionBuilder, type Seen } from '../../core/store/expression.ts';
import type { BatchOutcome, BatchStore } from '../../core/write/batch-outcome.ts';
import { bodyOf, type WriteRequest, type WriteTable } from '../../core/write/write-request.ts';
import { classifyError, type ErrorClass } from '../store/store-error.ts';

/** When a stored item gives way: never, or when its attribute is less than the new item's. */
export type WriteCondition =
  | { readonly kind: 'skip-existing' }
  | { readonly kind: 'if-newer'; readonly attribute: string; readonly beforeOf: (request: WriteRequest) => Item | undefined }
  /** For deletes: the item is as it was seen. What was really deleted is told before the delete counts as answered. */
  | {
      readonly kind: 'as-seen';
      readonly seenOf: (request: WriteRequest) => Seen['seen'];
      readonly onDeleted: (request: WriteRequest, deleted: Item) => Promise<void>;
    };

/**
 * The writer's store for tables in use: every request of a batch goes alone, under its condition. One that the condition
 * stops is dealt with and counted as skipped; BatchWriteItem knows no conditions.
 */
export function conditionalWriteStore(
  client: DynamoDBClient,
  condition: WriteCondition,
  onSkipped: (request: WriteRequest) => void,
): BatchStore {
  return {
    async send(table, requests) {
      const outcomes = await Promise.all(requests.map((request) => sendOne(client, table, request, condition)));
      for (const [at, outcome] of outcomes.entries()) {
        const request = requests[at];
        if ('skipped' in outcome && request !== undefined) onSkipped(request);
      }
      return together(outcomes);
    },
  };
}

type One = { readonly units: number; readonly skipped?: true; readonly deleted?: Item } | ErrorClass;

async function sendOne(
  client: DynamoDBClient,
  table: WriteTable,
  request: WriteRequest,
  condition: WriteCondition,
): Promise<One> {
  const guard = guardOf(table, request, condition);
  if (guard === undefined) return { units: 0, skipped: true };
  const sent = await sendGuarded(client, table, request, guard, condition.kind === 'as-seen');
  if (condition.kind !== 'as-seen' || 'kind' in sent || sent.deleted === undefined) return sent;
  try {
    await condition.onDeleted(request, sent.deleted);
    return sent;
  } catch (error) {
    if (error instanceof TablewrightError) return { kind: 'fatal', error };
    throw error;
  }
}

async function sendGuarded(
  client: DynamoDBClient,
  table: WriteTable,
  request: WriteRequest,
  guard: Guard,
  wantsOld: boolean,
): Promise<One> {
  try {
    const common = { TableName: table.name, ReturnConsumedCapacity: 'TOTAL' as const, ...guard };
    const old = wantsOld ? { ReturnValues: 'ALL_OLD' as const } : {};
    const answer =
      'put' in request
        ? await client.send(new PutItemCommand({ ...common, Item: request.put }))
        : await client.send(new DeleteItemCommand({ ...common, ...old, Key: request.delete }));
    const units = answer.ConsumedCapacity?.CapacityUnits ?? 0;
    return wantsOld ? { units, deleted: (answer.Attributes ?? {}) as Item } : { units };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) return classifyError(error, table.name);
    // It costs by the size of the item that is there, and the answer does not say how much: about as much as the new one.
    return { units: writeUnits(itemBytes(bodyOf(request))), skipped: true };
  }
}

type Guard = Pick<PutItemCommandInput, 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>;

function guardOf(table: WriteTable, request: WriteRequest, condition: WriteCondition): Guard | undefined {
  const expressions = new ExpressionBuilder();
  if (condition.kind === 'as-seen') {
    const ConditionExpression = expressions.asSeen({ seen: condition.seenOf(request), exists: table.key.hash.name });
    return { ConditionExpression, ...expressions.attributes() };
  }
  const rule = ruleOf(table, request, condition);
  if (rule === undefined) return undefined;
  const ConditionExpression = expressions.condition(rule);
  return { ConditionExpression, ...expressions.attributes() };
}

/** Undefined when the request must not go at all: what is there stays. */
function ruleOf(
  table: WriteTable,
  request: WriteRequest,
  condition: Exclude<WriteCondition, { readonly kind: 'as-seen' }>,
): Condition | undefined {
  const isNew = absent(table.key.hash.name);
  if (condition.kind === 'skip-existing') return 'put' in request ? isNew : undefined;
  const { attribute } = condition;
  if ('put' in request) {
    const value = comparable(request.put[attribute]);
    return value === undefined ? isNew : any(isNew, absent(attribute), less(attribute, value));
  }
  // Deleted in the source: only a copy that is no newer than what was deleted there goes.
  const value = comparable(condition.beforeOf(request)?.[attribute]);
  return value === undefined ? undefined : any(absent(attribute), atMost(attribute, value));
}

function comparable(value: AttributeValue | undefined): Operand | undefined {
  if (value === undefined) return undefined;
  if ('S' in value) return value.S;
  return 'N' in value ? value : undefined;
}

function together(outcomes: readonly One[]): BatchOutcome {
  const failures = outcomes.filter((outcome): outcome is ErrorClass => 'kind' in outcome);
  const fatal = failures.find((failure) => failure.kind === 'fatal' || failure.kind === 'invalid');
  // The writer halves an invalid batch until the bad one stands alone; writing the good ones twice changes nothing.
  if (fatal !== undefined) return fatal;
  const first = failures[0];
  if (first !== undefined && failures.length === outcomes.length) return first;
  const consumed = outcomes.reduce((sum, one) => sum + ('units' in one ? one.units : 0), 0);
  const unprocessed = outcomes.flatMap((one, at) => ('kind' in one ? [at] : []));
  return { kind: 'answered', unprocessed, consumed };
}
