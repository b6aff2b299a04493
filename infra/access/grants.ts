import { importSuffix } from '../../tables/imported-name.ts';
import type { Purpose } from '../../tables/stack-config/access.ts';
import { bucketArn, type Place, tableArn } from '../place.ts';
import { keyUse } from './key-policy.ts';
import type { Statement } from './statement.ts';

/** What a purpose may do, before it is known on which tables. */
export interface Grants {
  readonly tables: readonly string[];
  readonly indexes: readonly string[];
  readonly key: readonly string[];
  /** The services through which it uses the key. */
  readonly services: readonly string[];
  extra(place: Place, tables: readonly string[], bucket: string): readonly Statement[];
}

const dynamodb = (...actions: readonly string[]) => actions.map((action) => `dynamodb:${action}`);

const keyRead = ['kms:Decrypt', 'kms:DescribeKey'] as const;
const byKey = ['GetItem', 'BatchGetItem', 'Query', 'DescribeTable'] as const;
const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'ConditionCheckItem'] as const;
/** BatchExecuteStatement asks for these instead of the plain ones (Developer Guide, "IAM policies for PartiQL"). */
const partiQl = ['PartiQLSelect', 'PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete'] as const;
/** The command line looks at a table before it works on it. */
const looks = ['DescribeTimeToLive', 'DescribeContinuousBackups'] as const;

const nothingMore = () => [];
const plain = { services: ['dynamodb'], extra: nothingMore };

const grants: Readonly<Record<Purpose, Grants>> = {
  'application-read': { tables: dynamodb(...byKey), indexes: dynamodb('Query'), key: keyRead, ...plain },
  'application-write': { tables: dynamodb(...writes, 'DescribeTable'), indexes: [], key: keyUse, ...plain },
  'migration-runner': {
    tables: dynamodb(...byKey, 'Scan', ...writes, ...partiQl, ...looks, 'CreateBackup'),
    indexes: dynamodb('Query', 'Scan', 'PartiQLSelect'),
    key: keyUse,
    ...plain,
  },
  seeder: { tables: dynamodb(...byKey, ...writes, ...partiQl, ...looks), indexes: dynamodb('Query'), key: keyUse, ...plain },
  exporter: {
    tables: dynamodb(...byKey, 'Scan', ...looks, 'ExportTableToPointInTime'),
    indexes: [],
    key: keyUse,
    services: ['dynamodb', 's3'],
    extra: exporterExtra,
  },
  importer: {
    tables: dynamodb(...byKey, ...writes, ...partiQl, ...looks),
    indexes: [],
    key: keyUse,
    services: ['dynamodb', 's3'],
    extra: importerExtra,
  },
};

export function grantsOf(purpose: Purpose): Grants {
  return grants[purpose];
}

/**
 * Exports, imports and objects get their names when they are made, so these ARNs end in a wildcard; each stands behind
 * one table or one bucket.
 */
function exporterExtra(place: Place, tables: readonly string[], bucket: string): readonly Statement[] {
  return [
    {
      Sid: 'Exports',
      Effect: 'Allow',
      Action: dynamodb('DescribeExport'),
      Resource: tables.map((name) => `${tableArn(place, name)}/export/*`),
    },
    ...bucketAccess(place, bucket),
  ];
}

function importerExtra(place: Place, tables: readonly string[], bucket: string): readonly Statement[] {
  const { partition, region, account } = place;
  const logs = `arn:${partition}:logs:${region}:${account}:log-group:/aws-dynamodb/imports`;
  const imported = tables.map((name) => tableArn(place, name + importSuffix));
  return [
    {
      Sid: 'NativeImports',
      Effect: 'Allow',
      Action: dynamodb('ImportTable', 'DescribeImport', 'DescribeTable'),
      Resource: imported.flatMap((arn) => [arn, `${arn}/import/*`]),
    },
    {
      Sid: 'ImportLogs',
      Effect: 'Allow',
      Action: [
        'logs:CreateLogGroup',
        'logs:CreateLogStream',
        'logs:DescribeLogStreams',
        'logs:GetLogEvents',
        'logs:PutLogEvents',
        'logs:PutRetentionPolicy',
      ],
      Resource: [logs, `${logs}:*`],
    },
    ...bucketAccess(place, bucket),
  ];
}

/** Both write to it: an import keeps its progress and what it could not write beside the data. */
function bucketAccess(place: Place, bucket: string): readonly Statement[] {
  return [
    {
      Sid: 'Bucket',
      Effect: 'Allow',
      Action: ['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'],
      Resource: bucketArn(place, bucket),
    },
    {
      Sid: 'Objects',
      Effect: 'Allow',
      Action: ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:GetObject', 's3:ListMultipartUploadParts', 's3:PutObject'],
      Resource: `${bucketArn(place, bucket)}/*`,
    },
  ];
}
