import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDynamo } from '../../engine/local/local-engine.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { boot, bootTimeoutMs } from '../infra/support/boot.ts';
import { place } from '../infra/support/fake-aws.ts';
import { repository } from '../support/run-cli.ts';
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

  it('names what a command lacks, where its packages are not installed', async () => {
    const link = join(project.root, 'node_modules/yaml');
    await rm(link);
    const { code, stderr } = await project.tablewright('tables');
    expect({ code, stderr }).to.deep.equal({
      code: 2,
      stderr: [
        'PACKAGE_MISSING: this command needs packages that applications do not, and not all are installed',
        '  - yaml: not installed',
        "→ Run 'npm install --save-dev yaml'.\n",
      ].join('\n'),
    });
    await symlink(join(repository, 'node_modules/yaml'), link);
  });

  it('brings a project up: tables, seeds, migrations, patterns', async () => {
    const { code, stdout, stderr } = await project.tablewright('up');
    expect(code, stderr).to.equal(0);
    expect(stdout).to.contain('Tables     2 as the catalogue says (2 created now)');
    expect(stdout).to.contain('All 3 access patterns found their records, without a Scan.');
  });

  it('rolls a migration back, runs it again, seeds again and exports', async () => {
    await told('rollback', '--to', '0000', '--yes').catch(() => told('rollback', '--yes'));
    await told('migrate');
    await told('seed');
    await told('verify');
    const exported = join(project.root, 'exports');
    await told('export', 'parcels', '--to', exported);
    expect(await readdir(exported, { recursive: true })).to.have.length.above(1);
  });

  it('makes a migration whose test runs with what Node brings along', async () => {
    await told('migration', 'new', 'mark-parcels', '--table', 'parcels');
    const [id = ''] = (await readdir(join(project.root, 'migrations'))).filter((name) => name.startsWith('0002'));
    const { code, stdout } = await project.node('--import', 'tsx', '--test', `tests/migrations/${id.replace('.ts', '.test.ts')}`);
    expect(code).to.equal(1);
    expect(stdout).to.contain(`migrations/${id} is not written yet`);
    await rm(join(project.root, 'migrations', id));
  });

  it('gives a project’s tests an engine with its tables, and a proof of a migration', async () => {
    const { code, stdout } = await project.node('--import', 'tsx', '--test', 'tests/parcels.test.ts');
    expect(code, stdout).to.equal(0);
    expect(stdout).to.contain('# pass 2');
  });

  it('deploys a project by a Pulumi program of three lines', () => expectDeployed(project));

  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ] as const) {
    it(`has declarations that a strict application compiles with, module ${module}, libraries checked`, async () => {
      const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--types', 'node', '--target', 'es2022'];
      const modules = ['--module', module, '--moduleResolution', resolution, '--allowImportingTsExtensions'];
      const files = ['app.ts', 'infra/index.ts', 'migrations/0001-index-parcels.ts', 'seeds/shop/seed.ts'];
      const { code, stdout } = await project.node('node_modules/typescript/bin/tsc', ...options, ...modules, ...files);
      expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
    });
  }

  it('is bundled by the commands of the documentation, and the bundles read and write', async () => {
    const service = await openDynamo({ data: { kind: 'memory' } });
    try {
      await told('up', '--endpoint', service.endpoint);
      const bundles = await project.bundle('app');
      expect(bundles).to.deep.equal(['app.cjs', 'app.mjs']);
      for (const bundle of bundles) {
        expect((await readFile(join(project.root, bundle))).length).to.be.below(maxBundleBytes);
        const { code, stdout, stderr } = await project.node(bundle, service.endpoint);
        expect({ code, stdout, stderr }).to.deep.equal({ code: 0, stdout: 'p1 p3\n', stderr: '' });
      }
    } finally {
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
      expect(stdout).to.contain('All 3 access patterns found their records');
      await expectDeployed(other);
    } finally {
      await other.remove();
    }
  });
});

/** The project's own Pulumi program registers its tables. */
async function expectDeployed({ root }: InstalledProject): Promise<void> {
  const settings = { 'aws:region': place.region, 'tablewright:account': place.account };
  const { exitCode, logs, printed, resources } = await boot('dev', settings, 'infra/index.ts', root);
  const errors = logs.filter(({ severity }) => severity === 'error');
  expect({ exitCode, printed, errors }).to.deep.equal({ exitCode: 0, printed: '', errors: [] });
  const tables = resources.filter(({ type }) => type === 'aws:dynamodb/table:Table').map(({ name }) => name);
  expect(tables).to.have.members(['parcels', 'tablewright-ledger']);
}

describe('package.json', () => {
  it('stays below the releases of the AWS SDK that need Node 22', () => {
    const all = { ...packageJson.dependencies, ...packageJson.peerDependencies };
    const ranges = Object.entries(all).filter(([name]) => name.startsWith('@aws-sdk/'));
    expect(ranges).to.have.length.above(5);
    expect(ranges.filter(([, range]) => !range.endsWith(' <3.1190.0'))).to.deep.equal([]);
  });
});
