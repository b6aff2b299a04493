import { type Ask, ask } from '../../support/enforcing-front/ask.ts';
import { objectAsk } from '../../support/enforcing-front/s3-asks.ts';
import { keyArn, place } from './fake-aws.ts';

const table = (name: string) => `arn:aws:dynamodb:${place.region}:${place.account}:table/${name}`;
const ledger = (action: string, partition: string): Ask =>
  ask(`dynamodb:${action}`, table('tablewright-ledger-dev'), { 'dynamodb:LeadingKeys': [partition] });
const bucket = `tablewright-dev-exports-${place.account}-${place.region}`;
const through = (service: string) => ({
  'kms:ViaService': `${service}.${place.region}.amazonaws.com`,
  'kms:CallerAccount': place.account,
});

/** What a job needs and its policy once denied, each by itself: a command stops at the first of them. */
export const onceDenied: Readonly<Record<string, readonly Ask[]>> = {
  'application-read-markets': [
    ledger('Query', 'CUTOVER#states'),
    ask('dynamodb:Scan', table('orders-dev')),
    ledger('UpdateItem', 'CUTOVER#markets.orders.bestBids'),
    ledger('PutItem', 'CUTOVER#markets.orders.bestBids'),
    // `cutover status` beside the states.
    ledger('GetItem', 'CUTOVER#markets.orders.bestBids'),
    ledger('GetItem', 'MIGRATIONS'),
    ask('kms:GenerateDataKey', keyArn, through('dynamodb')),
  ],
  exporter: [
    ask('dynamodb:ListExports', '*'),
    ledger('PutItem', 'TRANSFER#export#orders-dev'),
    ledger('DeleteItem', 'TRANSFER#export#orders-dev'),
    objectAsk('PutObjectAcl', bucket, 'exports/x'),
    ask('dynamodb:Query', table('crypto-backtest-results-dev/index/ScanIdIndex')),
  ],
  importer: [
    ...[
      'DescribeTimeToLive',
      'UpdateTimeToLive',
      'DescribeContinuousBackups',
      'UpdateContinuousBackups',
      'ListTagsOfResource',
      'TagResource',
      'UpdateTable',
    ].map((action) => ask(`dynamodb:${action}`, table('oms_trading_data_dev-imported'))),
    ask('logs:DescribeLogGroups', '*'),
    ask('kms:CreateGrant', keyArn, { ...through('dynamodb'), 'kms:GrantIsForAWSResource': 'true' }),
  ],
  'migration-runner': [
    ask('dynamodb:DescribeBackup', table('orders-dev/backup/01234567890123-abcdef12')),
    objectAsk('ListBucket', bucket),
    ...['GetObject', 'PutObject', 'DeleteObject'].map((action) => objectAsk(action, bucket, 'exports/x')),
    ...['GenerateDataKey', 'Decrypt'].map((use) => ask(`kms:${use}`, keyArn, through('s3'))),
  ],
};
