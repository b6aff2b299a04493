import type { DeployedAccess } from './access.ts';
import { type Ask, ask, type Json, tableArn } from './ask.ts';
import { keyAsks, newTableUses, writeUses } from './key-asks.ts';
import { objectAsk } from './s3-asks.ts';

/** An export is written to the bucket in the caller's name (Developer Guide, "Requesting a table export"). */
export function exportAsks(access: DeployedAccess, input: Json): readonly Ask[] {
  const bucket = String(input.S3Bucket);
  const name = `${String(input.S3Prefix ?? '')}/AWSDynamoDB/01234567890123-01234567/manifest-summary.json`;
  return [
    ask('dynamodb:ExportTableToPointInTime', String(input.TableArn)),
    ...['PutObject', 'PutObjectAcl', 'AbortMultipartUpload'].map((action) => objectAsk(action, bucket, name)),
    ...(isKeyed(access, bucket, input) ? keyAsks(ofKey(access, input), 's3', 'GenerateDataKey', 'Decrypt') : []),
  ];
}

/** A key that the request names instead of the bucket's own. */
function ofKey(access: DeployedAccess, { S3SseKmsKeyId }: Json): DeployedAccess {
  const { key } = access;
  const isOther = S3SseKmsKeyId !== undefined && S3SseKmsKeyId !== key.arn && S3SseKmsKeyId !== key.alias;
  return isOther ? { ...access, key: { ...key, arn: String(S3SseKmsKeyId) } } : access;
}

/** An import reads the bucket, logs, and makes a table, all in the caller's name (Developer Guide, "Requesting a table import"). */
export function importAsks(access: DeployedAccess, input: Json): readonly Ask[] {
  const { S3Bucket, S3KeyPrefix } = input.S3BucketSource as Json;
  const bucket = String(S3Bucket);
  const { TableName, SSESpecification } = input.TableCreationParameters as Json;
  const key = (SSESpecification as Json | undefined)?.KMSMasterKeyId;
  const group = `arn:aws:logs:${access.region}:${access.account}:log-group:/aws-dynamodb/imports`;
  return [
    ask('dynamodb:ImportTable', tableArn(access, TableName)),
    objectAsk('ListBucket', bucket),
    objectAsk('GetObject', bucket, `${String(S3KeyPrefix)}any.json.gz`),
    ...(access.keyedBuckets.has(bucket) ? keyAsks(access, 's3', 'Decrypt') : []),
    ask('logs:DescribeLogGroups', '*'),
    ...['CreateLogGroup', 'DescribeLogStreams', 'PutRetentionPolicy'].map((action) => ask(`logs:${action}`, group)),
    ...['CreateLogStream', 'PutLogEvents'].map((action) => ask(`logs:${action}`, `${group}:log-stream:any/error`)),
    // A key of AWS's own is nothing that the caller needs a right to.
    ...(key === undefined ? [] : keyAsks(access, 'dynamodb', ...newTableUses)),
  ];
}

/** A bulk put is taken to read its input and write its reports in the caller's name, as exports and imports do: its own list could not be read. */
export function bulkAsks(access: DeployedAccess, input: Json): readonly Ask[] {
  const from = input.InputS3Configuration as Json;
  const to = input.OutputS3Configuration as Json;
  const named = ({ S3KeyPrefix }: Json) => `${String(S3KeyPrefix ?? '')}any.json.gz`;
  return [
    ask('dynamodb:StartBulkPutItems', tableArn(access, input.TableName)),
    objectAsk('ListBucket', String(from.S3Bucket)),
    objectAsk('GetObject', String(from.S3Bucket), named(from)),
    ...['PutObject', 'AbortMultipartUpload'].map((action) => objectAsk(action, String(to.S3Bucket), named(to))),
    ...(access.keyedBuckets.has(String(from.S3Bucket)) ? keyAsks(access, 's3', 'GenerateDataKey', 'Decrypt') : []),
    ...keyAsks(access, 'dynamodb', ...writeUses),
  ];
}

function isKeyed({ keyedBuckets }: DeployedAccess, bucket: string, { S3SseAlgorithm }: Json): boolean {
  return S3SseAlgorithm === 'KMS' || (S3SseAlgorithm === undefined && keyedBuckets.has(bucket));
}
