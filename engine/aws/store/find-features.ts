import { randomUUID } from 'node:crypto';
import {
  BatchExecuteStatementCommand,
  DescribeContinuousBackupsCommand,
  type DynamoDBClient,
  ListBackupsCommand,
  ListTagsOfResourceCommand,
  TransactWriteItemsCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { maxTransactionWrites } from '../../../tables/model/operation.ts';
import { tableArn } from '../../../tables/model/stack/aws-place.ts';
import type { Feature, Lacks } from '../../core/store/features.ts';
import { takesNaturalKeys } from './natural-keys.ts';
import { isAnswer, isUnknownOperation, storeError } from './store-error.ts';

export interface Probed {
  /** The physical name of the ledger; further names are made from it. */
  readonly table: string;
  /** Ask whether indexes can have keys of several attributes: only a table tells, so one is made and removed again. */
  readonly naturalKeys?: boolean;
}

/**
 * What a compatible server lacks, by asking: one that knows a call refuses it for its contents, another does not know it at
 * all. Nothing is read or written, but for the one
 * table that tells of its keys, where that is asked. Whether tables can be encrypted only tables tell.
 */
export async function findLacks(client: DynamoDBClient, { table, naturalKeys }: Probed, signal?: AbortSignal): Promise<Lacks> {
  const options = signal === undefined ? {} : { abortSignal: signal };
  const questions: readonly (readonly [Feature, () => Promise<unknown>])[] = [
    ['point-in-time recovery', () => client.send(new DescribeContinuousBackupsCommand({ TableName: table }), options)],
    ['tags', () => client.send(new ListTagsOfResourceCommand({ ResourceArn: arnOf(table) }), options)],
    ['backups', () => client.send(new ListBackupsCommand({ TableName: table, Limit: 1 }), options)],
    // Not DescribeTimeToLive, which servers know that cannot switch it on.
    ['TTL', () => client.send(new UpdateTimeToLiveCommand({ TableName: nowhere(table), ...anyTtl }), options)],
    ['PartiQL', () => client.send(new BatchExecuteStatementCommand({ Statements: [] }), options)],
    ['transactions', () => client.send(new TransactWriteItemsCommand({ TransactItems: [] }), options)],
  ];
  const lacks = new Set<Feature>();
  for (const [feature, ask] of questions) {
    try {
      await ask();
    } catch (error) {
      if (isUnknownOperation(error)) lacks.add(feature);
      else if (!isAnswer(error)) throw storeError(undefined, error);
    }
  }
  if (!lacks.has('transactions') && !(await takesLongTransactions(client, table, options))) lacks.add('transactions');
  // A name of its own each time: another process may be asking the same, and one that was killed left its table behind.
  if (naturalKeys === true && !(await takesNaturalKeys(client, `${table}-natural-keys-${randomUUID()}`, options))) {
    lacks.add('index keys of several attributes');
  }
  return lacks;
}

/** A table that is not there: a call that is known is refused for it, and changes nothing. */
const nowhere = (table: string): string => `${table}-nowhere`;

const anyTtl = { TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' } };

/** Older servers take 25 actions in a transaction, and refuse more of them for another reason than fewer. */
async function takesLongTransactions(client: DynamoDBClient, table: string, options: object): Promise<boolean> {
  const answerTo = (actions: number): Promise<string> => {
    const TransactItems = Array.from({ length: actions }, (_, at) => ({
      Delete: { TableName: nowhere(table), Key: { id: { S: String(at) } } },
    }));
    return client.send(new TransactWriteItemsCommand({ TransactItems }), options).then(
      () => 'taken',
      (error: Error) => error.name,
    );
  };
  return (await answerTo(1)) === (await answerTo(maxTransactionWrites));
}

/** Any ARN will do: the call is known or not before it is looked at. */
const arnOf = (table: string): string => tableArn({ partition: 'aws', region: 'us-east-1', account: '000000000000' }, table);
