import type { Purpose } from '../../../tables/model/stack/config/access.ts';

/** AWS's own list for those who use encrypted tables (Developer Guide, "Encryption at rest: usage notes"). */
const ofKey = ['kms:GenerateDataKeyWithoutPlaintext', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'];
/** To find the bucket, and to see and throw away what an interrupted upload left there. */
const ofUploads = ['s3:GetBucketLocation', 's3:ListBucketMultipartUploads', 's3:ListMultipartUploadParts'];
const dynamodb = (...actions: readonly string[]) => actions.map((action) => `dynamodb:${action}`);

/** Granted although none of the commands and calls that the tests run asks for it; each line says why. */
export const spareGrants: Readonly<Record<Purpose, readonly string[]>> = {
  'application-read': [...ofKey, 'kms:DescribeKey'],
  // An application writes by other ways than the catalogue's operations, too.
  'application-write': [...ofKey, 'kms:DescribeKey', ...dynamodb('BatchWriteItem', 'DescribeTable')],
  // Custom steps have the whole of DynamoDB's client for items, statements of their own included.
  'migration-runner': [
    ...ofKey,
    // How far an index is that is still being built; none is on the tests' servers.
    'cloudwatch:GetMetricStatistics',
    'kms:DescribeKey',
    ...ofUploads,
    's3:AbortMultipartUpload',
    ...dynamodb('PartiQLSelect', 'PartiQLInsert', 'PartiQLDelete'),
  ],
  // The same writes as others, though a set is loaded in batches; a look at a table shows nothing of its items.
  seeder: [
    ...ofKey,
    'kms:DescribeKey',
    ...dynamodb('ConditionCheckItem', 'DeleteItem', 'UpdateItem'),
    ...dynamodb('DescribeContinuousBackups', 'DescribeTable', 'DescribeTimeToLive'),
  ],
  // What reads a table whole may read single items of it; where an interrupted masked export goes on is one of them.
  exporter: [...ofKey, 'kms:DescribeKey', ...ofUploads, ...dynamodb('BatchGetItem', 'GetItem')],
  importer: [
    ...ofKey,
    's3:GetBucketLocation',
    's3:ListBucketMultipartUploads',
    ...dynamodb('ConditionCheckItem', 'DeleteItem', 'Query', 'UpdateItem'),
  ],
  'bulk-importer': [],
  restorer: ofKey,
  inspector: [],
  warmer: dynamodb('DescribeTable'),
  // Whoever hears of changes is no command of the toolkit.
  'stream-reader': [
    'kms:Decrypt',
    'kms:DescribeKey',
    ...dynamodb('DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'),
  ],
};
