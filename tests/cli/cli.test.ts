import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { wholeCatalogue } from '../support/project.ts';
import { linkProject } from '../support/project-folder.ts';
import { runCli } from '../support/run-cli.ts';

describe('the command line', () => {
  let folder = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tablewright-cli-'));
    await linkProject(folder);
    await writeFile(join(folder, 'Pulumi.dev.yaml'), 'config:\n  tablewright:production: false\n');
    await writeFile(join(folder, 'Pulumi.prod.yaml'), 'config:\n  tablewright:production: true\n');
    await writeFile(
      join(folder, 'Pulumi.bad.yaml'),
      'config:\n  tablewright:production: perhaps\n  tablewright:colour: red\n  tablewright:account: "12"\n',
    );
    await writeFile(join(folder, 'Pulumi.broken.yaml'), 'config: [\n');
  });

  after(() => rm(folder, { recursive: true, force: true }));

  it('helps without loading a compiler or the SDK', async () => {
    const { code, stdout, stderr } = await runCli(folder, ['--help']);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.match(/^Usage: tablewright <command> \[options\]/);
    for (const word of ['up', 'tables', 'patterns', 'query', 'doctor']) expect(stdout).to.match(new RegExp(`^ {2}${word}`, 'm'));
  });

  it('wrong use ends with 2 and says where to look', async () => {
    expect(await runCli(folder, ['upp'])).to.deep.equal({
      code: 2,
      stdout: '',
      stderr: "UNKNOWN_NAME: there is no command upp\n→ Did you mean up? 'tablewright --help' lists what there is.\n",
    });
    expect((await runCli(folder, ['up', '--port', '99999'])).stderr).to.contain('expected a port from 1 to 65535, found 99999');
    expect((await runCli(folder, ['query'])).code).to.equal(2);
  });

  it('names follow the stack, and prod keeps the documented bare ones', async () => {
    const names = async (stack: string) => {
      const { stdout } = await runCli(folder, ['tables', '--json', '--stack', stack]);
      return (JSON.parse(stdout) as { readonly tables: readonly { readonly name: string }[] }).tables.map(({ name }) => name);
    };
    const local = await names('local');
    expect(local).to.include.members(['oms_trading_data_dev', 'markets-dev', 'crypto-backtest-results-dev']);
    expect(local).to.deep.equal(await names('dev'));
    expect(await names('prod')).to.include.members([
      'oms_trading_data_prod',
      'markets',
      'crypto-backtest-results',
      'order-management',
    ]);
  });

  it('an unknown stack, table, pattern or endpoint is one clear message without a stack trace', async () => {
    const nowhere = await runCli(folder, ['tables', '--stack', 'moon']);
    expect(nowhere.code).to.equal(2);
    expect(nowhere.stderr).to.match(
      /^UNKNOWN_NAME: there is no stack moon: Pulumi\.moon\.yaml was not found in .*\n→ Use one of local, bad, broken, dev, prod/,
    );
    expect((await runCli(folder, ['tables', 'nope'])).stderr).to.match(
      /^UNKNOWN_NAME: there is no table nope\n→ Use one of oms_config, /,
    );
    expect(await runCli(folder, ['query', 'bestbids'])).to.deep.equal({
      code: 2,
      stdout: '',
      stderr: 'UNKNOWN_NAME: there is no pattern bestbids\n→ Did you mean markets.orders.bestBids?\n',
    });
    expect((await runCli(folder, ['doctor', '--endpoint', 'foo'])).stderr).to.match(
      /^BAD_ARGUMENT: doctor: --endpoint: expected a URL/,
    );
  });

  it('every problem of a stack file is named at once', async () => {
    const { code, stderr } = await runCli(folder, ['tables', '--stack', 'bad']);
    expect(code).to.equal(2);
    expect(stderr).to.match(/^BAD_CONFIG: Pulumi\.bad\.yaml has 3 problems\n/);
    expect(stderr)
      .to.contain('tablewright:colour: unknown key')
      .and.to.contain('tablewright:production')
      .and.to.contain('tablewright:account');
    expect((await runCli(folder, ['tables', '--stack', 'broken'])).stderr).to.match(
      /^BAD_CONFIG: Pulumi\.broken\.yaml is no valid YAML/,
    );
  });

  it('errors are JSON with --json', async () => {
    const { stderr } = await runCli(folder, ['query', 'oms.trading.orderById', 'orderId', '--json']);
    expect(JSON.parse(stderr)).to.deep.equal({
      version: 1,
      error: 'BAD_ARGUMENT',
      message: 'oms.trading.orderById: the parameters cannot be read',
      problems: ['orderId: expected name=value'],
      next: 'It takes orderId.',
    });
  });

  it('a server that is not there is said so, with the next step', async () => {
    const { code, stderr } = await runCli(folder, ['doctor', '--endpoint', 'http://127.0.0.1:9']);
    expect(code).to.equal(1);
    expect(stderr).to.match(
      /^STORE_FAILED: the server http:\/\/127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\), after \d tries\n→ Check --endpoint/,
    );
  });

  it('up is for the local stack only', async () => {
    const { code, stderr } = await runCli(folder, ['up', '--stack', 'prod']);
    expect(code).to.equal(2);
    expect(stderr).to.equal(
      "BAD_ARGUMENT: up is for the local stack; prod is made by Pulumi\n→ Run 'npx pulumi up -s prod', then 'tablewright doctor --stack prod'.\n",
    );
  });

  it('doctor lists every missing table and ends with 1', async () => {
    const { code, stdout } = await runCli(folder, ['doctor', '--json']);
    expect(code).to.equal(1);
    const { differences } = JSON.parse(stdout) as { readonly differences: readonly { readonly found: string }[] };
    expect(differences).to.have.length(wholeCatalogue.length);
    expect(new Set(differences.map(({ found }) => found))).to.deep.equal(new Set(['missing']));
  });

  it('patterns lists each with its operation and parameters', async () => {
    const { code, stdout } = await runCli(folder, ['patterns', 'oms.trading.ofMasterOrder']);
    expect(code).to.equal(0);
    expect(stdout).to.match(/oms\.trading\.ofMasterOrder +Query \+ BatchGetItem +GSI2 +masterOrderId/);
  });
});
