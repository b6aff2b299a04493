import {
  type BatchStatementResponse,
  type ConsumedCapacity,
  DescribeContinuousBackupsCommand,
  type DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { CallFailure, DataStore, EntriesOutcome, StatementsOutcome, WriteAnswer } from '../../core/migrate/data-store.ts';
import type { PartiqlStatement } from '../../core/migrate/statement.ts';
import { dynamoStore } from '../store/dynamo-store.ts';
import { classifyError, isUnknownOperation, storeError } from '../store/store-error.ts';
import { type Wire, wireOf } from '../wire/wire.ts';

/**
 * The store of backfills. The client has to be made with `maxAttempts: 1`; the runner repeats what has to be repeated. What a
 * table is like is asked for through `control`, which may repeat by itself.
 */
export function migrationStore(client: DynamoDBClient, control: DynamoDBClient = client): DataStore {
  const { getItem, query, scan, batchGet, describeTable } = dynamoStore(client, control);
  const wire = wireOf(client);
  return {
    getItem,
    query,
    scan,
    batchGet,
    describeTable,
    execute: (tableName, statements) => execute(wire, tableName, statements),
    writeTogether: async (tableName, entries) => {
      try {
        const request = { TransactItems: [...entries], ReturnConsumedCapacity: 'TOTAL' as const };
        const { ConsumedCapacity } = await wire.call('TransactWriteItems', request);
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

async function execute(wire: Wire, tableName: string, statements: readonly PartiqlStatement[]): Promise<StatementsOutcome> {
  const Statements = statements.map((statement) => ({ ...statement, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }));
  try {
    const answer = await wire.call('BatchExecuteStatement', { Statements, ReturnConsumedCapacity: 'TOTAL' });
    const consumed = unitsOf(answer.ConsumedCapacity);
    return { kind: 'answered', answers: (answer.Responses ?? []).map(statementAnswer), consumed };
  } catch (error) {
    const found = classifyError(error, tableName);
    if (found.kind !== 'invalid') return repeatable(error, tableName);
    if (statements.length > 1) return oneByOne(wire, tableName, statements);
    return { kind: 'answered', answers: [{ kind: 'invalid', message: `${found.code}: ${found.message}` }], consumed: 0 };
  }
}

/** One statement that DynamoDB cannot even read makes it refuse the whole batch; the others are none the worse for it. */
async function oneByOne(wire: Wire, tableName: string, statements: readonly PartiqlStatement[]): Promise<StatementsOutcome> {
  const answers: WriteAnswer[] = [];
  let consumed: number | undefined = 0;
  for (const statement of statements) {
    const outcome = await execute(wire, tableName, [statement]);
    if (outcome.kind === 'failed') answers.push({ kind: 'again', cause: outcome.cause });
    else answers.push(...outcome.answers);
    const units = outcome.kind === 'answered' ? outcome.consumed : 0;
    consumed = consumed === undefined || units === undefined ? undefined : consumed + units;
  }
  return { kind: 'answered', answers, consumed };
}

function repeatable(error: unknown, tableName: string): CallFailure {
  const found = classifyError(error, tableName);
  if (found.kind === 'failed') return found;
  if (found.kind === 'fatal') throw found.error;
  throw new TablewrightError('STORE_FAILED', `${tableName}: ${found.code}: ${found.message}`, {
    cause: error,
    next: 'DynamoDB does not take this request at all; nothing of it was written.',
  });
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
  const code = error.Code ?? 'Unknown';
  if (code === 'ConditionalCheckFailed') return { kind: 'refused', item: error.Item as Item | undefined };
  const cause = againCodes[code];
  return cause === undefined ? { kind: 'invalid', message: `${code}: ${error.Message ?? ''}` } : { kind: 'again', cause };
}

function cancelled(error: TransactionCanceledException): EntriesOutcome {
  const reasons = error.CancellationReasons ?? [];
  const failedAt = reasons.findIndex(({ Code }) => Code !== undefined && Code !== 'None');
  const { Code = 'Unknown', Message = '' } = reasons[failedAt] ?? {};
  if (Code === 'ConditionalCheckFailed')
    return { kind: 'answered', answer: { kind: 'refused', item: undefined }, failedAt, consumed: undefined };
  const cause = againCodes[Code];
  const answer: WriteAnswer =
    cause === undefined ? { kind: 'invalid', message: `${Code}: ${Message}` } : { kind: 'again', cause };
  return { kind: 'answered', answer, failedAt, consumed: undefined };
}
