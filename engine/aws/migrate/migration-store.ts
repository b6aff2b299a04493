import {
  type BatchStatementResponse,
  ConditionalCheckFailedException,
  type ConsumedCapacity,
  DescribeContinuousBackupsCommand,
  type DynamoDBClient,
  ExecuteStatementCommand,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError, type ThrottlingReason } from '../../../tables/model/error.ts';
import type { CallFailure, DataStore, EntriesOutcome, StatementsOutcome, WriteAnswer } from '../../core/migrate/data-store.ts';
import type { PartiqlStatement } from '../../core/migrate/statement.ts';
import { dynamoStore } from '../store/dynamo-store.ts';
import { classifyError, isUnknownOperation, storeError } from '../store/store-error.ts';
import { wireOf } from '../wire/wire.ts';

/**
 * The store of backfills. The client has to be made with `maxAttempts: 1`; the runner repeats what has to be repeated. What a
 * table is like is asked for through `control`, which may repeat by itself.
 */
export function migrationStore(client: DynamoDBClient, control: DynamoDBClient = client): DataStore {
  const { getItem, query, scan, batchGet, describeTable } = dynamoStore(client, control);
  return {
    getItem,
    query,
    scan,
    batchGet,
    describeTable,
    execute: (tableName, statements) => execute(client, tableName, statements),
    writeTogether: async (tableName, entries) => {
      try {
        const request = { TransactItems: [...entries], ReturnConsumedCapacity: 'TOTAL' as const };
        const { ConsumedCapacity } = await wireOf(client).call('TransactWriteItems', request);
        return { kind: 'answered', answer: { kind: 'done' }, failedAt: -1, consumed: unitsOf(ConsumedCapacity) };
      } catch (error) {
        return error instanceof TransactionCanceledException ? cancelled(error) : repeatable(error, tableName);
      }
    },
    backups: async (tableName, signal) => {
      try {
        const options = signal === undefined ? {} : { abortSignal: signal };
        const answer = await control.send(new DescribeContinuousBackupsCommand({ TableName: tableName }), options);
        const status = answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
        return { pointInTimeRecovery: status === 'ENABLED' };
      } catch (error) {
        // A compatible server may not know the call at all; that is no answer about the table.
        if (isUnknownOperation(error)) return { pointInTimeRecovery: undefined };
        throw storeError(tableName, error);
      }
    },
  };
}

/** Undefined where the server does not say. */
/** Amazon's own engine on this machine names no table at all for a batch of statements; that is no saying that it was free. */
function unitsOf(consumed: readonly ConsumedCapacity[] = []): number | undefined {
  if (consumed.length === 0) return undefined;
  return consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}

async function execute(
  client: DynamoDBClient,
  tableName: string,
  statements: readonly PartiqlStatement[],
): Promise<StatementsOutcome> {
  const [only, ...others] = statements;
  if (only !== undefined && others.length === 0) return executeAlone(client, tableName, only);
  const Statements = statements.map((statement) => ({ ...statement, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }));
  try {
    const answer = await wireOf(client).call('BatchExecuteStatement', { Statements, ReturnConsumedCapacity: 'TOTAL' });
    const consumed = unitsOf(answer.ConsumedCapacity);
    return { kind: 'answered', answers: (answer.Responses ?? []).map(statementAnswer), consumed };
  } catch (error) {
    const found = classifyError(error, tableName);
    return found.kind === 'invalid' ? oneByOne(client, tableName, statements) : repeatable(error, tableName);
  }
}

/** What is refused alone is an exception, and only those say which table or index is short of capacity (ThrottlingReasons). */
async function executeAlone(client: DynamoDBClient, tableName: string, statement: PartiqlStatement): Promise<StatementsOutcome> {
  const onFailure = 'ALL_OLD' as const;
  try {
    const command = { ...statement, ReturnValuesOnConditionCheckFailure: onFailure, ReturnConsumedCapacity: 'TOTAL' as const };
    const { ConsumedCapacity: consumed } = await client.send(new ExecuteStatementCommand(command));
    return { kind: 'answered', answers: [{ kind: 'done' }], consumed: unitsOf(consumed === undefined ? [] : [consumed]) };
  } catch (error) {
    const answer = aloneAnswer(error, tableName);
    return answer === undefined ? repeatable(error, tableName) : { kind: 'answered', answers: [answer], consumed: undefined };
  }
}

