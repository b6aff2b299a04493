import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import {
  CreateTableCommand,
  PutItemCommand,
  ScanCommand,
  TagResourceCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { type DynamoDBClient, dynamoClient } from '../../engine/aws/clients.ts';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { addIndexRequest, tagList } from '../../engine/core/tables/create-table.ts';
import type { ImportFile } from '../../engine/core/tables/import-file.ts';
import type { Adoption } from '../../engine/core/tables/plan-adoption.ts';
import type { DynamoService } from '../../engine/local/local-engine.ts';
import { ensureTable } from '../../engine/run/tables/ensure-tables.ts';
import { parseStackConfig, physicalName } from '../../tables/model/stack/stack-config.ts';
import { tableTags } from '../../tables/model/stack/tags.ts';
import { sourcesTables } from '../engine/tables/sources-tables.ts';
import { boot, bootTimeoutMs } from '../infra/support/boot.ts';
import { tableType } from '../infra/support/registered.ts';
import { urnOf } from '../support/import-urn.ts';
import { openTestDynamo } from '../support/open-engine.ts';
import { tables } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { runMain } from '../support/run-main.ts';

const stack = 'old';
const settings = { 'aws:region': 'us-east-1', 'tablewright:account': '111122223333' };
const stackText = `config:\n${Object.entries(settings)
  .map(([name, value]) => `  ${name}: "${value}"\n`)
  .join('')}`;
const config = parseStackConfig(stack, settings, tables);
const retained = ['--retained', `oms-trading-${stack}`, '--retained', `oms-config-${stack}`];

describe('adopt, on tables made as the sources make them', function () {
  this.timeout(bootTimeoutMs);
  let engine: DynamoService;
  let client: DynamoDBClient;
  let folder: ProjectFolder;

  const run = (...more: readonly string[]) =>
    runMain(folder.root, ['adopt', '--stack', stack, '--endpoint', engine.endpoint, ...more]);

  before(async () => {
    engine = await openTestDynamo();
    client = dynamoClient({ region: 'us-east-1', endpoint: engine.endpoint });
    folder = await projectFolder({ [stack]: stackText, dev: stackText });
    for (const { table, ttl } of sourcesTables(stack)) {
      await client.send(new CreateTableCommand(table));
      if (ttl === undefined) continue;
      const TimeToLiveSpecification = { Enabled: true, AttributeName: ttl };
      await client.send(new UpdateTimeToLiveCommand({ TableName: table.TableName, TimeToLiveSpecification }));
    }
    await client.send(new PutItemCommand({ TableName: `orders-${stack}`, Item: { id: { S: 'o1' } } }));
  });

  after(async () => {
    client?.destroy();
    await folder?.remove();
    await engine?.release();
  });

  it('refuses tables of CloudFormation stacks that would delete them, both at once, and writes no file', async () => {
    const { code, stderr } = await run();
    expect(code).to.equal(2);
    expect(stderr).to.match(/^DANGEROUS_CHANGE: tables of the stack old cannot be adopted as they are\n/);
    expect(
      stderr.match(/oms_\w+: the CloudFormation stack oms-\w+-old owns it as \w+Table, and its template could not be read/g),
    ).to.have.length(2);
    expect(stderr).to.contain("say '--retained oms-trading-old' when that is done");
    await readFile(join(folder.root, `adopt-${stack}.json`)).then(
      () => expect.fail('a file was written'),
      () => undefined,
    );
  });

  it('knows of no other owner: a name that was written wrongly is told, with those that there are', async () => {
    const { code, stderr } = await run('--retained', `oms-trading-${stack}`, 'oms-confg', 'payroll');
    expect(code).to.equal(2);
    expect(stderr).to.equal(
      [
        'UNKNOWN_NAME: --retained names stacks that own none of the tables',
        '  - oms-confg: expected a CloudFormation stack that a table belongs to; their owners are oms-config-old, oms-trading-old',
        '  - payroll: expected a CloudFormation stack that a table belongs to; their owners are oms-config-old, oms-trading-old',
        '→ Name those of oms-config-old, oms-trading-old that leave their tables behind.',
        '',
      ].join('\n'),
    );
  });

  it('believes a template that keeps the table, and no other', async () => {
    const templates: Readonly<Record<string, string>> = {
      [`oms-trading-${stack}`]:
        'Resources:\n  TradingTable:\n    Type: AWS::DynamoDB::Table\n    DeletionPolicy: Retain\n    Properties:\n      TableName: !Ref TableName\n',
      [`oms-config-${stack}`]: '{"Resources":{"ConfigTable":{"Type":"AWS::DynamoDB::Table"}}}',
    };
    const server = await cloudFormation(templates);
    const { stderr } = await withCloudFormation(server, () => run());
    server.close();
    expect(stderr).not.to.contain('oms-trading');
    expect(stderr).to.contain(`oms-config-${stack} owns it as ConfigTable, with the DeletionPolicy Delete`);
  });

  let file: ImportFile;

  it('says in words what changes in place, and which tags go', async () => {
    const { code, stdout, stderr } = await run(...retained, '--json');
    expect(code, stderr).to.equal(0);
    const { adoptions, commands } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
      readonly adoptions: readonly Adoption[];
      readonly commands: readonly string[];
    };
    const of = (name: string) => adoptions.find(({ table }) => table === name);
    expect(adoptions.map(({ outcome }) => outcome)).not.to.include('refused');
    expect(of('orders')?.changes).to.include(
      'the index orders_by_owner on gsi3pk (S) / gsi3sk (S) is added and filled; the others stay as they are',
    );
    expect(of('control')?.changes).to.include('items begin to expire by ttl');
    expect(of('oms_trading_data')?.changes.filter((change) => !change.includes('tag'))).to.deep.equal([]);
    expect(of('crypto-backtest-results')?.changes).to.include.members([
      'the tag Environment turns from production to old',
      `the tag Service turns from crypto-backtest to backtest; to keep it: npx pulumi config set --path 'tablewright:tables["crypto-backtest-results"].tags.Service' 'crypto-backtest' -s old`,
      `the tag Project=crypto-backtest goes; to keep it: npx pulumi config set --path 'tablewright:tables["crypto-backtest-results"].tags.Project' 'crypto-backtest' -s old`,
    ]);
    expect(of('tablewright-ledger')?.outcome).to.equal('created');
    expect(commands[0]).to.equal('npx pulumi import --file adopt-old.json --protect=false --generate-code=false --yes -s old');
    file = JSON.parse(await readFile(join(folder.root, `adopt-${stack}.json`), 'utf8')) as ImportFile;
  });

  it('tells a person what the server could not be asked, and the commands at the end', async () => {
    const { stdout } = await run(...retained);
    expect(stdout).to.contain(
      'Not offered by this server, so not looked at: scaling, Contributor Insights.\nRun:\n  npx pulumi import',
    );
    expect(stdout.trim().split('\n').at(-1)).to.equal('  npx tablewright doctor --stack old');
  });

  it('puts the settings of all tables that take two deployments around the first, because each is of all tables; so does doctor', async () => {
    const billing = { mode: 'provisioned', read: 5, write: 5, max: { read: 9 } };
    const scaled = { ...settings, 'tablewright:systems': ['backtest'], 'tablewright:nameSuffix': { outsideProd: `-${stack}` } };
    const names = ['crypto-backtest-results', 'crypto-active-coins'];
    const tablesOf = { 'tablewright:tables': Object.fromEntries(names.map((name) => [name, { billing }])) };
    await writeFile(join(folder.root, 'Pulumi.scaled.yaml'), JSON.stringify({ config: { ...scaled, ...tablesOf } }));
    const at = ['--stack', 'scaled', '--endpoint', engine.endpoint];
    const { code, stdout, stderr } = await runMain(folder.root, ['adopt', ...at]);
    expect(code, stderr).to.equal(0);
    const setting = (verb: string, name: string, value: string) =>
      `  npx pulumi config ${verb} --path 'tablewright:tables["${name}"].billing.drift'${value} -s scaled`;
    const both = (order: readonly string[]) => [
      ...order.map((name) => setting('set', name, ' correct')),
      '  npx pulumi up -s scaled',
      ...order.map((name) => setting('rm', name, '')),
      '  npx pulumi up -s scaled',
    ];
    const run = stdout.slice(stdout.indexOf('\nRun:\n')).trim().split('\n');
    const [, imported, ...commands] = run;
    expect(imported).to.match(/^ {2}npx pulumi import --file adopt-scaled\.json /);
    expect(commands).to.deep.equal([...both(names.toSorted()), '  npx tablewright doctor --stack scaled']);
    expect(stdout).to.contain('  - its capacity and that of its indexes begin at read and write of the stack’s file');
    const told = (await runMain(folder.root, ['doctor', ...at])).stdout;
    expect(told).to.contain(`the first writes its capacity:\n${both(names.toSorted()).join('\n')}`);
  });

  it('writes a file whose URNs are those of the program, so that nothing is replaced', async () => {
    const { resources, exitCode } = await boot(stack, settings);
    expect(exitCode).to.equal(0);
    const urns = new Map(resources.map((resource) => [resource.urn, resource]));
    expect(file.resources.map((entry) => urnOf(stack, file, entry)).filter((urn) => !urns.has(urn))).to.deep.equal([]);
    const imported = file.resources.filter(({ type }) => type === tableType);
    expect(imported).to.have.length(12);
    for (const entry of imported) {
      const registered = urns.get(urnOf(stack, file, entry));
      const made = sourcesTables(stack).find(({ table }) => table.TableName === entry.id)?.table;
      // What the provider would replace a table for.
      expect(registered?.inputs, entry.id).to.deep.include({ name: entry.id, hashKey: made?.KeySchema?.[0]?.AttributeName });
      expect(registered?.inputs.rangeKey, entry.id).to.equal(made?.KeySchema?.[1]?.AttributeName);
    }
    expect(new Set(file.resources.map(({ name }) => name)).size).to.equal(file.resources.length);
  });

  it('leaves a stack of which doctor has nothing to say once it was changed in place, items included', async () => {
    const store = dynamoStore(client);
    for (const table of tables) {
      const found = await store.describeTable(physicalName(table, config));
      for (const index of found === undefined
        ? []
        : table.indexes.filter(({ name }) => !found.indexes.some((one) => one.name === name))) {
        const present = await store.describeTable(physicalName(table, config));
        if (present !== undefined) await store.addIndex(addIndexRequest(table, config, index, present));
      }
      if (found !== undefined) {
        const ResourceArn = `arn:aws:dynamodb:us-east-1:000000000000:table/${found.name}`;
        await client.send(new TagResourceCommand({ ResourceArn, Tags: tagList(tableTags(table, config)) }));
      }
      await ensureTable({ store, config, sleep }, table);
    }
    const { stdout } = await runMain(folder.root, ['doctor', '--stack', stack, '--endpoint', engine.endpoint, '--json']);
    const { differences } = JSON.parse(stdout) as { readonly differences: readonly { readonly what: string }[] };
    // The embedded engine cannot change how a table is encrypted.
    expect(differences.filter(({ what }) => what !== 'encryption')).to.deep.equal([]);
    const { Count } = await client.send(new ScanCommand({ TableName: `orders-${stack}` }));
    expect(Count).to.equal(1);
  });

  it('refuses what would replace a table or drop an index, with what to change in the catalogue', async () => {
    await client.send(
      new UpdateTableCommand({
        TableName: `control-${stack}`,
        AttributeDefinitions: [{ AttributeName: 'old', AttributeType: 'S' }],
        GlobalSecondaryIndexUpdates: [
          {
            Create: {
              IndexName: 'Leftover',
              KeySchema: [{ AttributeName: 'old', KeyType: 'HASH' }],
              Projection: { ProjectionType: 'ALL' },
            },
          },
        ],
      }),
    );
    const { code, stderr } = await run(...retained);
    expect(code).to.equal(2);
    expect(stderr).to.contain(
      'control-old: its index Leftover on old (S) would be dropped: add it to control in the catalogue, or drop it first',
    );
  });

  it('has nothing to do with the local stack', async () => {
    const { code, stderr } = await runMain(folder.root, ['adopt', '--endpoint', engine.endpoint]);
    expect(code).to.equal(2);
    expect(stderr).to.match(/^BAD_ARGUMENT: the local stack is not deployed by Pulumi/);
  });
});

/** CloudFormation's GetTemplate, by the query protocol. */
async function cloudFormation(templates: Readonly<Record<string, string>>): Promise<Server> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const asked = new URLSearchParams(body);
      const template = templates[asked.get('StackName') ?? ''] ?? '';
      const escaped = template.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      response.setHeader('content-type', 'text/xml');
      response.end(
        `<GetTemplateResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><GetTemplateResult><TemplateBody>${escaped}</TemplateBody></GetTemplateResult></GetTemplateResponse>`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function withCloudFormation<T>(server: Server, work: () => Promise<T>): Promise<T> {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const wanted: Readonly<Record<string, string>> = {
    AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  };
  const before = Object.keys(wanted).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, wanted);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
