import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { omsConfig } from '../../../tables/oms/config.ts';
import { omsTradingData } from '../../../tables/oms/trading-data.ts';
import { openFaultProxy } from '../../support/fault-proxy.ts';
import { repository, runCli } from '../../support/run-cli.ts';
import { makeFolder, removeFolder, type SeedBench, seedBench } from '../../support/seed-bench.ts';
import { useEngine } from '../../support/test-engine.ts';

const volumeRows = 6_000;

const small = `import { defineSeed, file, rawFile } from '${repository}engine/author.ts';
import { client, omsConfig } from '${repository}tables/oms/config.ts';
export default defineSeed({
  description: 'two clients and a row that no store takes',
  stacks: ['test', 'live', 'part'],
  fixtures: [file(omsConfig, client, 'clients.csv'), rawFile(omsConfig, 'raw.jsonl')],
});
`;

const files = {
  'Pulumi.test.yaml': 'config:\n  aws:region: us-east-1\n',
  'Pulumi.part.yaml': 'config:\n  tablewright:systems: [markets]\n',
  'Pulumi.other.yaml': 'config:\n  aws:region: us-east-1\n',
  'Pulumi.live.yaml': 'config:\n  tablewright:production: true\n',
  'package.json': '{"type":"module"}',
  'seeds/oms/seed.ts': `import seed from '${repository}seeds/oms/seed.ts';\nexport default { ...seed, fixtures: [], stacks: ['test'], onRequest: true };\n`,
  'seeds/small/seed.ts': small,
  'seeds/small/clients.csv': 'client_id,name,status\nc1,One,ACTIVE\nc2,Two,ACTIVE\n',
  'seeds/small/raw.jsonl': '{"Item":{"PK":{"S":"SYSTEM#poison"},"SK":{"S":"CONFIG"},"empty":{"SS":[]}}}\n',
};

describe('the seed command', function () {
  this.timeout(180_000);
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

  const run = (...args: readonly string[]) => runCli(root, ['seed', '--stack', 'test', '--endpoint', engine().endpoint, ...args]);
  const rows = async () => [...(await bench.scan(omsConfig)), ...(await bench.scan(omsTradingData))].length;

  it('is stopped by Ctrl-C after the batches under way, says how to go on, and completes when run again', async () => {
    const proxy = await openFaultProxy(engine().endpoint, { delayMs: 40 });
    const args = ['seed', 'oms', '--stack', 'test', '--endpoint', proxy.endpoint, '--volume', String(volumeRows)];
    const child = spawn(process.execPath, [`${repository}engine/cli/bin.js`, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    while ((proxy.requests.get('BatchWriteItem') ?? 0) < 20) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number];
    expect(code).to.equal(130);
    expect(stderr).to.contain('Run the same command again: it goes on where it stopped.');
    const stopped = await rows();
    expect(stopped).to.be.within(25, volumeRows - 1);
    const again = await run('oms', '--volume', String(volumeRows), '--json');
    const result = JSON.parse(again.stdout.trim().split('\n').at(-1) ?? '{}');
    expect(again.code).to.equal(0);
    expect(result.sets[0].from).to.be.within(1, stopped);
    expect(result.sets[0].from + result.sets[0].written).to.equal(volumeRows);
    expect(await rows()).to.equal(volumeRows);
    await proxy.close();
  });

  it('ends with 1 when a row cannot be written, says where it is kept, and writes and counts the others', async () => {
    const { code, stdout, stderr } = await run('small');
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: 'small             2 created, 1 not written\n' });
    const [, path = ''] = /1 row could not be written, kept in (\S+\.jsonl) with the reasons\./.exec(stderr) ?? [];
    const letter = JSON.parse(await readFile(path, 'utf8'));
    expect(letter.put.PK).to.deep.equal({ S: 'SYSTEM#poison' });
    expect(letter.reason.code).to.equal('ValidationException');
    const again = await run('small');
    expect(again.code).to.equal(1);
    expect(again.stdout).to.equal('small             2 unchanged, 1 not written\n');
  });

  it('refuses a production stack whatever the flags, before it reads or writes anything', async () => {
    const args = ['--stack', 'live', '--endpoint', 'http://127.0.0.1:9', '--overwrite', '--prune', '--dry-run', '--volume', '10'];
    const { code, stdout, stderr } = await runCli(root, ['seed', 'small', ...args]);
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
    expect(stderr).to.equal(
      'REFUSED_IN_PRODUCTION: live is a production stack; seeds are never written there\n→ Choose another stack with --stack. (Pulumi.live.yaml says tablewright:production: true; no flag overrides it.)\n',
    );
  });

  it('names what there is when a set or system is not there', async () => {
    const set = await run('nope');
    expect({ code: set.code, stderr: set.stderr }).to.deep.equal({
      code: 2,
      stderr: 'UNKNOWN_NAME: there is no seed set nope in seeds/\n→ Use one of oms, small.\n',
    });
    const system = await run('--system', 'nope');
    expect({ code: system.code, stderr: system.stderr }).to.deep.equal({
      code: 2,
      stderr: 'UNKNOWN_NAME: no seed set is of the system nope\n→ Use one of oms.\n',
    });
  });

  it('refuses a set on a stack that its declaration does not name', async () => {
    const { code, stderr } = await runCli(root, ['seed', 'oms', '--stack', 'other', '--endpoint', engine().endpoint]);
    expect({ code, stderr }).to.deep.equal({
      code: 2,
      stderr: [
        'BAD_ARGUMENT: oms may not be loaded into the stack other',
        '  - oms: its seed.ts allows test',
        "→ Choose one of those stacks with --stack, or add 'other' to stacks in seeds/oms/seed.ts.",
        '',
      ].join('\n'),
    });
  });

  it('passes over sets whose tables the stack does not deploy', async () => {
    const { code, stderr } = await runCli(root, ['seed', '--stack', 'part', '--endpoint', 'http://127.0.0.1:9', '--dry-run']);
    expect({ code, stderr }).to.deep.equal({
      code: 2,
      stderr: 'BAD_ARGUMENT: no seed set fits the stack part\n→ Name a set, or give one of seeds/ what the stack deploys.\n',
    });
  });

  it('prints JSON lines only with --json', async () => {
    const { stdout } = await run('oms', '--volume', '200', '--random-seed', '9', '--json');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly event: string });
    expect(lines.at(-1)?.event).to.equal('seeded');
    expect(lines.slice(0, -1).every((line) => line.event === 'progress')).to.equal(true);
  });
});
