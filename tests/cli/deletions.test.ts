import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { ensureTable } from '../../engine/run/tables/ensure-tables.ts';
import { markets, omsConfig } from '../../tables/catalogue.ts';
import { parseStackConfig, physicalName } from '../../tables/model/stack/stack-config.ts';
import { omsTradingData } from '../../tables/oms/trading-data.ts';
import { tables as catalogue, wholeCatalogue } from '../support/project.ts';
import { repository } from '../support/run-cli.ts';
import { type RunOptions, runMain } from '../support/run-main.ts';
import { makeFolder, removeFolder, type SeedBench, seedBench } from '../support/seed-bench.ts';
import { useEngine } from '../support/test-engine.ts';

const clients = (many: number) =>
  `client_id,name,status\n${Array.from({ length: many }, (_, at) => `c${at},Client ${at},ACTIVE\n`).join('')}`;

const files = {
  'Pulumi.yaml': 'name: tablewright\n',
  'Pulumi.dev.yaml': 'config: {}\n',
  'Pulumi.test.yaml': 'config: {}\n',
  'package.json': '{"type":"module"}',
  '.tablewright/keep-me': 'what lies here is not the endpoint’s',
  'seeds/oms/seed.ts': `import seed from '${repository}seeds/oms/seed.ts';\nexport default { ...seed, fixtures: [], stacks: ['test'], onRequest: true };\n`,
  'seeds/few/seed.ts': `import { defineSeed, file } from '${repository}engine/author.ts';
import { client, omsConfig } from '${repository}tables/oms/config.ts';
export default defineSeed({ description: 'clients', stacks: ['test'], fixtures: [file(omsConfig, client, 'clients.csv')] });
`,
  'seeds/few/clients.csv': clients(15),
};

describe('data that must not be touched', function () {
  this.timeout(120_000);
  const engine = useEngine();
  let bench: SeedBench;
  let root: string;
  before(async () => {
    bench = seedBench(engine());
    root = await makeFolder(files);
  });
  after(async () => {
    bench.close();
    await removeFolder(root);
  });

  const seed = (args: readonly string[], options?: RunOptions) =>
    runMain(root, ['seed', '--stack', 'test', '--endpoint', engine().endpoint, ...args], options);
  const rows = async () => [...(await bench.scan(omsConfig)), ...(await bench.scan(omsTradingData))].length;

  it('seed --prune says how many rows it deletes and asks; without a terminal and --yes it is refused', async () => {
    expect((await seed(['oms', '--volume', '300'])).code).to.equal(0);
    expect(await rows()).to.equal(300);
    const smaller = ['oms', '--volume', '10', '--prune'];
    const alone = await seed(smaller);
    expect({ code: alone.code, stderr: alone.stderr }).to.deep.equal({
      code: 2,
      stderr:
        'NOT_CONFIRMED: oms: --prune deletes 290 rows. Expected yes as confirmation, and there is no terminal to ask on\n→ Nothing was deleted. Type yes when asked, or give --yes.\n',
    });
    const unsure = await seed(smaller, { answers: ['n'] });
    expect(unsure.code).to.equal(2);
    expect(unsure.stderr).to.match(/^oms: --prune deletes 290 rows\. Type yes to go on: \nNOT_CONFIRMED: .* found "n"\n/);
    expect(await rows()).to.equal(300);
    expect((await seed(smaller, { answers: ['yes'] })).code).to.equal(0);
    expect(await rows()).to.equal(10);
  });

  it('--yes has answered already, and a dry run does not ask', async () => {
    expect((await seed(['oms', '--volume', '200'])).code).to.equal(0);
    const planned = await seed(['oms', '--volume', '20', '--prune', '--dry-run']);
    expect({ code: planned.code, stderr: planned.stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(await rows()).to.equal(200);
    expect((await seed(['oms', '--volume', '20', '--prune', '--yes'])).code).to.equal(0);
    expect(await rows()).to.equal(20);
  });

  it('a handful of fixture rows is pruned without a question, more of them are asked about', async () => {
    expect((await seed(['few'])).code).to.equal(0);
    const before = await rows();
    const fewer = await makeFolder({ ...files, 'seeds/few/clients.csv': clients(10) });
    const none = await makeFolder({ ...files, 'seeds/few/clients.csv': 'client_id,name,status\nc99,Last,ACTIVE\n' });
    const prune = (folder: string) =>
      runMain(folder, ['seed', 'few', '--stack', 'test', '--endpoint', engine().endpoint, '--prune']);
    try {
      expect((await prune(fewer)).code).to.equal(0);
      expect(await rows()).to.equal(before - 5);
      expect((await prune(none)).code).to.equal(0);
      expect(await rows()).to.equal(before - 14);
      const many = await runMain(root, ['seed', 'few', '--stack', 'test', '--endpoint', engine().endpoint]);
      expect(many.code).to.equal(0);
      const refused = await prune(none);
      expect({ code: refused.code, said: refused.stderr.slice(0, 43) }).to.deep.equal({
        code: 2,
        said: 'NOT_CONFIRMED: few: --prune deletes 15 rows',
      });
    } finally {
      await removeFolder(fewer);
      await removeFolder(none);
    }
  });

  it('up --fresh at an endpoint names the tables there and asks; what lies here stays', async () => {
    const config = parseStackConfig('dev', {}, catalogue);
    const store = dynamoStore(engine().client);
    for (const table of [markets, omsConfig]) await ensureTable({ store, config, sleep }, table);
    const names = [omsConfig, markets].map((table) => physicalName(table, config));
    const fresh = ['up', '--fresh', '--endpoint', engine().endpoint];
    const refused = await runMain(root, fresh, { answers: ['no'] });
    expect(refused.code).to.equal(2);
    const question = `--fresh deletes 2 tables on ${engine().endpoint}: ${names.join(', ')}.`;
    expect(refused.stderr).to.contain(`${question} Type yes to go on: \n`);
    expect(refused.stderr).to.contain(`NOT_CONFIRMED: ${question} Expected yes`);
    for (const name of names) expect(await store.describeTable(name), name).not.to.equal(undefined);
    const done = await runMain(root, [...fresh, '--yes']);
    expect(done.stdout).to.contain(`Deleted    2 tables on ${engine().endpoint}\n`);
    const count = wholeCatalogue.length;
    expect(done.stdout).to.contain(`Tables     ${count} as the catalogue says (${count} created now`);
    expect(existsSync(join(root, '.tablewright/keep-me'))).to.equal(true);
  });
});
