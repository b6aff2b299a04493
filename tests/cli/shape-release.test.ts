import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { guardShape } from '../../infra/shape/guard.ts';
import { readShapes } from '../../infra/shape/read-shapes.ts';
import { defineProject } from '../../tables/model/project.ts';
import { shapeOf } from '../../tables/model/shape/shape.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { defineTable } from '../../tables/model/table.ts';
import { thrown } from '../infra/support/thrown.ts';
import { runMain } from '../support/run-main.ts';
import { type ScratchProject, scratchProject } from '../support/scratch-project.ts';

const tableText = (...index: readonly string[]): string =>
  [
    "import { defineProject, defineTable } from 'tablewright';",
    "const parcels = defineTable({ name: 'parcels', system: 'shop', namespace: 'shop.parcels', description: 'Parcels', hash: 'id',",
    `  indexes: { ${index.map((name) => `${name}: { hash: '${name}' }`).join(', ')} }, entities: [], patterns: {} });`,
    "export default defineProject({ name: 'parcel-shop', tables: { parcels }, shapes: 'shapes' });",
  ].join('\n');

const stackText = 'config:\n  aws:region: us-east-1\n  tablewright:production: false\n';

describe('shape release', () => {
  let project: ScratchProject;
  before(async () => {
    project = await scratchProject({
      'tablewright.config.ts': tableText('city', 'day'),
      'Pulumi.dev.yaml': stackText,
      'Pulumi.prod.yaml': stackText,
      'Pulumi.pr-7.yaml': `${stackText}  tablewright:ephemeral: true\n`,
      'shapes/allowed-changes.json': '[{ "change": "parcels/index/old", "reason": "nobody reads it" }]\n',
    });
  });
  after(() => project.remove());

  const json = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(project.root, 'shapes', name), 'utf8'));

  it('records a project’s tables and the names of its stacks in the project’s own folder, and empties the allow list', async () => {
    const { code, stdout, stderr } = await runMain(project.root, ['shape', 'release']);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.equal(
      [
        'shapes/released-shape.json: 2 tables; added: parcels, tablewright-ledger',
        'shapes/released-names.json: dev, prod',
        'shapes/allowed-changes.json: empty',
        '→ Commit the three files.\n',
      ].join('\n'),
    );
    expect(await json('released-shape.json')).to.have.keys('parcels', 'tablewright-ledger');
    expect(await json('released-names.json')).to.deep.equal({
      dev: { parcels: 'parcels-dev', 'tablewright-ledger': 'parcel-shop-ledger-dev' },
      prod: { parcels: 'parcels', 'tablewright-ledger': 'parcel-shop-ledger' },
    });
    expect(await json('allowed-changes.json')).to.deep.equal([]);
  });

  it('says that nothing changed when it is run again, as JSON too', async () => {
    const { stdout } = await runMain(project.root, ['shape', 'release', '--json']);
    expect(JSON.parse(stdout)).to.deep.equal({
      version: 1,
      files: ['shapes/released-shape.json', 'shapes/released-names.json', 'shapes/allowed-changes.json'],
      tables: 2,
      changes: { added: [], changed: [], gone: [] },
      stacks: ['dev', 'prod'],
      waiting: [],
    });
  });

  it('is what the guard of a deployment names, which reads what it wrote', () => {
    const parcels = defineTable({
      name: 'parcels',
      system: 'shop',
      namespace: 'shop.parcels',
      description: 'Parcels',
      hash: 'id',
      indexes: { city: { hash: 'city' } },
      entities: [],
      patterns: {},
    });
    const { name } = defineProject({ name: 'parcel-shop', tables: {} });
    const config = parseStackConfig('dev', {}, [parcels], name);
    const { released, ...recorded } = readShapes({ shapes: 'shapes' }, project.root);
    const kept = { ...shapeOf([parcels]), 'tablewright-ledger': released['tablewright-ledger'] as never };
    const { message, next } = thrown(() => guardShape({ released, current: kept, ...recorded, names: [] }, config));
    expect(message).to.contain('parcels/index/day: ');
    expect(next).to.equal(
      "Take the change back, or name it in shapes/allowed-changes.json with the reason; after the deployment run 'npx tablewright shape release'.",
    );
  });

  it('refuses a file that is no JSON, as the deployment does, and changes nothing', async () => {
    const path = join(project.root, 'shapes/released-shape.json');
    await writeFile(path, '<<<<<<< HEAD\n');
    const { code, stderr } = await runMain(project.root, ['shape', 'release']);
    expect(code).to.equal(2);
    expect(stderr).to.match(/^BAD_CONFIG: shapes\/released-shape\.json: expected JSON, found /);
    expect(stderr).to.contain("→ Correct shapes/released-shape.json, or take it from the last commit with 'git checkout");
    expect(await readFile(path, 'utf8')).to.equal('<<<<<<< HEAD\n');
    expect(thrown(() => readShapes({ shapes: 'shapes' }, project.root))).to.include({ code: 'BAD_CONFIG' });
  });
});
