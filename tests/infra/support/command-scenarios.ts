import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PutItemCommand, UpdateItemCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { type commandPolicies, optionPolicies } from '../../../engine/cli/policy-needs.ts';
import { ledgerItem } from '../../../engine/core/ledger/ledger-codec.ts';
import { lockScope } from '../../../engine/run/ledger/lock.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { lockRecord } from '../../../tables/model/ledger/lock-records.ts';
import { patternsOf } from '../../../tables/model/project.ts';
import type { Purpose } from '../../../tables/model/stack/config/access.ts';
import { client, omsConfig } from '../../../tables/oms/config.ts';
import type { CommandRun, GuardedStack } from '../../support/enforcing-front/guarded-stack.ts';
import { tables } from '../../support/project.ts';
import { repository } from '../../support/run-cli.ts';
import { keyArn } from './fake-aws.ts';

/** What later commands need of what earlier ones printed. */
export type Seen = Record<'native' | 'portable' | 'orders' | 'backup', string>;

export type CommandName = keyof typeof commandPolicies;

export interface Scenario {
  readonly command: CommandName;
  /** What follows the command; several are run one after another. */
  readonly words?: (seen: Seen, behind?: string) => readonly string[];
  /** The system whose application policies it is run with. */
  readonly system?: string;
  /** Other policies than the command's usual ones. */
  readonly under?: readonly Purpose[];
  readonly code?: number;
  readonly before?: (stack: GuardedStack) => Promise<unknown>;
  readonly after?: (run: CommandRun, seen: Seen) => void;
}

const poll = ['--poll-ms', '1'] as const;
const place = (run: CommandRun) => /s3:\/\/\S+\/AWSDynamoDB\/\S+/.exec(run.printed)?.[0] ?? '';
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** Every pattern by its own example, under the policy of its system. */
const patternScenarios: readonly Scenario[] = tables.flatMap((table) =>
  patternsOf([table]).flatMap(({ name, example }): Scenario[] => {
    const words = [name, ...Object.entries(example).map(([param, value]) => `${param}=${value}`)];
    return [
      { command: 'query', words: () => words, system: table.system },
      { command: 'explain', words: () => words, system: table.system },
    ];
  }),
);

