import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { scalarText } from '../../tables/model/attribute-value.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { omsTradingData } from '../../tables/oms/trading-data.ts';
import { openCapacityProxy } from '../support/capacity-proxy.ts';
import { CliWorker } from '../support/cli-worker.ts';
import { wholeCatalogue } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { repository } from '../support/run-cli.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';
import { itemsOf } from '../support/transfer-bed.ts';

const config = parseStackConfig('dev', {}, wholeCatalogue);
const person = ['client_123', '--by', 'client_id'];

describe('one person on the command line', function () {
  this.timeout(60_000);
  let folder: ProjectFolder;
  let worker: CliWorker;
  let engine: TestEngine;
  const on = (endpoint = engine.endpoint) => ['--stack', 'dev', '--endpoint', endpoint];
  const run = (...args: readonly string[]) => worker.run([...args, ...on()]);
  const shown = async () =>
    JSON.parse((await run('subject', 'show', ...person, '--json')).stdout.trim().split('\n').at(-1) ?? '{}');

  before(async () => {
    folder = await projectFolder({ dev: 'config:\n  aws:region: us-east-1\n' });
    engine = await startEngine(wholeCatalogue, config);
    worker = new CliWorker(folder.root, {});
    const seeded = await run('seed', '--quiet');
    expect(seeded.code, seeded.stderr).to.equal(0);
  });
  after(async () => {
    worker?.close();
    await engine?.close();
    await folder?.remove();
  });

  it('is listed over all tables, and not erased before somebody says yes', async () => {
    const { stdout } = await run('subject', 'show', ...person);
    expect(stdout).to.match(/^ {2}oms_config\/CLIENT {2}CLIENT#client_123 \/ CONFIG {2}by client_id$/m);
    expect(stdout).to.match(/^ {2}oms_trading_data\/EXECUTION {2}CLIENT#client_123 \/ EXECUTION#\S+ {2}by client_id$/m);
    expect(stdout).to.match(/^12 records in 2 tables, 0 mentions in other records\.$/m);
    const unasked = await run('subject', 'erase', ...person);
    expect(unasked.code).to.equal(2);
    expect(unasked.stderr).to.match(/^NOT_CONFIRMED: 12 records of stack dev will be removed for good\. Expected yes /m);
    expect((await shown()).records).to.equal(12);
  });

  it('is erased by a command that was killed with kill -9 and run again; the ledger tells how much, and not whose', async () => {
    const others = (await itemsOf(engine, omsTradingData)).filter((item) => scalarText(item.client_id) !== 'client_123');
    let removals = 0;
    let kill: () => void = () => undefined;
    const proxy = await openCapacityProxy(engine.endpoint, ({ kind, table }) => {
      removals += kind === 'write' && !table.includes('ledger') ? 1 : 0;
      if (removals === 4) kill();
    });
    const child = spawn(
      process.execPath,
      [join(repository, 'engine/cli/bin.js'), 'subject', 'erase', ...person, '--yes', ...on(proxy.endpoint)],
      {
        cwd: folder.root,
        stdio: 'ignore',
      },
    );
    kill = () => void child.kill('SIGKILL');
    expect(await new Promise((resolve) => child.on('close', resolve)), 'killed').to.equal(null);
    await proxy.close();
    const { records: left } = await shown();
    expect(left).to.be.within(1, 8);
    const { code, stdout, stderr } = await run('subject', 'erase', ...person, '--yes');
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(new RegExp(`^Removed ${left} records? \\(erasure [0-9a-f]{8} in the ledger\\)\\.$`, 'm'));
    expect(stdout).to.contain('Backups, exports, archives, dead letters, point-in-time recovery, and journals');
    expect((await shown()).records).to.equal(0);
    expect(await itemsOf(engine, omsTradingData)).to.have.deep.members(others);
    const kept = (await itemsOf(engine, ledger)).filter((item) => scalarText(item.PK) === 'SUBJECT#erasures');
    expect(kept.map((item) => scalarText(item.state)).toSorted()).to.deep.equal(['complete', 'running']);
    expect(JSON.stringify(kept)).not.to.contain('client_123');
  });
});
