import {
  DescribeExportCommand,
  DescribeImportCommand,
  type DynamoDBClient,
  type ExportDescription,
  ExportTableToPointInTimeCommand,
  ImportTableCommand,
  ListExportsCommand,
} from '@aws-sdk/client-dynamodb';
import type { NativeExport, NativeStore } from '../../core/transfer/native-store.ts';
import type { CloudWatchLogsClient } from '../clients.ts';
import { explainNative } from './explain-native.ts';
import { readImportLog } from './import-log.ts';

type Jobs = Pick<NativeStore, 'startExport' | 'exportJob' | 'runningExports' | 'startImport' | 'importJob' | 'importErrors'>;

/** Exports and imports that DynamoDB carries out by itself. */
export function nativeJobs(client: DynamoDBClient, logs: () => Promise<CloudWatchLogsClient>): Jobs {
  const abort = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { abortSignal: signal });
  return {
    startExport: ({ tableArn, bucket, prefix, asOf, window, kmsKey, token }, signal) =>
      explainNative(tableArn, async () => {
        const incremental = window && {
          ExportType: 'INCREMENTAL_EXPORT' as const,
          IncrementalExportSpecification: {
            ExportFromTime: new Date(window.from),
            ExportToTime: new Date(window.to),
            ExportViewType: window.images === 'new' ? ('NEW_IMAGE' as const) : ('NEW_AND_OLD_IMAGES' as const),
          },
        };
        const request = {
          TableArn: tableArn,
          S3Bucket: bucket,
          // DynamoDB puts the slash itself.
          ...(prefix === '' ? {} : { S3Prefix: prefix.replace(/\/$/, '') }),
          ...(kmsKey === undefined ? {} : { S3SseAlgorithm: 'KMS' as const, S3SseKmsKeyId: kmsKey }),
          ...(asOf === undefined ? {} : { ExportTime: new Date(asOf) }),
          ExportFormat: 'DYNAMODB_JSON' as const,
          ClientToken: token,
          ...(incremental ?? { ExportType: 'FULL_EXPORT' as const }),
        };
        const answer = await client.send(new ExportTableToPointInTimeCommand(request), abort(signal));
        return answer.ExportDescription?.ExportArn ?? '';
      }),
    exportJob: (arn, signal) => explainNative(arn, () => describeExport(client, arn, signal)),
    runningExports: (tableArn, signal) =>
      explainNative(tableArn, async () => {
        const found: NativeExport[] = [];
        let token: string | undefined;
        do {
          const request = { TableArn: tableArn, ...(token === undefined ? {} : { NextToken: token }) };
          const page = await client.send(new ListExportsCommand(request), abort(signal));
          for (const { ExportArn = '', ExportStatus } of page.ExportSummaries ?? []) {
            const job = ExportStatus === 'IN_PROGRESS' ? await describeExport(client, ExportArn, signal) : undefined;
            if (job?.status === 'IN_PROGRESS') found.push(job);
          }
          token = page.NextToken;
        } while (token !== undefined);
        return found;
      }),
    startImport: ({ bucket, prefix, table, kmsKey, token }, signal) =>
      explainNative(table.TableName, async () => {
        const SSESpecification = { ...table.SSESpecification, ...(kmsKey === undefined ? {} : { KMSMasterKeyId: kmsKey }) };
        const request = {
          S3BucketSource: { S3Bucket: bucket, S3KeyPrefix: prefix },
          InputFormat: 'DYNAMODB_JSON' as const,
          InputCompressionType: 'GZIP' as const,
          TableCreationParameters: { ...table, SSESpecification },
          ClientToken: token,
        };
        const answer = await client.send(new ImportTableCommand(request), abort(signal));
        return answer.ImportTableDescription?.ImportArn ?? '';
      }),
    importJob: (arn, signal) =>
      explainNative(arn, async () => {
        try {
          const { ImportTableDescription: job } = await client.send(new DescribeImportCommand({ ImportArn: arn }), abort(signal));
          return {
            arn,
            status: job?.ImportStatus ?? 'IN_PROGRESS',
            processed: job?.ProcessedItemCount ?? 0,
            imported: job?.ImportedItemCount ?? 0,
            errors: job?.ErrorCount ?? 0,
            logGroup: job?.CloudWatchLogGroupArn,
            failure: failureOf(job?.FailureCode, job?.FailureMessage),
          };
        } catch (error) {
          if ((error as Error).name === 'ImportNotFoundException') return undefined;
          throw error;
        }
      }),
    importErrors: (arn, logGroup, most, signal) =>
      explainNative(arn, async () => readImportLog(await logs(), arn, logGroup, most, signal)),
  };
}

async function describeExport(
  client: DynamoDBClient,
  arn: string,
  signal: AbortSignal | undefined,
): Promise<NativeExport | undefined> {
  try {
    const options = signal === undefined ? {} : { abortSignal: signal };
    const { ExportDescription: job } = await client.send(new DescribeExportCommand({ ExportArn: arn }), options);
    return job === undefined ? undefined : exportOf(arn, job);
  } catch (error) {
    if ((error as Error).name === 'ExportNotFoundException') return undefined;
    throw error;
  }
}

function exportOf(arn: string, job: ExportDescription): NativeExport {
  const spec = job.IncrementalExportSpecification;
  const [from, to] = [spec?.ExportFromTime?.toISOString(), spec?.ExportToTime?.toISOString()];
  return {
    arn,
    status: job.ExportStatus ?? 'IN_PROGRESS',
    bucket: job.S3Bucket ?? '',
    prefix: job.S3Prefix ?? '',
    kind: job.ExportType === 'INCREMENTAL_EXPORT' ? 'incremental' : 'full',
    window: from === undefined || to === undefined ? undefined : { from, to },
    manifest: job.ExportManifest,
    items: job.ItemCount,
    billedBytes: job.BilledSizeBytes,
    failure: failureOf(job.FailureCode, job.FailureMessage),
  };
}

function failureOf(code: string | undefined, message: string | undefined) {
  return code === undefined && message === undefined ? undefined : { code: code ?? 'Unknown', message: message ?? '' };
}
