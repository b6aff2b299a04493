import { expect } from 'chai';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { type AnsweringProxy, openAnsweringProxy } from '../support/answering-proxy.ts';
import { tables } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { runMain } from '../support/run-main.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';

const fileOf = (write: number) => `config:\n  aws:region: us-east-1\n  tablewright:budgets:\n    write: ${write}\n`;

/** A new on-demand table takes 4,000 writes at once, as AWS shows it; engines on this machine show nothing. */
const atOnce = { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 4_000, Status: 'ACTIVE' };
const warm = (operation: string, found: Readonly<Record<string, unknown>>): object =>
  operation === 'DescribeTable' ? { ...found, Table: { ...(found.Table as object), WarmThroughput: atOnce } } : found;

describe('plan, on tables that take less at once than the budget', function () {
  this.timeout(120_000);
  let engine: TestEngine;
  let aws: AnsweringProxy;
  let folder: ProjectFolder;

  before(async () => {
    engine = await startEngine(tables, parseStackConfig('dev', { 'aws:region': 'us-east-1' }, tables));
    aws = await openAnsweringProxy(engine.endpoint, () => undefined, warm);
    folder = await projectFolder({ dev: fileOf(6_000) });
  });

  after(async () => {
    await folder?.remove();
    await aws?.close();
    await engine?.close();
  });

  const plan = async (...more: readonly string[]) => {
    const words = ['plan', '--to', '0001-index-oms-config', '--stack', 'dev', '--endpoint', aws.endpoint, ...more];
    const { code, stdout, stderr } = await runMain(folder.root, words);
    expect(code, stderr).to.equal(0);
    return stdout;
  };

  it('says that warming is needed, what raises it and what that costs once; with a number, of that number', async () => {
    const price = /Once about \$1\.30, if a unit costs once what a provisioned one costs an hour/;
    const told = await plan();
    expect(told.replaceAll(/\s+/g, ' ')).to.contain(
      "'migrate --warm 6000' raises that first. Warm throughput: oms_config_dev from 4,000 to 6,000 write units a second. Once",
    );
    expect(told.replaceAll(/\s+/g, ' ')).to.match(price);
    const { warming } = JSON.parse((await plan('--json')).trim().split('\n').at(-1) ?? '') as { readonly warming: unknown };
    expect(warming).to.deep.equal([{ table: 'oms_config_dev', from: 4_000, to: 6_000, cost: 1.3 }]);
    expect(await plan('--warm', '4000')).to.contain('every table takes 4,000 write units a second');
  });

  it('says nothing of it where the budget is within', async () => {
    const within = await runMain(folder.root, [
      ...['plan', '--to', '0001-index-oms-config', '--stack', 'dev', '--endpoint', aws.endpoint, '--rate', '4000', '--json'],
    ]);
    expect(within.code, within.stderr).to.equal(0);
    expect(JSON.parse(within.stdout.trim().split('\n').at(-1) ?? '')).not.to.have.property('warming');
  });
});
