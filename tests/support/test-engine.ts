import { BatchWriteItemCommand, type DynamoDBClient, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '../../engine/aws/clients.ts';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { type ReadEnvironment, readAll } from '../../engine/run/read/read-pattern.ts';
import { ensureTable } from '../../engine/run/tables/ensure-tables.ts';
import { type Outcome, runOperation } from '../../engine/run/write/run-operation.ts';
import { type Item, plainItem } from '../../tables/model/attribute-value.ts';
import type { Entity, InputOf } from '../../tables/model/entity.ts';
import { buildItem, keyOf } from '../../tables/model/item.ts';
import type { Operation } from '../../tables/model/operation.ts';
import type { Pattern, PatternParams } from '../../tables/model/pattern.ts';
import { parseStackConfig, physicalName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { openTestDynamo } from './open-engine.ts';
import { tables as catalogue } from './project.ts';
import { readEnvironmentOn } from './read-environment-on.ts';

/** A stack of its own on an embedded engine in memory, for one test file. */
export interface TestEngine {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  readonly config: StackConfig;
  readonly environment: ReadEnvironment;
  /** Records of an entity, built by the catalogue and written as they are. */
  put<E extends Entity>(table: Table, entity: E, inputs: readonly InputOf<E>[]): Promise<void>;
  /** Raw items, as some other program might have written them. */
  putRaw(table: Table, items: readonly Item[]): Promise<void>;
  removeRaw(table: Table, items: readonly Item[]): Promise<void>;
  /** The plain records of a pattern, with the attributes asked for. */
  read(pattern: Pattern, params: Readonly<Record<string, unknown>>): Promise<readonly Readonly<Record<string, unknown>>[]>;
  run<Params extends PatternParams>(operation: Operation<Params>, params: Readonly<Record<string, unknown>>): Promise<Outcome>;
  close(): Promise<void>;
}

export const testConfig: StackConfig = parseStackConfig('test', {}, catalogue);

export async function startEngine(tables: readonly Table[] = catalogue, config: StackConfig = testConfig): Promise<TestEngine> {
  const service = await openTestDynamo();
  const client = dynamoClient({ region: config.region, endpoint: service.endpoint });
  const store = dynamoStore(client);
  const environment = readEnvironmentOn(store, tables, config);
  for (const table of tables) await ensureTable({ store, config, sleep }, table);
  const writeRaw = async (table: Table, requests: readonly WriteRequest[]) => {
    for (let at = 0; at < requests.length; at += 25) {
      const RequestItems = { [physicalName(table, config)]: requests.slice(at, at + 25) };
      await client.send(new BatchWriteItemCommand({ RequestItems }));
    }
  };
  const putRaw = (table: Table, items: readonly Item[]) =>
    writeRaw(
      table,
      items.map((item) => ({ PutRequest: { Item: item } })),
    );
  return {
    endpoint: service.endpoint,
    client,
    config,
    environment,
    putRaw,
    removeRaw: (table, items) =>
      writeRaw(
        table,
        items.map((item) => ({ DeleteRequest: { Key: keyOf(table, item) } })),
      ),
    put: (table, entity, inputs) =>
      putRaw(
        table,
        inputs.map((input) => buildItem(table, entity, input)),
      ),
    read: async (pattern, params) => (await readAll(environment, pattern, params)).items.map(plainItem),
    run: (operation, params) => runOperation(environment, operation, params as never),
    close: async () => {
      client.destroy();
      await service.release();
    },
  };
}

/** Starts an engine before the tests of a suite and stops it after them, whatever they do. */
export function useEngine(tables?: readonly Table[]): () => TestEngine {
  let engine: TestEngine | undefined;
  before(async () => {
    engine = await startEngine(tables);
  });
  after(async () => {
    await engine?.close();
  });
  return () => {
    if (engine === undefined) throw new Error('the engine is used before the suite has started');
    return engine;
  };
}
