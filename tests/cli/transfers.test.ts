import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateTableCommand, DeleteTableCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { s3Client } from '../../engine/aws/command-clients.ts';
import { openS3 } from '../../engine/local/local-engine.ts';
import type { Service } from '../../engine/local/shared-service.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../tables/model/canonical.ts';
import { parseStackConfig, physicalName } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { type BulkServer, startBulkServer } from '../support/bulk-server.ts';
import { openCapacityProxy } from '../support/capacity-proxy.ts';
import { CliWorker } from '../support/cli-worker.ts';
import { seededRandom } from '../support/fault-proxy.ts';
import { tables, wholeCatalogue } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { repository } from '../support/run-cli.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';

const bucket = 'transfers-of-dev';
const config = parseStackConfig('dev', {}, wholeCatalogue);
const content = tables.filter(({ system }) => system !== 'tablewright');
const stranger = 'legacy_orders';
const ofStranger = {
  TableName: stranger,
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' as const }],
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' as const }],
  BillingMode: 'PAY_PER_REQUEST' as const,
};

const named = (name: string): Table => content.find((table) => table.name === name) as Table;

async function itemsIn(engine: TestEngine, tableName: string): Promise<readonly string[]> {
  const { Items = [] } = await engine.client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }));
  return Items.map((item) => canonicalItem(item as Item)).toSorted();
}

/** Every table of the catalogue and the one beside it. */
async function everything(engine: TestEngine): Promise<Readonly<Record<string, readonly string[]>>> {
  const names = [...content.map((table) => physicalName(table, config)), stranger];
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await itemsIn(engine, name)] as const)));
}

