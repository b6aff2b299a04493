import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatchWriteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBClient, dynamoClient } from '../../engine/aws/clients.ts';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { readStack } from '../../engine/cli/read-stack.ts';
import type { Service } from '../../engine/local/shared-service.ts';
import { ensureTable } from '../../engine/run/tables/ensure-tables.ts';
import { type Item, scalarText } from '../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../tables/model/canonical.ts';
import { entityOf } from '../../tables/model/item.ts';
import { physicalName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { openTestDynamo } from './open-engine.ts';
import { tables } from './project.ts';
import { type CliResult, repository } from './run-cli.ts';

export const refreshKey = 'a key for refreshing, long enough';

/** A production stack full of data on one engine, and as many empty test stacks as are asked for. */
export interface RefreshBed {
  readonly root: string;
  readonly source: string;
  /** An engine with the empty tables of stack dev. */
  emptyTarget(): Promise<string>;
  run(args: readonly string[], onChild?: (child: ChildProcess) => void, more?: NodeJS.ProcessEnv): Promise<CliResult>;
  itemsOf(endpoint: string, stack: 'dev' | 'prod'): Promise<ReadonlyMap<Table, readonly Item[]>>;
  close(): Promise<void>;
}

const own = tables.filter(({ system }) => system !== 'tablewright');

export async function openRefreshBed(volume: number): Promise<RefreshBed> {
  const root = await mkdtemp(join(tmpdir(), 'tablewright-refresh-'));
  for (const folder of ['seeds', 'migrations', 'tablewright.config.ts'])
    await symlink(join(repository, folder), join(root, folder));
  for (const file of ['Pulumi.dev.yaml', 'Pulumi.prod.yaml']) await copyFile(join(repository, file), join(root, file));
  await copyFile(join(repository, 'examples/masks.yaml'), join(root, 'masks.yaml'));
  const services: Service[] = [];
  const clients: DynamoDBClient[] = [];
  const config = { dev: await readStack('dev', root, tables), prod: await readStack('prod', root, tables) };
  const open = async (stack: 'dev' | 'prod'): Promise<string> => {
    const service = await openTestDynamo();
    services.push(service);
    const client = dynamoClient({ region: 'us-east-1', endpoint: service.endpoint });
    clients.push(client);
    for (const table of tables) await ensureTable({ store: dynamoStore(client), config: config[stack], sleep }, table);
    return service.endpoint;
  };
  const source = await open('prod');
  const run: RefreshBed['run'] = (args, onChild, more) => runIn(root, args, onChild, more);
  const seeded = await open('dev');
  const loaded = await run([
    'seed',
    '--volume',
    String(volume),
    '--stack',
    'dev',
    '--endpoint',
    seeded,
    '--rate',
    '1000000',
    '--quiet',
  ]);
  if (loaded.code !== 0) throw new Error(loaded.stderr);
  await fill(source, seeded, config);
  return {
    root,
    source,
    emptyTarget: () => open('dev'),
    run,
    itemsOf: (endpoint, stack) => readItems(endpoint, config[stack]),
    close: async () => {
      for (const client of clients) client.destroy();
      for (const service of services) await service.release();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** No seed goes into production: it is loaded into stack dev, and copied. */
async function fill(endpoint: string, from: string, config: Readonly<Record<'dev' | 'prod', StackConfig>>): Promise<void> {
  const client = dynamoClient({ region: 'us-east-1', endpoint });
  for (const [table, items] of await readItems(from, config.dev)) {
    const name = physicalName(table, config.prod);
    for (let at = 0; at < items.length; at += 25) {
      const requests = items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
      await client.send(new BatchWriteItemCommand({ RequestItems: { [name]: requests } }));
    }
  }
  client.destroy();
}

function runIn(
  cwd: string,
  args: readonly string[],
  onChild?: (child: ChildProcess) => void,
  more: NodeJS.ProcessEnv = {},
): Promise<CliResult> {
  const env = { ...process.env, TABLEWRIGHT_MASK_KEY: refreshKey, ...more };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(repository, 'engine/cli/bin.js'), ...args], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    onChild?.(child);
  });
}

async function readItems(endpoint: string, config: StackConfig): Promise<ReadonlyMap<Table, readonly Item[]>> {
  const client = dynamoClient({ region: 'us-east-1', endpoint });
  const found = new Map<Table, readonly Item[]>();
  for (const table of own) {
    const items: Item[] = [];
    let from: Item | undefined;
    do {
      const page = await client.send(
        new ScanCommand({ TableName: physicalName(table, config), ExclusiveStartKey: from, ConsistentRead: true }),
      );
      for (const item of page.Items ?? []) items.push(item as Item);
      from = page.LastEvaluatedKey as Item | undefined;
    } while (from !== undefined);
    found.set(table, items);
  }
  client.destroy();
  return found;
}

/** References of records to others that are not there. */
export function danglingIn(found: ReadonlyMap<Table, readonly Item[]>): readonly string[] {
  const there = new Set<string>();
  const wanted: string[] = [];
  const text = (item: Item, name: string) => scalarText(item[name]) ?? '';
  const referred = own.flatMap((table) => table.entities.flatMap(({ references }) => references));
  for (const [table, items] of found) {
    for (const item of items) {
      const entity = entityOf(table, item);
      const name = `${table.name}/${entity?.name}`;
      for (const { entity: to, target, alike = [] } of referred) {
        if (to === name) there.add([name, target, text(item, target), ...alike.map((one) => text(item, one))].join('|'));
      }
      for (const { entity: to, attribute, target, alike = [] } of entity?.references ?? []) {
        if (item[attribute] !== undefined)
          wanted.push([to, target, text(item, attribute), ...alike.map((one) => text(item, one))].join('|'));
      }
    }
  }
  return [...new Set(wanted.filter((one) => !there.has(one)))];
}

const personal = ['cpf', 'first_name', 'last_name', 'email', 'phone', 'client_id', 'analyst_id', 'owner'];

/** Personal values of the source that stand in records of the target, whole or as a part of a key. */
export function personalIn(
  source: ReadonlyMap<Table, readonly Item[]>,
  target: ReadonlyMap<Table, readonly Item[]>,
): readonly string[] {
  const values = new Set<string>();
  for (const [table, items] of source) {
    for (const item of items) {
      for (const name of personal) values.add(scalarText(item[name]) ?? '');
      if (entityOf(table, item)?.name === 'CLIENT') values.add(scalarText(item.name) ?? '');
      const { address } = item;
      if (address !== undefined && 'M' in address)
        for (const part of Object.values(address.M)) values.add(scalarText(part) ?? '');
    }
  }
  values.delete('');
  const left = new Set<string>();
  for (const items of target.values()) {
    for (const item of items)
      for (const text of textsOf({ M: item }))
        for (const part of [text, ...text.split('#')]) if (values.has(part)) left.add(part);
  }
  return [...left];
}

function textsOf(value: Item[string]): readonly string[] {
  if ('M' in value) return Object.values(value.M).flatMap(textsOf);
  if ('L' in value) return value.L.flatMap(textsOf);
  if ('SS' in value) return value.SS;
  return 'S' in value ? [value.S] : [];
}

/** One text for all contents. */
export function contentsOf(found: ReadonlyMap<Table, readonly Item[]>): readonly string[] {
  return [...found].flatMap(([table, items]) => items.map((item) => `${table.name} ${canonicalItem(item)}`)).toSorted();
}

export function countOf(found: ReadonlyMap<Table, readonly Item[]>): number {
  return [...found.values()].reduce((sum, items) => sum + items.length, 0);
}