/** Every command that talks to a stack, in an order in which each finds something to do. */
export const commandScenarios: readonly Scenario[] = [
  { command: 'seed' },
  { command: 'seed', words: () => ['legacy'] },
  { command: 'seed', words: () => ['--overwrite', '--prune'] },
  { command: 'seed', words: () => ['--volume', '40', '--system', 'oms'] },
  { command: 'seed', words: () => ['--dry-run'] },
  { command: 'plan', before: (stack) => Promise.all([ownMigrations(stack), listen(stack)]) },
  { command: 'migrate', words: () => ['--dry-run'] },
  { command: 'migrate', words: () => ['--to', '10', '--pause-on-alarm'] },
  { command: 'cutover status', system: 'markets' },
  { command: 'cutover check', words: () => ['--all'] },
  { command: 'cutover shadow', words: () => ['--all', '--share', '100'] },
  { command: 'cutover status', system: 'oms' },
  { command: 'cutover apply', words: () => ['--all'] },
  { command: 'cutover revert', words: () => ['markets.orders.byOwner'] },
  { command: 'migrate' },
  { command: 'status' },
  { command: 'verify' },
  { command: 'history', words: () => ['1'] },
  { command: 'report', words: () => ['6'] },
  { command: 'rollback', words: () => ['--to', '9'] },
  { command: 'migrate' },
  { command: 'migrate', before: (stack) => writeMigration(stack, '9001-keep-and-bring-back', keepAndBringBack(stack)) },
  // In production recovery is looked after first.
  { command: 'migrate', words: () => ['--yes'], before: inProduction, code: 1 },
  { command: 'retry', words: () => ['9002'], before: mend },
  { command: 'repair' },
  { command: 'verify', words: () => ['--on', 'aws'] },
  { command: 'attach' },
  { command: 'stop' },
  { command: 'pause' },
  { command: 'resume' },
  { command: 'unlock' },
  { command: 'unlock', words: () => ['--force'], before: holdLock },
  ...patternScenarios,
  {
    command: 'export',
    words: () => ['oms_trading_data', ...poll],
    after: (run, seen) => {
      seen.native = place(run);
    },
  },
  {
    command: 'export',
    words: () => ['orders', ...poll],
    after: (run, seen) => {
      seen.orders = place(run);
    },
  },
  { command: 'export', words: () => ['orders', '--kms-key', keyArn, ...poll] },
  { command: 'export', words: () => ['orders', '--since', ago(60), '--until', ago(10), ...poll] },
  {
    command: 'export',
    words: () => ['oms_trading_data', '--portable'],
    after: (run, seen) => {
      seen.portable = place(run);
    },
  },
  { command: 'export', words: () => ['order-management', '--mask', 'masks.yaml'] },
  { command: 'mask plan', words: () => ['masks.yaml', '--sample', '50'] },
  { command: 'subject show', words: () => ['client_123', '--by', 'client_id'] },
  { command: 'subject erase', words: () => ['client_of_nobody', '--by', 'client_id', '--yes'], before: nobody },
  {
    command: 'refresh',
    words: (_, behind = '') => [...refreshing('dev', 'local'), '--to-endpoint', behind, ...poll],
    under: ['exporter'],
  },
  {
    command: 'refresh',
    words: (_, behind = '') => [...refreshing('local', 'dev'), '--from-endpoint', behind],
    under: ['importer'],
  },
  { command: 'archive' },
  { command: 'archive', words: () => ['--again'] },
  { command: 'archive items', words: () => ['oms_trading_data', '--older-than', '4000d'] },
  {
    command: 'archive items',
    under: ['exporter', 'importer'],
    words: () => ['oms_trading_data', '--older-than', '4001d', '--delete'],
  },
  { command: 'import', words: ({ portable }) => [portable, '--table', 'oms_trading_data', '--verify', 'full'] },
  { command: 'import', words: ({ portable }) => [portable, '--table', 'oms_trading_data', '--skip-existing', '--again'] },
  { command: 'import', words: ({ native }) => [native, '--table', 'oms_trading_data', '--if-newer', 'updated_at'] },
  { command: 'import', words: ({ native }) => [native, '--native', '--table', 'oms_trading_data', ...poll] },
  // Items of another table do not fit, and what was wrong with them is in the log.
  { command: 'import', words: ({ orders }) => [orders, '--native', '--table', 'oms_config', ...poll], code: 1 },
  {
    command: 'import',
    under: optionPolicies.import.bulk,
    words: ({ orders }) => [orders, '--bulk', '--table', 'orders', '--verify', 'full', ...poll],
  },
  {
    command: 'backup create',
    words: () => ['control', ...poll],
    after: ({ printed }, seen) => {
      seen.backup = /arn:aws:dynamodb\S+/.exec(printed)?.[0] ?? '';
    },
  },
  { command: 'backup list' },
  { command: 'backup list', words: () => ['control'] },
  {
    command: 'restore',
    words: ({ backup }) => ['control', '--from-backup', backup, '--as', 'control-dev-restored', ...poll],
  },
  { command: 'restore', words: () => ['orders', '--to-time', 'latest', '--as', 'orders-dev-restored', ...poll] },
  { command: 'backup delete', words: ({ backup }) => [backup] },
  { command: 'pitr status' },
  { command: 'table from-aws', words: () => ['orders-dev', '--out', 'begun/orders.ts'] },
  { command: 'check index', words: () => ['orders', 'orders_by_owner'] },
  { command: 'advise indexes' },
  { command: 'doctor' },
  { command: 'console' },
  { command: 'doctor', words: () => ['--hot-keys'], under: optionPolicies.doctor.hotKeys },
  { command: 'doctor', words: () => ['--metric'] },
  { command: 'migrate', words: () => ['--warm', '5000'], under: optionPolicies.migrate.warm },
  // All that it asks comes before the program is run, which this folder does not have.
  { command: 'adopt', code: 2 },
  // A tag that somebody changed is found, and scaling that somebody made.
  { command: 'doctor', before: meddle, code: 1 },
];