describe('transfers on the command line', function () {
  this.timeout(300_000);
  let folder: ProjectFolder;
  let worker: CliWorker;
  let source: TestEngine;
  let target: TestEngine;
  let s3Service: Service;
  let s3: S3Client;
  let bulk: BulkServer;
  const on = (engine: { readonly endpoint: string }) => ['--stack', 'dev', '--endpoint', engine.endpoint];
  const run = (...args: readonly string[]) => worker.run(args);

  before(async () => {
    const file = `config:\n  aws:region: us-east-1\n  tablewright:exportBucket:\n    name: ${bucket}\n`;
    folder = await projectFolder({ dev: file, prod: `${file}  tablewright:production: true\n` });
    [source, target, s3Service] = await Promise.all([
      startEngine(wholeCatalogue, config),
      startEngine(wholeCatalogue, config),
      openS3({ data: { kind: 'memory' } }),
    ]);
    s3 = await s3Client({ region: 'us-east-1', endpoint: s3Service.endpoint });
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
    bulk = await startBulkServer(target.endpoint, s3);
    worker = new CliWorker(folder.root, { AWS_ENDPOINT_URL_S3: s3Service.endpoint });
    await source.client.send(new CreateTableCommand(ofStranger));
    for (let at = 0; at < 30; at += 1)
      await source.client.send(new PutItemCommand({ TableName: stranger, Item: { id: { S: `legacy-${at}` } } }));
    const seeded = await run('seed', ...on(source), '--quiet');
    expect(seeded.code, seeded.stderr).to.equal(0);
  });

  after(async () => {
    worker?.close();
    s3?.destroy();
    await bulk?.close();
    await Promise.all([source?.close(), target?.close(), s3Service?.release()]);
    await folder?.remove();
  });

  /** As a user runs it, so that it can be killed. */
  function start(args: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<number | null> } {
    const child = spawn(process.execPath, [join(repository, 'engine/cli/bin.js'), ...args], {
      cwd: folder.root,
      stdio: 'ignore',
    });
    return { child, ended: new Promise((resolve) => child.on('close', resolve)) };
  }

  /** Runs a command again and again, each time killed with its n-th write as often as there are numbers, then to its end. */
  async function killedAt(writes: readonly number[], args: (endpoint: string) => readonly string[], engine: TestEngine) {
    let kills = 0;
    for (const point of [...writes, Number.POSITIVE_INFINITY]) {
      let seen = 0;
      let child: ChildProcess | undefined;
      const proxy = await openCapacityProxy(engine.endpoint, ({ kind }) => {
        seen += kind === 'write' ? 1 : 0;
        if (seen === point) child?.kill('SIGKILL');
      });
      try {
        const started = start(args(proxy.endpoint));
        child = started.child;
        const code = await started.ended;
        if (code === null) kills += 1;
        else expect(code).to.equal(0);
      } finally {
        child?.kill('SIGKILL');
        await proxy.close();
      }
    }
    return kills;
  }

  const whole = () => join(folder.root, 'whole');

  it('export --all takes every table and those named beside it; import --all brings them back, and makes what no catalogue has', async () => {
    const out = await run('export', '--all', '--table-name', stranger, '--to', whole(), ...on(source));
    expect(out.code, out.stderr).to.equal(0);
    // Not the ledger, and the stranger.
    const count = wholeCatalogue.length;
    expect(out.stdout).to.match(new RegExp(`^Exported ${count} tables with [\\d,]+ items\\.$`, 'm'));
    const back = await run('import', whole(), '--all', '--verify', 'full', ...on(target));
    expect(back.code, back.stderr).to.equal(0);
    expect(back.stdout).to.match(new RegExp(`^Imported ${count} tables\\.$`, 'm'));
    const expected = await everything(source);
    expect(expected[stranger]).to.have.length(30);
    expect(await everything(target)).to.deep.equal(expected);
  });

  it('import --all is killed with kill -9 at random writes of its loop, and the same command ends it', async () => {
    await Promise.all(content.map((table) => clear(target, table)));
    await target.client.send(new DeleteTableCommand({ TableName: stranger }));
    const args = (endpoint: string) => ['import', whole(), '--all', '--again', '--stack', 'dev', '--endpoint', endpoint];
    const random = seededRandom(18);
    const first = Math.ceil(random() * 10);
    expect(await killedAt([first], args, target)).to.equal(1);
    // Without --again from here on: it goes on.
    const goingOn = (endpoint: string) => args(endpoint).filter((word) => word !== '--again');
    const points = Array.from({ length: 4 }, () => 1 + Math.ceil(random() * 12));
    expect(await killedAt(points, goingOn, target), `killed at ${points}`).to.be.greaterThan(1);
    expect(await everything(target)).to.deep.equal(await everything(source));
  });

  it('import --all refuses an unfinished set, a folder that is none, and one that leads outside, before anything is written', async () => {
    const text = await readFile(join(whole(), 'export-set.json'), 'utf8');
    const at = async (name: string, files: Readonly<Record<string, string>>) => {
      const place = join(folder.root, name);
      await mkdir(place, { recursive: true });
      for (const [file, body] of Object.entries(files)) await writeFile(join(place, file), body);
      return (await run('import', place, '--all', ...on(target))).stderr.replaceAll(folder.root, '.');
    };
    expect(await at('none', {})).to.equal(
      "BAD_EXPORT: ./none: no export by --all: expected export-set.json\n→ Name the place that 'tablewright export --all' printed.\n",
    );
    expect(await at('begun', { '_export-set.json': '{}' })).to.match(
      /^BAD_EXPORT: \.\/begun: the export by --all is unfinished\n/,
    );
    for (const away of ['../AWSDynamoDB/x', 'orders/AWSDynamoDB/..']) {
      const leading = text.replace(/"folder": "[^"]+"/, `"folder": "${away}"`);
      expect(leading).not.to.equal(text);
      expect(await at('away', { 'export-set.json': leading })).to.match(
        /^BAD_EXPORT: .*\n {2}- export-set\.json: tables\.0\.folder: /,
      );
    }
  });

  it('export --csv and import --csv carry a table over, types and maps included', async () => {
    const table = named('order-management');
    await clear(target, table);
    const place = join(folder.root, 'as-csv');
    const out = await run('export', table.name, '--csv', '--to', place, ...on(source));
    expect(out.code, out.stderr).to.equal(0);
    const files = (await readdir(place, { recursive: true })).filter((name) => name.endsWith('.csv') || name.endsWith('.csv.gz'));
    expect(files).not.to.have.length(0);
    const csv = join(place, files[0]?.replace(/\/[^/]+$/, '') ?? '');
    const back = await run('import', csv, '--csv', '--table', table.name, ...on(target));
    expect(back.code, back.stderr).to.equal(0);
    expect(back.stdout + back.stderr).to.match(/^Checked \d+ files? with \d+ items\.$/m);
    const name = physicalName(table, config);
    expect(await itemsIn(target, name)).to.deep.equal(await itemsIn(source, name));
  });

  it('import --csv tells all wrong cells together and writes nothing', async () => {
    const table = named('order-management');
    await clear(target, table);
    const file = join(folder.root, 'wrong.csv');
    await writeFile(file, 'PK,SK,address\nORDER#1,META,"{""X"":1}"\n,META,\n');
    const { code, stderr } = await run('import', file, '--csv', '--table', table.name, ...on(target));
    expect(code).to.equal(2);
    expect(stderr.replaceAll(folder.root, '.')).to.equal(
      'BAD_EXPORT: .: not all records are items of the table\n' +
        '  - ./wrong.csv:2: address: expected DynamoDB JSON such as {"L":[{"S":"a"}]}\n' +
        '  - ./wrong.csv:3: PK: empty, and the table’s key needs it\n' +
        '→ Nothing was written. Correct them, then run the command again.\n',
    );
    expect(await itemsIn(target, physicalName(table, config))).to.deep.equal([]);
  });

  it('archive items writes old ones, deletes them, survives kill -9, and its archive is an export that import takes', async () => {
    const table = named('oms_trading_data');
    const name = physicalName(table, config);
    await clear(target, table);
    const all = await itemsIn(source, name);
    expect(all).not.to.have.length(0);
    for (const text of all) await target.client.send(new PutItemCommand({ TableName: name, Item: JSON.parse(text) as Item }));
    const place = join(folder.root, 'archive');
    const args = (endpoint: string) => [
      ...['archive', 'items', table.name, '--older-than', '1d', '--to', place, '--delete', '--yes'],
      ...['--stack', 'dev', '--endpoint', endpoint],
    ];
    expect(await killedAt([1, 3], args, target)).to.equal(2);
    const left = await itemsIn(target, name);
    expect(left.length).to.be.lessThan(all.length / 2);
    expect(all).to.include.members([...left]);
    const [id = ''] = await readdir(join(place, 'AWSDynamoDB'));
    const back = await run('import', join(place, 'AWSDynamoDB', id), '--table', table.name, ...on(target));
    expect(back.code, back.stderr).to.equal(0);
    expect(await itemsIn(target, name)).to.deep.equal(all);
  });

  it('mask plan tells what rules change and lists everything that they leave, with examples, piped and as JSON', async () => {
    await writeFile(
      join(folder.root, 'rules.yaml'),
      'rules:\n  - { attribute: cpf, as: cpf }\n  - { attribute: email, as: email }\n',
    );
    const words = ['mask', 'plan', 'rules.yaml', '--table', 'order-management', ...on(source)];
    const { code, stdout, stderr } = await run(...words);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^ {4}masked {4}cpf +(\d+) of \1, rule 1: cpf as cpf: \d{3}\./m);
    expect(stdout).to.match(/^ {4}masked {4}SK +(\d+) of \1, holds what rules mask elsewhere: CUSTOMER#/m);
    expect(stdout).to.match(/^ {4}UNMASKED {2}first_name +\d+: /m);
    expect(stdout).to.match(/^ {4}UNMASKED {2}company_name +\d+, free text: may tell of anybody: /m);
    const lines = (await run(...words, '--json')).stdout.trim().split('\n');
    expect(lines.map((line) => typeof JSON.parse(line))).to.include('object');
    const directing = {
      PK: { S: 'COMPANY#1#ORDER#2' },
      SK: { S: 'META#1' },
      notes: { S: 'x\u001b[2J' },
      'a\u001b[31m': { S: 'y' },
    };
    await source.putRaw(named('order-management'), [directing]);
    const shown = await run(...words);
    await source.removeRaw(named('order-management'), [directing]);
    expect(shown.stdout).to.contain('x\\u001b[2J').and.to.contain('a\\u001b[31m').and.not.to.contain('\u001b');
  });

  it('import --bulk has the items put, tells what it did before, and stopped it says how to come back and how to cancel', async () => {
    const table = named('orders');
    await clear(target, table);
    const name = physicalName(table, config);
    const { stdout } = await run('export', table.name, '--to', join(folder.root, 'for-bulk'), ...on(source));
    const place = stdout.split('\n').find((line) => line.startsWith('/')) ?? '';
    const args = ['import', place, '--bulk', '--table', table.name, '--rate', '1024', '--poll-ms', '1', ...on(bulk)];
    bulk.pollsUntilDone = Number.POSITIVE_INFINITY;
    const stop = new AbortController();
    const waiting = worker.run(args, stop.signal);
    while (!bulk.calls.includes('DescribeBulkOperation')) await new Promise((resolve) => setTimeout(resolve, 20));
    stop.abort();
    const stopped = await waiting;
    expect(stopped.code).to.equal(130);
    expect(stopped.stderr).to.match(/^Interrupted; DynamoDB goes on with arn:aws:dynamodb:\S+\.$/m);
    expect(stopped.stderr)
      .to.match(/^→ Go on with: .*import .*--bulk/m)
      .and.to.match(/^→ Cancel it with: .*--cancel/m);
    bulk.pollsUntilDone = 1;
    const done = await run(...args, '--verify', 'full');
    expect(done.code, done.stderr).to.equal(0);
    expect(done.stderr + done.stdout).to.match(/COMPLETED: DynamoDB looked at \d+ items? of \d+ for orders-dev, 0 failed\./);
    expect(await itemsIn(target, name)).to.deep.equal(await itemsIn(source, name));
    expect(done.stdout).to.match(/^Billed: [\d.]+ [KM]B of bulk put\.$/m);
    expect(stopped.stderr + stopped.stdout).to.contain('DynamoDB bills it by bulk put bytes; no price of them is known here.');
    const onProduction = await run(...args.slice(0, -4), '--stack', 'prod', '--endpoint', bulk.endpoint);
    expect([onProduction.code, onProduction.stderr]).to.deep.equal([
      2,
      'REFUSED_IN_PRODUCTION: a bulk put replaces items that are there, without a condition\n' +
        '→ Give --overwrite if that is meant; else import with --skip-existing or --if-newer and without --bulk.\n',
    ]);
    expect(bulk.calls.filter((call) => call === 'StartBulkPutItems')).to.have.length(1);
    expect((await run(...args)).stdout).to.match(/^It was put before: COMPLETED/);
    const told = (await run(...args, '--json', '--quiet')).stdout;
    expect(JSON.parse(told)).to.deep.include({ event: 'imported', bulk: true, already: true });
    bulk.endNext = { status: 'FAILED', written: 3 };
    const failed = await run(...args, '--again', '--verify', 'full');
    expect(failed.code).to.equal(1);
    expect(failed.stdout).to.match(
      /^FAILED: DynamoDB looked at 3 items of \d+ for orders-dev, 0 failed\.\nInternalFailure: it broke$/m,
    );
    expect(failed.stdout).to.match(/^Verified \(full\): (\d+) items compared, \1 are as the export has them\.$/m);
    await clear(target, table);
    bulk.endNext = { status: 'FAILED', written: 3 };
    const emptier = await run(...args, '--again', '--verify', 'full');
    expect(emptier.stdout).to.match(/^Verified \(full\): \d+ items compared, 3 are as the export has them\.$/m);
    const slow = await run('import', place, '--bulk', '--table', table.name, '--rate', '100', ...on(bulk));
    expect(slow.stderr).to.match(/^BAD_ARGUMENT: --rate 100: DynamoDB limits a bulk put to 1024 write units a second or more\n/);
  });

  it('import --all names every table of the catalogue that is missing, writes nothing, and leaves making them to the deployment', async () => {
    const missing = ['markets', 'trades'].map((name) => physicalName(named(name), config));
    for (const TableName of missing) await target.client.send(new DeleteTableCommand({ TableName }));
    await clear(target, named('orders'));
    const { code, stderr } = await run('import', whole(), '--all', '--again', ...on(target));
    expect(code).to.equal(1);
    expect(stderr).to.equal(
      'PREFLIGHT_FAILED: 2 tables of the export cannot be imported into\n' +
        missing.map((name) => `  - ${name}: missing; the catalogue has it, and the deployment makes it\n`).join('') +
        "→ Nothing was written. Run 'npx pulumi up -s dev' for tables of the catalogue, then the command again.\n",
    );
    expect(await itemsIn(target, physicalName(named('orders'), config))).to.deep.equal([]);
  });

  async function clear(engine: TestEngine, table: Table): Promise<void> {
    const { Items = [] } = await engine.client.send(new ScanCommand({ TableName: physicalName(table, config) }));
    if (Items.length > 0) await engine.removeRaw(table, Items as readonly Item[]);
  }
});
