import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { stringify } from 'yaml';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import { type S3Client, s3Client } from '../../../engine/aws/command-clients.ts';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { commands } from '../../../engine/cli/commands/all.js';
import { main } from '../../../engine/cli/main.js';
import { sleep } from '../../../engine/cli/read-environment.ts';
import { pipe } from '../../../engine/cli/show/screen.ts';
import { commonApplies } from '../../../engine/cli/spec/common-options.js';
import { openS3 } from '../../../engine/local/local-engine.ts';
import { ensureTable } from '../../../engine/run/tables/ensure-tables.ts';
import { runnerMachine } from '../../../tables/model/runner/machine.ts';
import { runnerMachineArn, runnerMachineName } from '../../../tables/model/runner/names.ts';
import { functionArn } from '../../../tables/model/stack/aws-place.ts';
import { exportBucketName } from '../../../tables/model/stack/export-bucket-name.ts';
import { parseStackConfig, physicalName, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import { ciphertext, configSet } from '../../infra/support/config-set.ts';
import { keyArn, place } from '../../infra/support/fake-aws.ts';
import { runMocked } from '../../infra/support/mocked-run.ts';
import { alarmType, ofType, tableType } from '../../infra/support/registered.ts';
import { stackFile } from '../../infra/support/stack-file.ts';
import { type BulkServer, startBulkServer } from '../bulk-server.ts';
import { checkJsonLines } from '../check-json-lines.ts';
import { serveConsole } from '../console-bed.ts';
import { type NativeServer, startNativeServer } from '../native-server.ts';
import { openTestDynamo } from '../open-engine.ts';
import { tables as catalogue } from '../project.ts';
import { linkProject } from '../project-folder.ts';
import { repository } from '../run-cli.ts';
import { openStepFunctions } from '../step-functions-server.ts';
import { accessOf, type DeployedAccess } from './access.ts';
import type { Holding } from './decide.ts';
import { type Decided, EnforcingFront } from './front.ts';

export interface CommandRun {
  readonly code: number;
  readonly printed: string;
  /** What of it went to the error stream. */
  readonly stderr: string;
  /** What was asked of IAM on the way. */
  readonly decided: readonly Decided[];
}

/** A stack as on AWS, with its policies enforced: its tables, its bucket, DynamoDB's own exports and imports, its log. */
export interface GuardedStack {
  readonly access: DeployedAccess;
  readonly config: StackConfig;
  readonly front: EnforcingFront;
  readonly native: NativeServer;
  readonly bulk: BulkServer;
  readonly bucket: string;
  /** The project's folder: its stack file, migrations and seeds. */
  readonly root: string;
  /** Past all policies, to set the scene. */
  readonly behind: { readonly endpoint: string; readonly client: DynamoDBClient; readonly s3: S3Client };
  /** Other settings for the commands that follow; the policies stay. */
  configure(settings: object): Promise<void>;
  /** A client of a caller that holds these policies. */
  client(holding: Holding): DynamoDBClient;
  /** Runs a command as a caller that holds these policies does on AWS. */
  run(holding: Holding, ...words: readonly string[]): Promise<CommandRun>;
  /** The same on a terminal that is so many columns wide. */
  runOnTerminal(columns: number, holding: Holding, ...words: readonly string[]): Promise<CommandRun>;
  close(): Promise<void>;
}

/** Recovery and protection as in production, so that everything that a command may do is done; no question is asked. */
const changes = {
  'tablewright:pitr': { enabled: true },
  'tablewright:protect': true,
  'tablewright:budgets': { read: 100_000, write: 100_000 },
  // The embedded engine keeps no maximum, and on AWS one that is not there is a difference.
  'tablewright:billing': { mode: 'on-demand' },
  // Some hear of its changes.
  'tablewright:tables': { orders: { stream: 'NEW_IMAGE' } },
  // Any file will do: nobody opens it here.
  'tablewright:schedules': { bundle: join(repository, 'package.json') },
  'tablewright:runner': { enabled: true },
};

export async function startGuardedStack(): Promise<GuardedStack> {
  const settings = { ...stackFile('dev'), ...changes };
  const config = parseStackConfig('dev', settings, catalogue);
  const { resources } = await runMocked('dev', settings);
  const access = accessOf(resources, keyArn, place);
  const [engine, s3Service] = await Promise.all([openTestDynamo(), openS3({ data: { kind: 'memory' } })]);
  const client = dynamoClient({ region: place.region, endpoint: engine.endpoint });
  const s3 = await s3Client({ region: place.region, endpoint: s3Service.endpoint });
  for (const table of catalogue) {
    await ensureTable({ store: dynamoStore(client), config, sleep }, table);
    const TableName = physicalName(table, config);
    await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: config.protect }));
  }
  const bucket = exportBucketName(config, place);
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  const bulk = await startBulkServer(engine.endpoint, s3, place.account);
  const native = await startNativeServer(bulk.endpoint, s3, place.account);
  for (const name of access.tables.keys()) native.pitr.set(name, 35);
  for (const { inputs } of ofType(resources, tableType)) {
    const arn = `arn:aws:dynamodb:${place.region}:${place.account}:table/${inputs.name}`;
    native.tags.set(arn, new Map(Object.entries(inputs.tags as Readonly<Record<string, string>>)));
  }
  const machine = runnerMachineArn(place, config);
  const stepFunctions = await openStepFunctions(machine, { endsAtOnce: true });
  stepFunctions.definition = JSON.stringify(runnerMachine(`${functionArn(place, runnerMachineName(config))}:1`));
  const front = new EnforcingFront({
    access,
    dynamodb: native.endpoint,
    s3: s3Service.endpoint,
    stepFunctions: stepFunctions.endpoint,
  });
  for (const { inputs } of ofType(resources, alarmType)) front.alarms.set(String(inputs.name), 'OK');
  await front.listen();
  const root = await projectFolder(settings);
  return {
    access,
    config,
    front,
    native,
    bulk,
    bucket,
    root,
    behind: { endpoint: engine.endpoint, client, s3 },
    configure: (further) => writeStackFile(root, { ...settings, ...further }),
    client: (holding) =>
      new DynamoDBClient({ region: place.region, endpoint: front.endpoint, credentials: front.credentials(holding) }),
    run: (holding, ...words) =>
      asOnAws(front, holding, () =>
        words[0] === 'console' ? lookAround(front, root, words.slice(1)) : runHere(front, root, words),
      ),
    runOnTerminal: (columns, holding, ...words) =>
      asOnAws(front, holding, () => runHere(front, root, words, { terminal: true, columns })),
    close: async () => {
      await front.close();
      await native.close();
      await bulk.close();
      await stepFunctions[Symbol.asyncDispose]();
      client.destroy();
      s3.destroy();
      await Promise.all([engine.release(), s3Service.release()]);
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function projectFolder(settings: object): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'tablewright-policies-'));
  await mkdir(join(root, 'migrations'));
  await symlink(join(repository, 'seeds'), join(root, 'seeds'));
  await symlink(join(repository, 'examples/masks.yaml'), join(root, 'masks.yaml'));
  await linkProject(root);
  await writeFile(join(root, 'Pulumi.yaml'), 'name: tablewright\n');
  await writeStackFile(root, settings);
  return root;
}

