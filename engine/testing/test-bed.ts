import { BatchWriteItemCommand, ScanCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../tables/model/attribute-value.ts';
import type { Entity, InputOf } from '../../tables/model/entity.ts';
import { buildItem, keyOf } from '../../tables/model/item.ts';
import type { Operation, OperationInput } from '../../tables/model/operation.ts';
import type { ParamsOf, Pattern, PatternParams, ResultOf } from '../../tables/model/pattern.ts';
import { catalogueOf, type Project } from '../../tables/model/project.ts';
import { parseStackConfig, physicalName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import { naturalIndexes, type Table } from '../../tables/model/table.ts';
import { type DynamoDBClient, dynamoClient } from '../aws/clients.ts';
import { dynamoStore } from '../aws/store/dynamo-store.ts';
import { toJsonItem } from '../core/item/dynamo-json.ts';
import { tableOf } from '../core/read/checked-call.ts';
import { maxBatchWriteRequests } from '../core/write/batch-limits.ts';
import type { EngineName } from '../local/choose-engine.ts';
import { openDynamo } from '../local/local-engine.ts';
import { sha256 } from '../local/sha256.ts';
import { unlimitedGates } from '../run/capacity/capacity-gate.ts';
import { sleep } from '../run/capacity/clock.ts';
import { type ReadEnvironment, readAll } from '../run/read/read-pattern.ts';
import { readRecord } from '../run/read/reading.ts';
import { ensureTable } from '../run/tables/ensure-tables.ts';
import { type Outcome, runOperation } from '../run/write/run-operation.ts';

/** A stack of its own on an engine in memory, with a project's tables in it. */
export interface TestBed {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  readonly config: StackConfig;
  readonly tables: readonly Table[];
  /** What reading and writing need, for those who call the engine's own functions. */
  readonly environment: ReadEnvironment;
  /** Records of an entity, built by the catalogue and written as they are. */
  put<E extends Entity>(table: Table, entity: E, inputs: readonly InputOf<E>[]): Promise<void>;
  /** Raw items, as some other program might have written them. */
  putRaw(table: Table, items: readonly Item[]): Promise<void>;
  removeRaw(table: Table, items: readonly Item[]): Promise<void>;
  /** The records of a pattern, as an application's reader gives them. */
  read<P extends Pattern>(pattern: P, params: ParamsOf<P>): Promise<readonly ResultOf<P>[]>;
  run<Params extends PatternParams>(operation: Operation<Params>, params: OperationInput<Params>): Promise<Outcome>;
  /** Everything that a table holds, by key, in DynamoDB JSON: what two states are compared by. */
  content(table: Table): Promise<Readonly<Record<string, unknown>>>;
  /** Stops the engine. */
  close(): Promise<void>;
}

export interface TestBedOptions {
  /** Only these; all of the project when left out. The toolkit's own ledger is always there. */
  readonly tables?: readonly Table[];
  /** The engine to start; what this machine has when left out. */
  readonly engine?: EngineName | undefined;
}

/** Starts an engine in memory and makes the project's tables in it. Whoever opens one closes it. */
export function openTestBed(project: Project, options: TestBedOptions = {}): Promise<TestBed> {
  const all = catalogueOf(project);
  const wanted = options.tables;
  const tables = wanted === undefined ? all : all.filter((table) => wanted.includes(table) || table.system === 'tablewright');
  return startBed({ tables, config: parseStackConfig('test', {}, all, project.name), engine: options.engine });
}

export interface BedOptions {
  readonly tables: readonly Table[];
  readonly config: StackConfig;
  readonly engine?: EngineName | undefined;
}

export async function startBed({ tables, config, engine }: BedOptions): Promise<TestBed> {
  const service = await openDynamo({ data: { kind: 'memory' }, engine, naturalIndexes: naturalIndexes(tables) });
  const client = dynamoClient({ region: config.region, endpoint: service.endpoint });
  const store = dynamoStore(client);
  const gates = { gates: unlimitedGates(), writeGates: unlimitedGates() };
  const environment = { store, tables, names: config, ...gates, sleep, random: Math.random, digest: sha256 };
  for (const table of tables) await ensureTable({ store, config, sleep }, table);
  const write = writerOn(client, config);
  const putRaw = (table: Table, items: readonly Item[]) => write(table, items, (item) => ({ PutRequest: { Item: item } }));
  return {
    endpoint: service.endpoint,
    client,
    config,
    tables,
    environment,
    putRaw,
    removeRaw: (table, items) => write(table, items, (item) => ({ DeleteRequest: { Key: keyOf(table, item) } })),
    put: (table, entity, inputs) =>
      putRaw(
        table,
        inputs.map((input) => buildItem(table, entity, input)),
      ),
    read: async <P extends Pattern>(pattern: P, params: ParamsOf<P>) => {
      const { items } = await readAll(environment, pattern, params);
      return items.map((item) => readRecord(tableOf(tables, pattern), pattern, item) as ResultOf<P>);
    },
    run: (operation, params) => runOperation(environment, operation, params),
    content: (table) => contentOf(client, table, config),
    close: async () => {
      client.destroy();
      await service.release();
    },
  };
}

function writerOn(client: DynamoDBClient, config: StackConfig) {
  return async (table: Table, items: readonly Item[], request: (item: Item) => WriteRequest): Promise<void> => {
    for (let at = 0; at < items.length; at += maxBatchWriteRequests) {
      const RequestItems = { [physicalName(table, config)]: items.slice(at, at + maxBatchWriteRequests).map(request) };
      await client.send(new BatchWriteItemCommand({ RequestItems }));
    }
  };
}

async function contentOf(client: DynamoDBClient, table: Table, config: StackConfig): Promise<Readonly<Record<string, unknown>>> {
  const content: Record<string, unknown> = {};
  let from: Item | undefined;
  do {
    const page = await client.send(
      new ScanCommand({ TableName: physicalName(table, config), ExclusiveStartKey: from, ConsistentRead: true }),
    );
    for (const item of (page.Items ?? []) as Item[]) {
      const key = [table.key.hash.name, table.key.range?.name ?? ''].map((name) => JSON.stringify(item[name])).join();
      content[key] = sorted(toJsonItem(item));
    }
    from = page.LastEvaluatedKey as Item | undefined;
  } while (from !== undefined);
  return sorted(content);
}

function sorted(record: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
