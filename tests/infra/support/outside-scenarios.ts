import {
  BatchExecuteStatementCommand,
  CancelBulkOperationCommand,
  DeleteBackupCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  RestoreTableToPointInTimeCommand,
  ScanCommand,
  StartBulkPutItemsCommand,
  TransactWriteItemsCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import type { Purpose } from '../../../tables/model/stack/config/access.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Holding } from '../../support/enforcing-front/decide.ts';
import { tables } from '../../support/project.ts';
import { place } from './fake-aws.ts';
import { configOf } from './stack-file.ts';

export interface Outside {
  readonly holding: Holding;
  readonly purpose: Purpose;
  readonly what: string;
  readonly send: (client: DynamoDBClient) => Promise<unknown>;
  /** The action and the resource that the refusal names. */
  readonly refused: readonly [action: string, resource: string];
}

const arn = (name: string) => `arn:aws:dynamodb:${place.region}:${place.account}:table/${name}`;
const ledger = 'tablewright-ledger-dev';
const market = { id: { S: 'mkt123' } };

type Case = readonly [what: string, refused: readonly [string, string], send: (client: DynamoDBClient) => Promise<unknown>];

const get = (TableName: string, Key: Readonly<Record<string, { S: string }>>): Case[2] => {
  return (client) => client.send(new GetItemCommand({ TableName, Key }));
};
const put = (TableName: string, Item: Readonly<Record<string, { S: string }>>): Case[2] => {
  return (client) => client.send(new PutItemCommand({ TableName, Item }));
};
const scan = (TableName: string, IndexName?: string): Case[2] => {
  return (client) => client.send(new ScanCommand({ TableName, ...(IndexName === undefined ? {} : { IndexName }) }));
};
const dropIndex = (TableName: string, IndexName: string): Case[2] => {
  const GlobalSecondaryIndexUpdates = [{ Delete: { IndexName } }];
  return (client) => client.send(new UpdateTableCommand({ TableName, GlobalSecondaryIndexUpdates }));
};
const bulkPut = (TableName: string): Case[2] => {
  const at = { S3Bucket: 'any', S3KeyPrefix: 'bulk/' };
  const InputS3Configuration = { ...at, InputFormat: 'DYNAMODB_JSON', InputCompressionType: 'GZIP' } as const;
  const request = { TableName, InputS3Configuration, OutputS3Configuration: { ...at, OutputType: ['ERROR' as const] } };
  return (client) => client.send(new StartBulkPutItemsCommand({ ...request, MaxWriteRequestUnits: 1_024 }));
};
const dropTable = (TableName: string): Case[2] => {
  return (client) => client.send(new DeleteTableCommand({ TableName }));
};

const cases: Readonly<Record<string, { readonly purpose: Purpose; readonly cases: readonly Case[] }>> = {
  'application-read-markets': {
    purpose: 'application-read',
    cases: [
      ['another system', ['GetItem', 'oms_config_dev'], get('oms_config_dev', { PK: { S: 'a' }, SK: { S: 'b' } })],
      ['an index by Scan', ['Scan', 'orders-dev/index/orders_by_owner'], scan('orders-dev', 'orders_by_owner')],
      ['a write', ['PutItem', 'markets-dev'], put('markets-dev', market)],
      ['the lock of the migrations', ['GetItem', ledger], get(ledger, { PK: { S: 'LOCK#migrate' }, SK: { S: 'LEASE' } })],
      [
        'the journal of a migration',
        ['Query', ledger],
        (client) =>
          client.send(
            new QueryCommand({
              TableName: ledger,
              KeyConditionExpression: '#pk = :pk',
              ExpressionAttributeNames: { '#pk': 'PK' },
              ExpressionAttributeValues: { ':pk': { S: 'JOURNAL#0001-index-oms-config#000#00000' } },
            }),
          ),
      ],
      ['the ledger by Scan', ['Scan', ledger], scan(ledger)],
      [
        'a change of a state',
        ['PutItem', ledger],
        put(ledger, { PK: { S: 'CUTOVER#states' }, SK: { S: 'PATTERN#markets.orders.bestBids' } }),
      ],
      [
        'what shadow reads of another system found',
        ['UpdateItem', ledger],
        (client) => {
          const Key = { PK: { S: 'CUTOVER#oms.config.allProducts' }, SK: { S: 'SHADOW#00000001' } };
          const Update = { TableName: ledger, Key, UpdateExpression: 'REMOVE lastAt' };
          return client.send(new TransactWriteItemsCommand({ TransactItems: [{ Update }] }));
        },
      ],
    ],
  },
  'application-read-oms': {
    purpose: 'application-read',
    cases: [['a table that was never read by Scan', ['Scan', 'oms_trading_data_dev'], scan('oms_trading_data_dev')]],
  },
  'application-write-markets': {
    purpose: 'application-write',
    cases: [
      ['a read', ['GetItem', 'markets-dev'], get('markets-dev', market)],
      ['another system', ['PutItem', 'oms_config_dev'], put('oms_config_dev', { PK: { S: 'a' }, SK: { S: 'b' } })],
      ['the ledger', ['PutItem', ledger], put(ledger, { PK: { S: 'CUTOVER#states' }, SK: { S: 'x' } })],
      ['dropping a table', ['DeleteTable', 'markets-dev'], dropTable('markets-dev')],
    ],
  },
  'migration-runner': {
    purpose: 'migration-runner',
    cases: [
      ['dropping an index', ['UpdateTable', 'orders-dev'], dropIndex('orders-dev', 'orders_by_owner')],
      ['dropping a table', ['DeleteTable', 'orders-dev'], dropTable('orders-dev')],
      ['a table of another stack', ['PutItem', 'markets'], put('markets', market)],
      [
        'deleting a backup',
        ['DeleteBackup', 'orders-dev/backup/01'],
        (client) => client.send(new DeleteBackupCommand({ BackupArn: `${arn('orders-dev')}/backup/01` })),
      ],
      [
        'a statement on a table of another stack',
        ['PartiQLUpdate', 'markets'],
        (client) => {
          const Statement = `UPDATE "markets" SET "a"=? WHERE "id"=?`;
          const Parameters = [{ S: 'x' }, { S: 'y' }];
          return client.send(new BatchExecuteStatementCommand({ Statements: [{ Statement, Parameters }] }));
        },
      ],
    ],
  },
  seeder: {
    purpose: 'seeder',
    cases: [
      ['reading a whole table', ['Scan', 'orders-dev'], scan('orders-dev')],
      ['dropping an index', ['UpdateTable', 'orders-dev'], dropIndex('orders-dev', 'orders_by_owner')],
    ],
  },
  exporter: {
    purpose: 'exporter',
    cases: [
      ['a write', ['PutItem', 'orders-dev'], put('orders-dev', market)],
      ['an index by Scan', ['Scan', 'orders-dev/index/orders_by_owner'], scan('orders-dev', 'orders_by_owner')],
      [
        'a record of the ledger that is no export’s',
        ['PutItem', ledger],
        put(ledger, { PK: { S: 'LOCK#migrate' }, SK: { S: 'LEASE' } }),
      ],
      ['an import’s record', ['PutItem', ledger], put(ledger, { PK: { S: 'TRANSFER#import#orders-dev' }, SK: { S: 'x' } })],
    ],
  },
  importer: {
    purpose: 'importer',
    cases: [
      ['dropping an index of the stack', ['UpdateTable', 'orders-dev'], dropIndex('orders-dev', 'orders_by_owner')],
      ['dropping what it imported', ['DeleteTable', 'orders-dev-imported'], dropTable('orders-dev-imported')],
      ['reading a whole table', ['Scan', 'orders-dev'], scan('orders-dev')],
    ],
  },
  'bulk-importer': {
    purpose: 'bulk-importer',
    cases: [
      ['a write', ['PutItem', 'orders-dev'], put('orders-dev', market)],
      ['a bulk put into the ledger', ['StartBulkPutItems', ledger], bulkPut(ledger)],
      ['a bulk put into a table of another stack', ['StartBulkPutItems', 'markets'], bulkPut('markets')],
      [
        'cancelling a bulk put of another stack',
        ['CancelBulkOperation', 'markets/bulk-operation/1'],
        (client) => client.send(new CancelBulkOperationCommand({ BulkOperationArn: `${arn('markets')}/bulk-operation/1` })),
      ],
    ],
  },
  restorer: {
    purpose: 'restorer',
    cases: [
      [
        'restoring under another name',
        ['RestoreTableToPointInTime', 'orders-again'],
        (client) =>
          client.send(new RestoreTableToPointInTimeCommand({ SourceTableName: 'orders-dev', TargetTableName: 'orders-again' })),
      ],
      ['reading what it restores from', ['GetItem', 'orders-dev'], get('orders-dev', market)],
      ['dropping an index of the stack', ['UpdateTable', 'orders-dev'], dropIndex('orders-dev', 'orders_by_owner')],
    ],
  },
  inspector: {
    purpose: 'inspector',
    cases: [['an item', ['GetItem', 'orders-dev'], get('orders-dev', market)]],
  },
  'stream-reader': {
    purpose: 'stream-reader',
    cases: [
      ['an item', ['GetItem', 'orders-dev'], get('orders-dev', market)],
      ['reading a whole table', ['Scan', 'orders-dev'], scan('orders-dev')],
    ],
  },
  warmer: {
    purpose: 'warmer',
    cases: [
      ['an item', ['GetItem', 'orders-dev'], get('orders-dev', market)],
      ['dropping a table', ['DeleteTable', 'orders-dev'], dropTable('orders-dev')],
    ],
  },
};

const systems = [...new Set(tables.map(({ system }) => system))].filter((system) => system !== 'tablewright');

/** A table of the system and a key that it might have. */
function anItem(system: string): readonly [table: string, key: Readonly<Record<string, { S: string }>>] {
  const table = tables.find((one) => one.system === system);
  if (table === undefined) throw new Error(`the catalogue has no table of ${system}`);
  const { hash, range } = table.key;
  const names = [hash.name, ...(range === undefined ? [] : [range.name])];
  return [physicalName(table, configOf('dev')), Object.fromEntries(names.map((name) => [name, { S: 'a' }]))];
}

/** To each application its own system and no other, to read and to write. */
const betweenSystems = systems.flatMap((system) =>
  systems
    .filter((other) => other !== system)
    .flatMap((other) => {
      const [table, key] = anItem(other);
      return [
        [`application-read-${system}`, 'application-read', [`an item of ${other}`, ['GetItem', table], get(table, key)]],
        [`application-write-${system}`, 'application-write', [`a write to ${other}`, ['PutItem', table], put(table, key)]],
      ] as const satisfies readonly (readonly [string, Purpose, Case])[];
    }),
);

/** For each policy, what lies just outside of it. */
export const outsideScenarios: readonly Outside[] = [
  ...Object.entries(cases).flatMap(([holder, { purpose, cases: all }]) => all.map((one) => [holder, purpose, one] as const)),
  ...betweenSystems,
].map(([holder, purpose, [what, [action, resource], send]]) => {
  return { holding: [holder], purpose, what, send, refused: [`dynamodb:${action}`, arn(resource)] as const };
});