/** As Pulumi's own commands leave it after the lines of docs/infrastructure.md: every command that runs here reads such a file. */
function writeStackFile(root: string, settings: object): Promise<void> {
  const subscription = 'tablewright:alarms.subscriptions[0]';
  const initialised = stringify({ encryptionsalt: ciphertext, config: settings });
  const placed = configSet(initialised, 'tablewright:account', place.account);
  const told = configSet(placed, `${subscription}.protocol`, 'email', { path: true });
  const file = configSet(told, `${subscription}.endpoint`, 'ops@example.com', { path: true, secret: true });
  return writeFile(join(root, 'Pulumi.dev.yaml'), file);
}

/** The SDK's own variables lead every client to the front, so a command makes the clients that it makes on AWS. */
async function asOnAws<T>(front: EnforcingFront, holding: Holding, work: () => Promise<T>): Promise<T> {
  const { accessKeyId, secretAccessKey } = front.credentials(holding);
  const wanted: Readonly<Record<string, string | undefined>> = {
    AWS_ENDPOINT_URL: front.endpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: undefined,
    AWS_PROFILE: undefined,
  };
  const before = Object.keys(wanted).map((name) => [name, process.env[name]] as const);
  const set = (entries: Iterable<readonly [string, string | undefined]>) => {
    for (const [name, value] of entries) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  set(Object.entries(wanted));
  try {
    return await work();
  } finally {
    set(before);
  }
}

/** A command line in this process, as on a machine whose environment says nothing: the command knows of no other server than AWS. */
async function runHere(front: EnforcingFront, root: string, words: readonly string[], screen = pipe): Promise<CommandRun> {
  const printed: string[] = [];
  let [stdout, stderr] = ['', ''];
  const from = front.decided.length;
  const spec = commands.find((one) => words.join(' ').startsWith(one.words));
  const on = spec !== undefined && commonApplies('stack', spec) && !words.includes('--stack') ? ['--stack', 'dev'] : [];
  const code = await main([...words, ...on], {
    cwd: root,
    env: { TABLEWRIGHT_MASK_KEY: 'a key for the tests of policies' },
    write: (text) => {
      printed.push(text);
      stdout += text;
    },
    writeError: (text) => {
      printed.push(text);
      stderr += text;
    },
    results: screen,
    errors: screen,
    signal: new AbortController().signal,
    loadTypeScript: async () => undefined,
  });
  checkJsonLines(words, stdout, stderr);
  return { code, printed: printed.join(''), stderr, decided: front.decided.slice(from) };
}

/** Every page of the console once: it stays until it is stopped, so it is asked and not waited for. */
async function lookAround(front: EnforcingFront, root: string, options: readonly string[]): Promise<CommandRun> {
  const from = front.decided.length;
  const console = await serveConsole(root, options.includes('--stack') ? options : ['--stack', 'dev', ...options]);
  const pages: readonly (readonly [string, object?])[] = [
    ...['stack', 'doctor', 'tables', 'tables/orders/items?asked=yes', 'migrations', 'plan', 'cutover', 'transfers'].map(
      (path) => [path] as const,
    ),
    ['patterns/orderManagement.ordersByStatus/read', { params: { status: 'Open' }, asked: true }],
    ['cutover/markets.orders.bestBids/check', { asked: true }],
    ['pause', {}],
    ['resume', {}],
  ];
  const answers: string[] = [];
  try {
    for (const [path, body] of pages) {
      const answer = await console.ask(`/api/${path}`, body === undefined ? {} : { body });
      answers.push(`${path}: ${answer.status} ${await answer.text()}`);
    }
  } finally {
    answers.push(`stopped: ${(await console.close()) === 0 ? 200 : 'with an error'} `);
  }
  const failed = answers.filter((answer) => !/^\S+: 200 /.test(answer) || answer.includes('"error"'));
  return { code: failed.length, printed: failed.join('\n'), stderr: '', decided: front.decided.slice(from) };
}
