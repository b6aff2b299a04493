import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { toJsonItem } from '../../engine/core/item/dynamo-json.ts';
import { omsConfig } from '../../tables/catalogue.ts';
import { canonicalItem } from '../../tables/model/canonical.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { bareProducts } from '../support/bare-products.ts';
import { CliWorker } from '../support/cli-worker.ts';
import { tables as catalogue } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { repository } from '../support/run-cli.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';
import { itemsOf } from '../support/transfer-bed.ts';

const text = (value: string) => ({ S: value });

/** With names of attributes that every object has something under. */
const products = bareProducts(30, (at) => ({
  ['__proto__']: { M: { ['__proto__']: { N: String(at) }, constructor: text('c') } },
  constructor: { SS: ['a', 'b'] },
}));

const seed = `import { defineSeed, rawFile } from '${repository}engine/author.ts';
import { omsConfig } from '${repository}tables/oms/config.ts';
export default defineSeed({ description: 'odd', stacks: ['dev'], fixtures: [rawFile(omsConfig, 'raw.jsonl')] });
`;

describe('an attribute that is called __proto__', function () {
  this.timeout(120_000);
  const config = parseStackConfig('dev', {}, catalogue);
  let engine: TestEngine;
  let folder: ProjectFolder;
  let worker: CliWorker;

  before(async () => {
    engine = await startEngine(catalogue, config);
    folder = await projectFolder({ dev: 'config:\n  tablewright:production: false\n' });
    await rm(join(folder.root, 'seeds'));
    await mkdir(join(folder.root, 'seeds/odd'), { recursive: true });
    await writeFile(join(folder.root, 'seeds/odd/seed.ts'), seed);
    const lines = products.map((item) => `${JSON.stringify({ Item: toJsonItem(item) })}\n`);
    await writeFile(join(folder.root, 'seeds/odd/raw.jsonl'), lines.join(''));
    worker = new CliWorker(folder.root);
  });
  after(async () => {
    worker.close();
    await engine.close();
    await folder.remove();
  });

  const run = async (...args: readonly string[]) => {
    const ended = await worker.run([...args, '--stack', 'dev', '--endpoint', engine.endpoint]);
    expect(ended.code, `${args.join(' ')}: ${ended.stdout}${ended.stderr}`).to.equal(0);
    return ended.stdout;
  };
  const stored = async () => (await itemsOf(engine, omsConfig)).map(canonicalItem).toSorted();
  const wanted = products.map(canonicalItem).toSorted();

  it('goes through seed, plan, migrate, verify, query, parity, export, import and rollback as it is', async () => {
    await run('seed', 'odd');
    expect(await stored()).to.deep.equal(wanted);
    expect(JSON.parse((await run('seed', 'odd', '--json')).trim().split('\n').at(-1) ?? '')).to.have.nested.property(
      'sets[0].counts.unchanged',
      products.length,
    );
    await run('plan', '--to', '1');
    await run('migrate', '--to', '1');
    await run('verify', '1');
    const migrated = await stored();
    expect(migrated).not.to.deep.equal(wanted);
    for (const way of ['scan', 'query']) {
      const lines = (await run('query', 'oms.config.allProducts', '--way', way, '--json')).trim().split('\n');
      expect(lines).to.have.length(products.length);
      for (const line of lines) {
        // The parser gives it as a member of its own.
        const read = JSON.parse(line) as Readonly<Record<string, object>>;
        expect(Object.keys(read)).to.include.members(['__proto__', 'constructor']);
        expect(Object.keys(Object.getOwnPropertyDescriptor(read, '__proto__')?.value)).to.have.members([
          '__proto__',
          'constructor',
        ]);
      }
    }
    expect(JSON.parse(await run('cutover', 'check', 'oms.config.allProducts', '--json'))).to.include({ proven: 1, total: 1 });
    const to = join(folder.root, 'exported');
    await run('export', 'oms_config', '--portable', '--to', to);
    await engine.removeRaw(omsConfig, products);
    const [id = ''] = await readdir(join(to, 'AWSDynamoDB'));
    await run('import', join(to, 'AWSDynamoDB', id), '--table', 'oms_config', '--verify', 'full');
    expect(await stored()).to.deep.equal(migrated);
    await run('rollback', '--to', '0');
    expect(await stored()).to.deep.equal(wanted);
  });
});
