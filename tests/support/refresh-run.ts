import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
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
import { project, tables } from './project.ts';
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
  for (const folder of ['engine', 'tables', 'node_modules', 'migrations', 'tablewright.config.ts'])
    await symlink(join(repository, folder), join(root, folder));
  for (const file of ['Pulumi.dev.yaml', 'Pulumi.prod.yaml']) await copyFile(join(repository, file), join(root, file));
  await copyFile(join(repository, 'examples/masks.yaml'), join(root, 'masks.yaml'));
  const services: Service[] = [];
  const clients: DynamoDBClient[] = [];
  const config = { dev: await readStack('dev', root, tables, project), prod: await readStack('prod', root, tables, project) };
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
  await fill(root, source, volume);
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

/** No seed goes into production: while it is loaded, the stack of the same names is none, and the seeds are for it. */
async function fill(root: string, endpoint: string, volume: number): Promise<void> {
  await cp(join(repository, 'seeds'), join(root, 'seeds'), { recursive: true });
  for (const set of await readdir(join(root, 'seeds'))) {
    const seed = join(root, 'seeds', set, 'seed.ts');
    if (existsSync(seed)) await writeFile(seed, (await readFile(seed, 'utf8')).replace(/stacks: \[/, "stacks: ['prod', "));
  }
  const file = join(root, 'Pulumi.prod.yaml');
  const text = await readFile(file, 'utf8');
  const args = ['seed', '--volume', String(volume), '--stack', 'prod', '--endpoint', endpoint, '--rate', '1000000', '--quiet'];
  await writeFile(file, text.replace('tablewright:production: true', 'tablewright:production: false'));
  const { code, stderr } = await runIn(root, args);
  if (code !== 0) throw new Error(stderr);
  await writeFile(file, text);
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

/** One text for all contents. */
export function contentsOf(found: ReadonlyMap<Table, readonly Item[]>): readonly string[] {
  return [...found].flatMap(([table, items]) => items.map((item) => `${table.name} ${canonicalItem(item)}`)).toSorted();
}

export function countOf(found: ReadonlyMap<Table, readonly Item[]>): number {
  return [...found.values()].reduce((sum, items) => sum + items.length, 0);
}

/** Stands in ARNs of stacks that are not on AWS; with the figure before it, it looks like a CPF. */
const localAccount = '000000000000';

/** All that is staged, as if it were items: lines of data files, and the text of every other file. */
export async function stagedItems(root: string): Promise<ReadonlyMap<Table, readonly Item[]>> {
  const items: Item[] = [];
  const folder = join(root, '.tablewright', 'refresh');
  if (!existsSync(folder)) return new Map();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    const lines = entry.name.endsWith('.gz') ? gunzipSync(bytes).toString().split('\n') : [];
    for (const line of lines) if (line !== '') items.push((JSON.parse(line) as { readonly Item: Item }).Item);
    if (!entry.name.endsWith('.gz')) items.push({ text: { S: bytes.toString('latin1').replaceAll(localAccount, '') } });
  }
  return new Map([[tables[0] as Table, items]]);
}
