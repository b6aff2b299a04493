import {
  type BulkOperationDescription,
  CancelBulkOperationCommand,
  DescribeBulkOperationCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ListBulkOperationsCommand,
  ResourceNotFoundException,
  StartBulkPutItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { BulkOperation, BulkStore } from '../../core/transfer/bulk-store.ts';
import { explainNative } from './explain-native.ts';

/** How far the clocks of this machine and of AWS may lie apart. */
const clockSkewMs = 15 * 60_000;

export function bulkStore(client: DynamoDBClient): BulkStore {
  const abort = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { abortSignal: signal });
  const describe = async (arn: string, signal?: AbortSignal): Promise<BulkOperation | undefined> => {
    try {
      const { BulkOperationDescription: found } = await client.send(
        new DescribeBulkOperationCommand({ BulkOperationArn: arn }),
        abort(signal),
      );
      return found === undefined ? undefined : operationOf(arn, found);
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  };
  return {
    tableState: (tableName, signal) =>
      explainNative(tableName, async () => {
        try {
          const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }), abort(signal));
          return {
            status: Table?.TableStatus ?? 'UNKNOWN',
            replicas: (Table?.Replicas ?? []).map(({ RegionName = '?' }) => RegionName),
            unsettledIndexes: (Table?.GlobalSecondaryIndexes ?? []).flatMap(({ IndexName = '?', IndexStatus }) =>
              IndexStatus === 'CREATING' || IndexStatus === 'DELETING' ? [IndexName] : [],
            ),
          };
        } catch (error) {
          if (error instanceof ResourceNotFoundException) return undefined;
          throw error;
        }
      }),
    start: ({ tableName, bucket, inputPrefix, outputPrefix, maxWriteUnits, clientToken }, signal) =>
      explainNative(tableName, async () => {
        const answer = await client.send(
          new StartBulkPutItemsCommand({
            TableName: tableName,
            ClientToken: clientToken,
            MaxWriteRequestUnits: maxWriteUnits,
            InputS3Configuration: {
              S3Bucket: bucket,
              S3KeyPrefix: inputPrefix,
              InputFormat: 'DYNAMODB_JSON',
              InputCompressionType: 'GZIP',
            },
            OutputS3Configuration: {
              S3Bucket: bucket,
              S3KeyPrefix: outputPrefix,
              OutputType: ['ERROR', 'CONDITION_CHECK_FAILURE'],
            },
          }),
          abort(signal),
        );
        return answer.BulkOperationDescription?.BulkOperationArn ?? '';
      }),
    describe: (arn, signal) => explainNative(arn, () => describe(arn, signal)),
    startedSince: (time, signal) =>
      explainNative('bulk operations', async () => {
        const from = Date.parse(time) - clockSkewMs;
        const found: BulkOperation[] = [];
        let token: string | undefined;
        do {
          const request = token === undefined ? {} : { NextToken: token };
          const page = await client.send(new ListBulkOperationsCommand(request), abort(signal));
          for (const { BulkOperationArn: arn = '', StartTime } of page.BulkOperationsSummaryList ?? []) {
            if (StartTime !== undefined && StartTime.getTime() < from) continue;
            const one = await describe(arn, signal).catch(passOverDenied);
            if (one !== undefined) found.push(one);
          }
          token = page.NextToken;
        } while (token !== undefined);
        return found;
      }),
    cancel: (arn, signal) =>
      explainNative(arn, async () => {
        await client.send(new CancelBulkOperationCommand({ BulkOperationArn: arn }), abort(signal));
      }),
  };
}

/**
 * The list is of the whole account, and the caller's policy of one stack: what may not be looked at is another's. An operation of
 * our own that were passed over would be given again by its token.
 */
function passOverDenied(error: unknown): undefined {
  if (error instanceof Error && error.name === 'AccessDeniedException') return undefined;
  throw error;
}

function operationOf(arn: string, found: BulkOperationDescription): BulkOperation {
  const bytes = (found.BulkOperationUsage ?? []).map(({ BulkPutBytes = 0 }) => BulkPutBytes);
  const { FailureCode: code, FailureMessage: message } = found;
  return {
    arn,
    status: found.BulkOperationStatus ?? 'IN_PROGRESS',
    clientToken: found.ClientToken,
    startedAt: found.StartTime?.toISOString(),
    processedItems: found.ProcessedItemCount ?? 0,
    failedItems: found.FailedItemCount ?? 0,
    processedBytes: found.ProcessedInputBytes ?? 0,
    totalBytes: found.TotalInputBytes,
    putBytes: bytes.length === 0 ? undefined : bytes.reduce((sum, one) => sum + one, 0),
    failure: code === undefined && message === undefined ? undefined : { code: code ?? 'Unknown', message: message ?? '' },
  };
}
