import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { dynamoClient } from '../../engine/aws/clients.ts';
import type { ImportFile } from '../../engine/core/tables/import-file.ts';
import { openDynamo } from '../../engine/local/local-engine.ts';
import { boot, bootTimeoutMs } from '../infra/support/boot.ts';
import { place } from '../infra/support/fake-aws.ts';
import { callBundle, unpackBundle } from '../support/call-bundle.ts';
import { openMetricServer } from '../support/metric-server.ts';
import { repository } from '../support/run-cli.ts';
import { completionsIn } from './completions.ts';
import { type InstalledProject, installProject, packRepository } from './installed-project.ts';

const maxInstalledMegabytes = 40;
const maxBundleBytes = 1_000_000;

describe('the package, installed from its tarball', function () {
  this.timeout(bootTimeoutMs);
  let folder: string;
  let tarball: string;
  let project: InstalledProject;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tablewright-pack-'));
    tarball = await packRepository(folder);
    project = await installProject(tarball, 'module');
  });

  after(async () => {
    await project?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const told = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await project.tablewright(...args, '--json');
    expect(code, stderr).to.equal(0);
    return stdout;
  };

  it('is small for an application', () => {
    expect(project.megabytes).to.be.below(maxInstalledMegabytes);
  });

  it('names what a command lacks, where its packages are not installed, and the way to have them', async () => {
    const link = join(project.root, 'node_modules/yaml');
    const manifest = join(project.root, 'package.json');
    const listed = await readFile(manifest, 'utf8');
    const lacking = (next: string) => ({
      code: 2,
      stderr: [
        'PACKAGE_MISSING: this command needs packages that applications do not, and not all are installed',
        '  - yaml: not installed',
        `→ ${next}\n`,
      ].join('\n'),
    });
    await rm(link);
    const { stdout: _, ...begun } = await project.tablewright('tables');
    await writeFile(manifest, '{}');
    const { stdout: __, ...bare } = await project.tablewright('tables');
    await writeFile(manifest, listed);
    expect(begun).to.deep.equal(lacking("Run 'npm install': package.json lists them already."));
    expect(bare).to.deep.equal(
      lacking(
        "Run 'npx tablewright init' where package.json is, which adds them to it and overwrites nothing, then 'npm install'.",
      ),
    );
    await symlink(join(repository, 'node_modules/yaml'), link);
  });

  it('begins a project by init, which asks nothing and overwrites nothing', async () => {
    expect(project.begun).to.include({ code: 0, stderr: '' });
    expect(project.begun.stdout).to.contain('wrote tablewright.config.ts').and.to.contain('wrote infra/index.ts');
    const { code, stdout } = await project.tablewright('init');
    expect(code).to.equal(0);
    expect(stdout).to.contain('kept  tablewright.config.ts, which was there').and.not.to.contain('wrote');
    expect(await readFile(join(project.root, 'tablewright.config.ts'), 'utf8')).to.contain('tables: { orders, parcels }');
  });

  it('brings it up with a table of two indexes, a seed and a migration', async () => {
    const { code, stdout, stderr } = await project.tablewright('up');
    expect(code, stderr).to.equal(0);
    expect(stdout).to.contain('Tables     3 as the catalogue says (3 created now)');
    expect(stdout).to.contain('Migrations 1 applied and verified (1 run now)');
    expect(stdout).to.contain('All 5 access patterns found their records, without a Scan.');
  });

  it('migrates, rolls back, migrates again, seeds and exports', async () => {
    expect(await told('migrate'), 'up ran it').not.to.contain('0001-index-parcels');
    expect(await told('rollback', '--yes')).to.contain('0001-index-parcels');
    expect(await told('migrate')).to.contain('0001-index-parcels');
    await told('verify');
    await told('seed');
    const exported = join(project.root, 'exports');
    await told('export', 'parcels', '--to', exported);
    expect(await readdir(exported, { recursive: true })).to.have.length.above(1);
  });

  it('runs the generated tests, and its own with an engine and the proof of a migration, by npm test', async () => {
    const { code, stdout } = await project.npm('test', '--silent');
    expect(code, stdout).to.equal(0);
    // In a pipe Node 20 and 22 write TAP, and 24 what people read: the counts are the same, the sign before them is not.
    expect(stdout)
      .to.match(/^\S pass 3$/m)
      .and.to.match(/^\S fail 0$/m);
  });

  it('makes a migration whose test npm test runs with the others, and which fails until it is written', async () => {
    const { files } = JSON.parse(await told('migration', 'new', 'mark-parcels', '--table', 'parcels')) as {
      readonly files: readonly string[];
    };
    expect(files).to.deep.equal(['migrations/0002-mark-parcels.ts', 'tests/0002-mark-parcels.test.ts']);
    const { code, stdout } = await project.npm('test', '--silent');
    expect(code).to.equal(1);
    expect(stdout)
      .to.contain('migrations/0002-mark-parcels.ts is not written yet')
      .and.to.match(/^\S pass 3$/m)
      .and.to.match(/^\S fail 1$/m);
    for (const file of files) await rm(join(project.root, file));
  });

  it('boots its Pulumi program of three lines, whose resources have the project’s name', () => expectDeployed(project));

  it('is told by the deployment what would be lost, once shape release has recorded what there is', async () => {
    await told('shape', 'release');
    const path = join(project.root, 'tables/parcels.ts');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace("hash: 'PK',", "hash: 'id',"));
    const { exitCode, errors, resources } = await bootIn(project);
    await writeFile(path, text);
    expect(exitCode).to.equal(32);
    expect(errors.join()).to.contain('DANGEROUS_CHANGE').and.to.contain("run 'npx tablewright shape release'");
    expect(resources).to.have.length(1);
  });

  // What a careful team switches on beside strict, and no types of a browser.
  const careful = ['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noPropertyAccessFromIndexSignature'];
  for (const [module, resolution, target, more] of [
    ['nodenext', 'nodenext', 'es2022', []],
    ['node16', 'node16', 'es2022', []],
    ['esnext', 'bundler', 'es2022', []],
    ['nodenext', 'nodenext', 'esnext', ['--verbatimModuleSyntax', '--isolatedModules', '--lib', 'es2022', ...careful]],
  ] as const) {
    it(`has declarations that a strict application compiles with, module ${module}, target ${target}, libraries checked`, async () => {
      // With declarations, as a package of a monorepo has them: what it infers must have names that others can import.
      const options = [
        '--declaration',
        '--emitDeclarationOnly',
        '--outDir',
        'declared',
        '--rootDir',
        '.',
        '--strict',
        '--skipLibCheck',
        'false',
        '--types',
        'node',
        '--target',
        target,
        '--ignoreConfig',
      ];
      const modules = ['--module', module, '--moduleResolution', resolution, '--allowImportingTsExtensions'];
      const files = [
        'app.ts',
        'library.ts',
        'infra/index.ts',
        'migrations/0001-index-parcels.ts',
        'seeds/shop/seed.ts',
        'tests/parcels.test.ts',
      ];
      const compiler = ['node_modules/typescript/bin/tsc', ...options, ...modules, ...more, ...files];
      const { code, stdout } = await project.node(...compiler);
      expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
    });
  }

  it('lets an editor complete patterns, parameters, their values and what records hold, from the project’s own catalogue', () => {
    const [names, params, values, attributes, inputs, stored] = completionsIn(
      project.root,
      `import { openReader, openWriter } from 'tablewright';
import { openTestBed } from 'tablewright/testing';
import { parcel, parcels } from './tables/parcels.ts';
import project from './tablewright.config.ts';
const place = { stack: 'dev', region: 'eu-central-1' };
const reader = openReader(project, place);
void reader.read('¦', {});
void reader.read('shop.parcels.byState', { ¦ });
void reader.read('shop.parcels.byState', { state: '¦' });
void reader.first('orders.byId', { orderId: 'o-1' }).then((found) => found?.¦);
void openWriter(project, place).put(parcel, { id: 'p1', ¦ });
void openTestBed(project).then((bed) => bed.read(parcels.patterns.byCity, { city: 'Bern' })).then(([first]) => first?.¦);
`,
    );
    const patterns = ['orders.byId', 'orders.ofCustomer', 'shop.parcels.byCity', 'shop.parcels.byId', 'shop.parcels.byState'];
    expect({ names, params, values, attributes, inputs, stored }).to.deep.equal({
      names: patterns,
      params: ['state'],
      values: ['sent', 'waiting'],
      attributes: ['amount', 'createdAt', 'customerId', 'orderId', 'status'],
      inputs: ['at', 'city', 'state'],
      stored: ['at', 'city', 'id', 'state'],
    });
  });

  it('has declarations that name modules, not sources, and maps that lead a trace to the source', async () => {
    const dist = join(project.root, 'node_modules/tablewright/dist');
    const declarations = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.d.ts'));
    expect(declarations).to.have.length.above(50);
    const named = await Promise.all(
      declarations.map(async (file) => {
        const text = await readFile(join(dist, file), 'utf8');
        return [...text.matchAll(/(?:from |import |import\()['"](\.[^'"]*)['"]/g)].map(([, target = '']) => `${file}: ${target}`);
      }),
    );
    expect(named.flat().filter((line) => !line.endsWith('.js'))).to.deep.equal([]);
    const script = "try { require('tablewright').defineProject({ name: 'X', tables: {} }) } catch (error) { error.stack }";
    const { stdout, stderr } = await project.node('--enable-source-maps', '--print', script);
    expect(stdout, stderr).to.match(/at .*defineProject .*tables\/model\/project\.ts:\d+:\d+/);
  });

  it('is bundled by the commands of the documentation, and the bundles read and write', async () => {
    const service = await openDynamo({ data: { kind: 'memory' } });
    try {
      await told('up', '--endpoint', service.endpoint);
      const bundles = await project.bundle('app');
      expect(bundles).to.deep.equal(['app.cjs', 'app.mjs']);
      for (const bundle of bundles) {
        expect((await readFile(join(project.root, bundle))).length).to.be.below(maxBundleBytes);
        const { code, stdout, stderr } = await project.node(bundle, service.endpoint);
        expect(stderr).to.equal('');
        expect({ code, stdout }).to.deep.equal({ code: 0, stdout: 'p1 p3\n' });
      }
    } finally {
      await service.release();
    }
  });

  it('makes the bundle of a stack’s functions, which runs as Lambda runs it, with its own files alone', async () => {
    const [service, watch] = await Promise.all([openDynamo({ data: { kind: 'memory' } }), openMetricServer()]);
    const task = await mkdtemp(join(tmpdir(), 'tablewright-task-'));
    try {
      const { files } = JSON.parse(await told('bundle', '--to', join(task, 'jobs.zip'))) as { readonly files: readonly string[] };
      expect(files).to.deep.equal(['index.mjs', 'Pulumi.dev.yaml', 'Pulumi.yaml']);
      await unpackBundle(await readFile(join(task, 'jobs.zip')), task);
      const { result, printed } = await callBundle(task, { job: 'drift' }, 15 * 60_000, {
        TABLEWRIGHT_STACK: 'dev',
        AWS_ACCESS_KEY_ID: 'x',
        AWS_SECRET_ACCESS_KEY: 'x',
        AWS_ENDPOINT_URL_DYNAMODB: service.endpoint,
        AWS_ENDPOINT_URL_CLOUDWATCH: watch.endpoint,
      });
      // None of its tables is there.
      expect(result, printed).to.deep.equal({ job: 'drift', code: 1 });
      expect(printed).to.contain('parcels-dev');
      expect(watch.metrics[0]).to.contain('Differences').and.to.contain('parcel-shop');
    } finally {
      watch.close();
      await service.release();
      await rm(task, { recursive: true, force: true });
    }
  });

  it('adopts tables that are there, by the program of the project', async () => {
    const service = await openDynamo({ data: { kind: 'memory' } });
    const file = join(project.root, 'Pulumi.dev.yaml');
    const text = await readFile(file, 'utf8');
    const client = dynamoClient({ region: place.region, endpoint: service.endpoint });
    try {
      await writeFile(file, `config:\n  aws:region: ${place.region}\n  tablewright:account: "${place.account}"\n`);
      const id = { AttributeName: 'PK', AttributeType: 'S' } as const;
      const KeySchema = [{ AttributeName: 'PK', KeyType: 'HASH' } as const];
      await client.send(
        new CreateTableCommand({
          TableName: 'parcels-dev',
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [id],
          KeySchema,
        }),
      );
      const told = await project.tablewright('adopt', '--stack', 'dev', '--endpoint', service.endpoint, '--json');
      expect(told.code, told.stderr).to.equal(0);
      const { resources } = JSON.parse(await readFile(join(project.root, 'adopt-dev.json'), 'utf8')) as ImportFile;
      expect(resources.map(({ type, logicalName, id: found }) => [type, logicalName, found])).to.deep.equal([
        ['tablewright:index:ProjectStack', 'parcel-shop', undefined],
        ['tablewright:dynamodb:DynamoTable', 'parcels', undefined],
        ['aws:dynamodb/table:Table', 'parcels', 'parcels-dev'],
      ]);
    } finally {
      client.destroy();
      await writeFile(file, text);
      await service.release();
    }
  });

  it('is required by CommonJS as well: nothing in it waits while it is loaded', async () => {
    const names = { tablewright: 'openReader', 'tablewright/pulumi': 'deployTables', 'tablewright/testing': 'openTestBed' };
    for (const [entry, name] of Object.entries(names)) {
      const { code, stdout, stderr } = await project.node('--print', `typeof require('${entry}').${name}`);
      expect({ code, stdout }, stderr).to.deep.equal({ code: 0, stdout: 'function\n' });
    }
  });

  it('serves a project without "type": "module"', async () => {
    const other = await installProject(tarball, 'commonjs');
    try {
      const { code, stdout, stderr } = await other.tablewright('up');
      expect(code, stderr).to.equal(0);
      expect(stdout).to.contain('All 5 access patterns found their records');
      await expectDeployed(other);
      await expectIdleTold(other);
    } finally {
      await other.remove();
    }
  });
});