/** One side under policies, the other past them: the same tables by another address. */
function refreshing(from: string, to: string): readonly string[] {
  return ['--from', from, '--to', to, '--mask', 'masks.yaml', '--share', '100%'];
}

/** Somebody who can be forgotten. */
function nobody({ behind }: GuardedStack): Promise<unknown> {
  const Item = buildItem(omsConfig, client, { client_id: 'client_of_nobody', name: 'Nobody', status: 'ACTIVE' });
  return behind.client.send(new PutItemCommand({ TableName: 'oms_config_dev', Item }));
}

/** The repository's own migrations. */
async function ownMigrations({ root }: GuardedStack): Promise<void> {
  const from = join(repository, 'migrations');
  for (const file of await readdir(from)) await symlink(join(from, file), join(root, 'migrations', file));
}

/** A migration of this test's own; it imports the toolkit from where it is. */
async function writeMigration({ root }: GuardedStack, id: string, steps: string): Promise<void> {
  const from = (file: string) => JSON.stringify(pathToFileURL(join(repository, file)).href);
  const source = [
    `import { backfill, defineMigration, exportBefore, importInto } from ${from('engine/author.ts')};`,
    `import { markets, omsConfig } from ${from('tables/catalogue.ts')};`,
    `export default defineMigration({ id: '${id}', description: 'Of this test', steps: [${steps}] });`,
  ];
  await writeFile(join(root, 'migrations', `${id}.ts`), source.join('\n'));
}

/** Exports a table to the stack's bucket, and imports what lies there. */
function keepAndBringBack({ bucket }: GuardedStack): string {
  const folder = `s3://${bucket}/kept/`;
  return `exportBefore(omsConfig), exportBefore(omsConfig, '${folder}'), importInto(omsConfig, '${folder}')`;
}

/** Fails at one market until that is marked: a dead letter, and something to retry. */
function markMarkets(): string {
  return `backfill({ name: 'mark', table: markets, reads: ['id', 'sound', 'mark'], writes: ['mark'], change: (item) => {
    if (item.id.S === 'mkt123' && item.sound === undefined) throw new Error('not sound');
    return item.mark === undefined ? { set: { mark: { S: 'x' } } } : undefined;
  } })`;
}

async function inProduction(stack: GuardedStack): Promise<void> {
  await writeMigration(stack, '9002-mark-markets', markMarkets());
  await stack.configure({ 'tablewright:production': true });
}

async function mend({ behind, configure }: GuardedStack): Promise<void> {
  await configure({});
  await behind.client.send(
    new UpdateItemCommand({
      TableName: 'markets-dev',
      Key: { id: { S: 'mkt123' } },
      UpdateExpression: 'SET sound = :yes',
      ExpressionAttributeValues: { ':yes': { BOOL: true } },
    }),
  );
}

/** A function hears of every change of a table. */
async function listen({ behind, front }: GuardedStack): Promise<void> {
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' as const };
  await behind.client.send(new UpdateTableCommand({ TableName: 'orders-dev', StreamSpecification }));
  front.listeners.push({ UUID: 'u', FunctionArn: 'arn:aws:lambda:us-east-1:111122223333:function:hears', State: 'Enabled' });
}

async function meddle({ native, front }: GuardedStack): Promise<void> {
  const scaled = { ResourceId: 'table/control-dev', ScalableDimension: 'dynamodb:table:ReadCapacityUnits' };
  front.scaling.targets.push({ ...scaled, ServiceNamespace: 'dynamodb', MinCapacity: 1, MaxCapacity: 2 });
  for (const tags of native.tags.values()) if (tags.get('Table') === 'control') tags.set('Environment', 'elsewhere');
}

/** As if another runner were at work. */
function holdLock({ behind }: GuardedStack): Promise<unknown> {
  const lease = {
    scope: lockScope,
    token: 1_000,
    holder: 'another',
    since: ago(1),
    leaseUntil: Date.now() + 60_000,
    doing: 'migrate',
  };
  const Item = ledgerItem(lockRecord, lease);
  return behind.client.send(new PutItemCommand({ TableName: 'tablewright-ledger-dev', Item }));
}
