import {
  BatchExecuteStatementCommand,
  DescribeContinuousBackupsCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ListBackupsCommand,
  ListTagsOfResourceCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { tableArn } from '../../../tables/aws-place.ts';
import type { Feature, Lacks } from '../../core/store/features.ts';
import { isUnknownOperation, storeError } from './store-error.ts';

/**
 * What a compatible server lacks, by asking: one that knows a call refuses it for its contents, another does not know it at
 * all. Nothing is read or written. Whether tables can be encrypted only tables tell.
 */
export async function findLacks(client: DynamoDBClient, table: string, signal?: AbortSignal): Promise<Lacks> {
  const options = signal === undefined ? {} : { abortSignal: signal };
  const questions: readonly (readonly [Feature, () => Promise<unknown>])[] = [
    ['point-in-time recovery', () => client.send(new DescribeContinuousBackupsCommand({ TableName: table }), options)],
    ['tags', () => client.send(new ListTagsOfResourceCommand({ ResourceArn: arnOf(table) }), options)],
    ['backups', () => client.send(new ListBackupsCommand({ TableName: table, Limit: 1 }), options)],
    ['TTL', () => client.send(new DescribeTimeToLiveCommand({ TableName: table }), options)],
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
  return lacks;
}

/** Any ARN will do: the call is known or not before it is looked at. */
const arnOf = (table: string): string => tableArn({ partition: 'aws', region: 'us-east-1', account: '000000000000' }, table);

/** A refusal of the server, not a failure on the way. */
function isAnswer(error: unknown): boolean {
  const status = (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;
  return status >= 400 && status < 500;
}