async function bootIn({ root }: InstalledProject) {
  const settings = { 'aws:region': place.region, 'tablewright:account': place.account };
  const booted = await boot('dev', settings, 'infra/index.ts', root);
  const errors = booted.logs.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  return { ...booted, errors };
}

/** The project's own Pulumi program registers its tables, all in one component. */
async function expectDeployed(project: InstalledProject): Promise<void> {
  const { exitCode, errors, printed, resources } = await bootIn(project);
  expect({ exitCode, printed, errors }).to.deep.equal({ exitCode: 0, printed: '', errors: [] });
  const tables = resources.filter(({ type }) => type === 'aws:dynamodb/table:Table');
  expect(tables.map(({ name, inputs }) => `${name} ${inputs.name}`)).to.have.members([
    'orders orders-dev',
    'parcels parcels-dev',
    'tablewright-ledger parcel-shop-ledger-dev',
  ]);
  const [component] = resources.filter(({ type }) => type === 'tablewright:index:ProjectStack');
  expect(component?.name).to.equal('parcel-shop');
  const named = resources.flatMap(({ type, inputs }) => (/iam|sns|metricAlarm/.test(type) ? [String(inputs.name ?? '')] : []));
  expect(named.filter((name) => name.startsWith('parcel-shop-dev-')).length).to.be.above(10);
  expect(JSON.stringify(resources.map(({ inputs }) => inputs))).not.to.contain('tablewright-dev');
}

/** Without "type": "module" Pulumi calls no function: the program must not end well, or the stack's resources would be deleted. */
async function expectIdleTold(project: InstalledProject): Promise<void> {
  const path = join(project.root, 'infra/index.ts');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('export default deployTables', 'export default () => deployTables'));
  const { exitCode, errors, printed, resources } = await bootIn(project);
  await writeFile(path, text);
  expect({ exitCode, printed, resources: resources.length }).to.deep.equal({ exitCode: 32, printed: '', resources: 1 });
  expect(errors).to.have.length(1);
  expect(errors[0]).to.match(/^NOTHING_DEPLOYED: .*\n.*\nNext: Write 'export default deployTables\(project\)'/);
}
