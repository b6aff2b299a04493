import {
  CreateBackupCommand,
  DeleteBackupCommand,
  DescribeBackupCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ListBackupsCommand,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import type { Backup, NativeStore } from '../../core/transfer/native-store.ts';
import type { CloudWatchLogsClient } from '../clients.ts';
import { listTags } from '../store/list-tags.ts';
import { explainNative } from './explain-native.ts';
import { nativeJobs } from './native-jobs.ts';

/** DynamoDB's own exports, imports, backups and restores through the SDK. */
export function nativeStore(client: DynamoDBClient, logs: () => Promise<CloudWatchLogsClient>): NativeStore {
  const abort = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { abortSignal: signal });
  return {
    ...nativeJobs(client, logs),
    tableArn: (tableName, signal) =>
      explainNative(tableName, async () => {
        const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }), abort(signal));
        return Table?.TableArn ?? '';
      }),
    pitr: (tableName, signal) =>
      explainNative(tableName, async () => {
        const answer = await client.send(new DescribeContinuousBackupsCommand({ TableName: tableName }), abort(signal));
        const found = answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
        return {
          enabled: found?.PointInTimeRecoveryStatus === 'ENABLED',
          earliest: found?.EarliestRestorableDateTime?.toISOString(),
          latest: found?.LatestRestorableDateTime?.toISOString(),
          recoveryDays: found?.RecoveryPeriodInDays,
        };
      }),
    setPitr: (tableName, recoveryDays, signal) =>
      explainNative(tableName, async () => {
        const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: recoveryDays };
        const request = { TableName: tableName, PointInTimeRecoverySpecification };
        await client.send(new UpdateContinuousBackupsCommand(request), abort(signal));
      }),
    createBackup: (tableName, name, signal) =>
      explainNative(tableName, async () => {
        const answer = await client.send(new CreateBackupCommand({ TableName: tableName, BackupName: name }), abort(signal));
        return backupOf(tableName, answer.BackupDetails ?? {});
      }),
    backup: (arn, signal) =>
      explainNative(arn, async () => {
        try {
          const { BackupDescription } = await client.send(new DescribeBackupCommand({ BackupArn: arn }), abort(signal));
          return backupOf(BackupDescription?.SourceTableDetails?.TableName ?? '', BackupDescription?.BackupDetails ?? {});
        } catch (error) {
          if ((error as Error).name === 'BackupNotFoundException') return undefined;
          throw error;
        }
      }),
    backups: (tableName, signal) => explainNative(tableName ?? 'backups', () => listBackups(client, tableName, signal)),
    deleteBackup: (arn, signal) =>
      explainNative(arn, async () => {
        await client.send(new DeleteBackupCommand({ BackupArn: arn }), abort(signal));
      }),
    restore: (request, signal) =>
      explainNative(request.target, async () => {
        if (request.from === 'backup') {
          const wanted = { BackupArn: request.backupArn, TargetTableName: request.target };
          await client.send(new RestoreTableFromBackupCommand(wanted), abort(signal));
          return;
        }
        const when = request.time === undefined ? { UseLatestRestorableTime: true } : { RestoreDateTime: new Date(request.time) };
        const wanted = { SourceTableName: request.source, TargetTableName: request.target, ...when };
        await client.send(new RestoreTableToPointInTimeCommand(wanted), abort(signal));
      }),
    tag: (tableArn, tags, signal) =>
      explainNative(tableArn, async () => {
        await client.send(new TagResourceCommand({ ResourceArn: tableArn, Tags: [...tags] }), abort(signal));
      }),
    tags: (tableArn, signal) => explainNative(tableArn, () => listTags(client, tableArn, signal)),
    protect: (tableName, signal) =>
      explainNative(tableName, async () => {
        await client.send(new UpdateTableCommand({ TableName: tableName, DeletionProtectionEnabled: true }), abort(signal));
      }),
  };
}

async function listBackups(
  client: DynamoDBClient,
  tableName: string | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly Backup[]> {
  const found: Backup[] = [];
  let from: string | undefined;
  do {
    const request = {
      BackupType: 'ALL' as const,
      ...(tableName === undefined ? {} : { TableName: tableName }),
      ...(from === undefined ? {} : { ExclusiveStartBackupArn: from }),
    };
    const page = await client.send(new ListBackupsCommand(request), signal === undefined ? {} : { abortSignal: signal });
    for (const summary of page.BackupSummaries ?? []) found.push(backupOf(summary.TableName ?? '', summary));
    from = page.LastEvaluatedBackupArn;
  } while (from !== undefined);
  return found;
}

interface SdkBackup {
  readonly BackupArn?: string | undefined;
  readonly BackupName?: string | undefined;
  readonly BackupStatus?: string | undefined;
  readonly BackupType?: string | undefined;
  readonly BackupCreationDateTime?: Date | undefined;
  readonly BackupSizeBytes?: number | undefined;
}

function backupOf(table: string, details: SdkBackup): Backup {
  return {
    arn: details.BackupArn ?? '',
    name: details.BackupName ?? '',
    table,
    status: details.BackupStatus ?? 'UNKNOWN',
    type: details.BackupType ?? 'USER',
    createdAt: details.BackupCreationDateTime?.toISOString() ?? '',
    bytes: details.BackupSizeBytes,
  };
}