/** Undefined when it is no answer about the statement. */
function aloneAnswer(error: unknown, tableName: string): WriteAnswer | undefined {
  if (error instanceof ConditionalCheckFailedException) return { kind: 'refused', item: error.Item as Item | undefined };
  if (error instanceof TransactionConflictException) return { kind: 'again', cause: 'server-error' };
  const found = classifyError(error, tableName);
  return found.kind === 'invalid' ? { kind: 'invalid', message: `${found.code}: ${found.message}` } : undefined;
}

/** One statement that DynamoDB cannot even read makes it refuse the whole batch; the others are none the worse for it. */
async function oneByOne(
  client: DynamoDBClient,
  tableName: string,
  statements: readonly PartiqlStatement[],
): Promise<StatementsOutcome> {
  const answers: WriteAnswer[] = [];
  let consumed: number | undefined = 0;
  for (const statement of statements) {
    const outcome = await execute(client, tableName, [statement]);
    if (outcome.kind === 'failed') answers.push(again(outcome.cause, outcome.reasons));
    else answers.push(...outcome.answers);
    const units = outcome.kind === 'answered' ? outcome.consumed : 0;
    consumed = consumed === undefined || units === undefined ? undefined : consumed + units;
  }
  return { kind: 'answered', answers, consumed };
}

function repeatable(error: unknown, tableName: string): CallFailure {
  const found = classifyError(error, tableName);
  if (found.kind === 'failed') return found.cause === 'throttled' ? { ...found, reasons: found.reasons ?? codeOf(error) } : found;
  if (found.kind === 'fatal') throw found.error;
  throw new TablewrightError('STORE_FAILED', `${tableName}: ${found.code}: ${found.message}`, {
    cause: error,
    next: 'DynamoDB does not take this request at all; nothing of it was written.',
  });
}

/** As of a part of a request: where no reasons are given there is the code. */
function codeOf(error: unknown): readonly ThrottlingReason[] {
  return error instanceof Error ? [{ reason: error.name, text: error.message }] : [];
}

/** DynamoDB API reference, BatchStatementError: the codes that another try may mend. */
const againCodes: Readonly<Record<string, Extract<WriteAnswer, { readonly kind: 'again' }>['cause']>> = {
  ProvisionedThroughputExceeded: 'throttled',
  RequestLimitExceeded: 'throttled',
  ThrottlingError: 'throttled',
  TransactionConflict: 'server-error',
  InternalServerError: 'server-error',
};

function statementAnswer({ Error: error }: BatchStatementResponse): WriteAnswer {
  if (error === undefined) return { kind: 'done' };
  const { Code: code = 'Unknown', Message: text = '' } = error;
  if (code === 'ConditionalCheckFailed') return { kind: 'refused', item: error.Item as Item | undefined };
  return partAnswer(code, text);
}

/** A part of a request has a code and a text; which index is meant only an exception's reasons say. */
function partAnswer(code: string, text: string): WriteAnswer {
  const cause = againCodes[code];
  if (cause === undefined) return { kind: 'invalid', message: `${code}: ${text}` };
  return again(cause, cause === 'throttled' ? [{ reason: code, text }] : undefined);
}

function again(cause: CallFailure['cause'], reasons: CallFailure['reasons']): WriteAnswer {
  return { kind: 'again', cause, ...(reasons === undefined ? {} : { reasons }) };
}

function cancelled(error: TransactionCanceledException): EntriesOutcome {
  const reasons = error.CancellationReasons ?? [];
  const failedAt = reasons.findIndex(({ Code }) => Code !== undefined && Code !== 'None');
  const { Code = 'Unknown', Message = '' } = reasons[failedAt] ?? {};
  if (Code === 'ConditionalCheckFailed')
    return { kind: 'answered', answer: { kind: 'refused', item: undefined }, failedAt, consumed: undefined };
  return { kind: 'answered', answer: partAnswer(Code, Message), failedAt, consumed: undefined };
}
