import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AttributeValue, PutItemCommand, UpdateItemCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { freePort } from '../../engine/local/shared-service.ts';
import { buildItem } from '../../tables/model/item.ts';
import { client, omsConfig } from '../../tables/oms/config.ts';
import type { GuardedStack } from './enforcing-front/guarded-stack.ts';
import { repository } from './run-cli.ts';

/** The commands in an order in which each finds something to do; those that are not named come after them. */
export const exampleOrder: readonly string[] = [
  'seed',
  'plan',
  'retry',
  'migrate',
  'verify',
  'rollback',
  'migrate',
  'export',
  'import',
];

/** Those that need a project of their own: the last test runs them. */
export const runElsewhere: readonly string[] = ['init', 'completion', 'shape release', 'up'];

/** What examples end with, where that is not 0: with --fail they do if they find something. */
export const exampleCodes: Readonly<Record<string, number>> = {
  'audit scans src --format sarif --fail': 1,
  'audit usage src --fail': 1,
};

/** What has to be there before a command's examples run, or before one of them. */
export const exampleScenes: Readonly<Record<string, (stack: GuardedStack) => Promise<unknown>>> = {
  seed: makeProject,
  restore: makeBackups,
  'backup delete': makeBackups,
  attach: (stack) => stack.run([], 'verify', '--on', 'aws'),
  'retry 6': leaveDeadLetter,
  'retry 0006-index-order-book --stack dev --rate 200': async (stack) => {
    await stack.run([], 'rollback', '--to', '5', '--yes');
    await leaveDeadLetter(stack);
  },
  console: async (stack) => ports.set(stack, await freePort()),
  bundle: ({ root }) => mkdir(join(root, 'build'), { recursive: true }),
  doctor: ({ behind }) => {
    const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' as const };
    return behind.client.send(new UpdateTableCommand({ TableName: 'orders-dev', StreamSpecification }));
  },
  'adopt --stack dev --retained oms-trading-dev oms-config-dev --to adopt.json': tagAsCloudFormationDoes,
  'subject erase': ({ behind }) =>
    Promise.all(
      ['client_9', 'client_10'].map((client_id) => {
        const Item = buildItem(omsConfig, client, { client_id, name: 'Nobody', status: 'ACTIVE' });
        return behind.client.send(new PutItemCommand({ TableName: 'oms_config_dev', Item }));
      }),
    ),
};

/** What only a run knows: ARNs of backups, the time of a scan, a free port, where local is; a sample of few records is all of them. */
export function realLine(line: string, stack: GuardedStack): string {
  const [backup, another] = backupsOf(stack);
  return line
    .replace(/arn:\S+-1a2b3c4d/, () => backup ?? '')
    .replace(/arn:\S+-5e6f7a8b/, () => another ?? '')
    .replace('scan-20251114-103000', 'scan-20251217-120000')
    .replace(/^(console .*)--port \d+/, `$1--port ${ports.get(stack)}`)
    .replace(/^(refresh .*)--share \d+%(.*)$/, `$1--share 100%$2 --to-endpoint ${stack.behind.endpoint}`);
}

const ports = new WeakMap<GuardedStack, number>();
const madeBackups = new WeakMap<GuardedStack, readonly string[]>();
const backupsOf = (stack: GuardedStack): readonly string[] => madeBackups.get(stack) ?? [];

async function makeBackups(stack: GuardedStack): Promise<void> {
  const arns: string[] = [];
  for (const name of ['first', 'second']) {
    const { printed } = await stack.run([], 'backup', 'create', 'orders', '--name', name, '--poll-ms', '1');
    arns.push(/arn:aws:dynamodb\S+/.exec(printed)?.[0] ?? '');
  }
  madeBackups.set(stack, arns);
}

/** The rest of a project around the tables: migrations, a program, something to audit, a preview. */
async function makeProject({ root }: GuardedStack): Promise<void> {
  const from = join(repository, 'migrations');
  for (const file of await readdir(from)) await symlink(join(from, file), join(root, 'migrations', file));
  await rm(join(root, 'Pulumi.yaml'));
  for (const part of ['infra', 'node_modules', 'package.json', 'Pulumi.yaml'])
    await symlink(join(repository, part), join(root, part));
  await mkdir(join(root, 'src'));
  const source =
    "import { ScanCommand } from '@aws-sdk/lib-dynamodb';\nexport const all = new ScanCommand({ TableName: 'orders' });\n";
  await writeFile(join(root, 'src/read.ts'), source);
  await writeFile(join(root, 'preview.json'), JSON.stringify({ steps: [] }));
}

/** An order whose price is no number is left behind by migration 6; then somebody mends it. */
async function leaveDeadLetter(stack: GuardedStack): Promise<void> {
  const price = (value: AttributeValue) =>
    stack.behind.client.send(
      new UpdateItemCommand({
        TableName: 'orders-dev',
        Key: { id: { S: 'mkt123:order:0001' } },
        UpdateExpression: 'SET price = :price REMOVE sort, gsi1pk, gsi1sk, gsi2pk, gsi2sk, gsi3pk, gsi3sk',
        ExpressionAttributeValues: { ':price': value },
      }),
    );
  await price({ S: 'cheap' });
  await stack.run([], 'migrate', '--to', '6');
  await price({ N: '0.5' });
}

/** Two tables that stacks of CloudFormation own, as an adoption finds them. */
async function tagAsCloudFormationDoes({ native }: GuardedStack): Promise<void> {
  for (const [arn, tags] of native.tags) {
    const [, owner] = /table\/oms_(trading|config)/.exec(arn) ?? [];
    if (owner !== undefined) tags.set('aws:cloudformation:stack-name', `oms-${owner}-dev`);
  }
}
