import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import vm from 'node:vm';
import { expect } from 'chai';
import { ask } from '../../engine/cli/this-process.js';
import { openDynamo } from '../../engine/local/local-engine.ts';
import { freePort } from '../../engine/local/shared-service.ts';
import { omsConfig } from '../../tables/oms/config.ts';
import { omsTradingData } from '../../tables/oms/trading-data.ts';
import { openFaultProxy } from '../support/fault-proxy.ts';
import { linkProject } from '../support/project-folder.ts';
import { repository } from '../support/run-cli.ts';
import { runMain } from '../support/run-main.ts';
import { makeFolder, removeFolder, seedBench } from '../support/seed-bench.ts';
import { useEngine } from '../support/test-engine.ts';

const files = {
  'Pulumi.yaml': 'name: tablewright\n',
  'Pulumi.dev.yaml': 'config: {}\n',
  'Pulumi.test.yaml': 'config: {}\n',
  'package.json': '{"type":"module"}',
  'seeds/oms/seed.ts': `import seed from '${repository}seeds/oms/seed.ts';\nexport default { ...seed, fixtures: [], stacks: ['test'], onRequest: true };\n`,
};

function start(cwd: string, args: readonly string[]): ChildProcess & { readonly said: () => string } {
  const child = spawn(process.execPath, [`${repository}engine/cli/bin.js`, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return Object.assign(child, { said: () => stderr });
}

describe('a command as a process', function () {
  this.timeout(120_000);
  const engine = useEngine();
  let root: string;
  before(async () => {
    root = await makeFolder(files);
  });
  after(() => removeFolder(root));

  it('whose reader goes away (… | head -1) ends quietly, with the exit code of its work', async () => {
    const child = start(root, ['patterns']);
    child.stdout?.destroy();
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, said: child.said() }).to.deep.equal({ code: 0, said: '' });
  });

  it('whose reader goes away while it works stops after the batches under way, without a word', async () => {
    const args = ['--stack', 'test', '--endpoint', engine().endpoint, '--volume', '6000', '--rate', '300', '--json'];
    const child = start(root, ['seed', 'oms', ...args]);
    child.stdout?.once('data', () => child.stdout?.destroy());
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, said: child.said() }).to.deep.equal({ code: 130, said: '' });
    const bench = seedBench(engine());
    const written = [...(await bench.scan(omsConfig)), ...(await bench.scan(omsTradingData))].length;
    bench.close();
    expect(written).to.be.within(25, 5_999);
  });

  it('whose output goes to a full disk says so and ends with 1, whatever its work came to', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [`${repository}engine/cli/bin.js`, 'patterns'], {
      cwd: root,
      stdio: ['ignore', full, 'pipe'],
    });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const [code] = (await once(child, 'close')) as [number];
    closeSync(full);
    expect({ code, said }).to.deep.equal({
      code: 1,
      said: 'FILE_FAILED: the output cannot be written: there is no room left on its disk (ENOSPC)\n→ Make room, then run the command again.\n',
    });
  });

  it('that asks takes the end of the input (Ctrl-D) for no answer', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const answered = ask('Type yes to go on: ', new AbortController().signal, { input, output, terminal: true });
    input.write('\u0004');
    expect(await answered).to.equal('');
    const typed = new PassThrough();
    const second = ask('Type yes to go on: ', new AbortController().signal, { input: typed, output, terminal: true });
    typed.write('yes\n');
    expect(await second).to.equal('yes');
  });

  it('whose terminal is closed (SIGHUP) stops as after Ctrl-C', async () => {
    const proxy = await openFaultProxy(engine().endpoint, { delayMs: 40 });
    const args = ['--stack', 'test', '--endpoint', proxy.endpoint, '--volume', '6000', '--random-seed', '2'];
    const child = start(root, ['seed', 'oms', ...args]);
    while ((proxy.requests.get('BatchWriteItem') ?? 0) < 5) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGHUP');
    const [code] = (await once(child, 'close')) as [number];
    await proxy.close();
    expect(code).to.equal(130);
    expect(child.said()).to.contain('Run the same command again: it goes on where it stopped.');
  });

  it('that is interrupted while it does anything else says so in a line', async () => {
    const stopped = new AbortController();
    stopped.abort();
    const { code, stderr } = await runMain(root, ['doctor', '--stack', 'test', '--endpoint', engine().endpoint], {
      signal: stopped.signal,
    });
    expect({ code, stderr }).to.deep.equal({
      code: 130,
      stderr: 'Interrupted.\n→ Run the same command again; what was done is kept.\n',
    });
  });

  it('on a Node that is too old says which it needs, in a sentence', async () => {
    const source = await readFile(`${repository}engine/cli/bin.js`, 'utf8');
    const { engines } = JSON.parse(await readFile(`${repository}package.json`, 'utf8')) as { engines: { node: string } };
    // Nothing that an old Node cannot read: no import or await at the top, no new operators.
    expect(source).not.to.match(/^import |\bawait\b|=>|\?\?|\?\.|\bconst\b|\blet\b|`/m);
    for (const version of ['12.22.12', '18.20.8', '20.11.1']) {
      let said = '';
      const stream = { write: (text: string) => (said += text) };
      const old = { versions: { node: version }, stderr: stream, exitCode: 0 };
      vm.runInNewContext(source.replace(/^#!.*/, ''), { process: old });
      const least = engines.node.replace('>=', '');
      const wanted = `tablewright needs Node ${least} or later; this is ${version}. Install a newer one, for instance from nodejs.org.\n`;
      expect({ said, code: old.exitCode }).to.deep.equal({ said: wanted, code: 2 });
    }
  });
});

describe('files in the way', function () {
  this.timeout(60_000);
  let root: string;
  beforeEach(async () => {
    root = await makeFolder({ 'Pulumi.yaml': 'name: x\n', 'Pulumi.dev.yaml': 'config: {}\n' });
  });
  afterEach(() => removeFolder(root));

  it('.tablewright being a file is said so', async () => {
    await writeFile(join(root, '.tablewright'), 'x');
    const { code, stderr } = await runMain(root, ['doctor']);
    expect(code).to.equal(1);
    expect(stderr).to.equal(
      `FILE_FAILED: ${root}/.tablewright: a file is there already, and a new one or a folder is needed (EEXIST)\n→ Move that file away.\n`,
    );
  });

  it('.tablewright/s3 being a file is said so', async () => {
    await mkdir(join(root, '.tablewright'));
    await writeFile(join(root, '.tablewright/s3'), 'x');
    const { code, stderr } = await runMain(root, ['export', 'oms_config']);
    expect({ code, stderr }).to.deep.equal({
      code: 1,
      stderr: `FILE_FAILED: ${root}/.tablewright/s3: a file is there already, and a new one or a folder is needed (EEXIST)\n→ Move that file away.\n`,
    });
  });

  it('a folder where a file is expected, and a file where a folder is, is said so by its name', async () => {
    await mkdir(join(root, 'migrations/0001-a-b.ts'), { recursive: true });
    const file = await runMain(root, ['status']);
    expect([file.code, file.stderr]).to.deep.equal([
      1,
      `FILE_FAILED: ${root}/migrations/0001-a-b.ts: it is a folder, and a file is needed (EISDIR)\n→ Name a file.\n`,
    ]);
    await rm(join(root, 'migrations'), { recursive: true });
    const inTheWay = `a part of its path is a file, and a folder is needed (ENOTDIR)\n→ Move that file away, or name another place.\n`;
    for (const [name, args] of [
      ['migrations', ['status']],
      ['migrations', ['migration', 'new', 'a-b', '--table', 'orders']],
      ['seeds', ['seed']],
    ] as const) {
      await writeFile(join(root, name), '');
      const { code, stderr } = await runMain(root, args);
      expect([code, stderr], args.join(' ')).to.deep.equal([1, `FILE_FAILED: ${root}/${name}: ${inTheWay}`]);
      await rm(join(root, name));
    }
    // A folder is no file that is there already.
    const begun = await makeFolder({ 'Pulumi.yaml/x': '' });
    const init = await runMain(begun, ['init']);
    await removeFolder(begun);
    expect([init.code, init.stderr.split('\n')[0]]).to.deep.equal([
      1,
      `FILE_FAILED: ${begun}/Pulumi.yaml: it is a folder, and a file is needed`,
    ]);
    // Both files of a new migration or none.
    await mkdir(join(root, 'tests'));
    await writeFile(join(root, 'tests/migrations'), '');
    expect((await runMain(root, ['migration', 'new', 'a-b', '--table', 'orders'])).code).to.equal(1);
    expect(await readdir(join(root, 'migrations'))).to.deep.equal([]);
  });

  // A small disk takes the right to mount one; elsewhere the test is not there, since a skipped one would fail the run.
  const onSmallDisk = mayMount() ? it : notHere;
  onSmallDisk('a full or read-only disk is said so, and leaves no half files', async () => {
    const disk = await mkdtemp(join(tmpdir(), 'tablewright-full-'));
    mountSmall(disk);
    try {
      await linkProject(disk);
      await writeFile(join(disk, 'Pulumi.dev.yaml'), 'config: {}\n');
      await writeFile(join(disk, 'mine.json'), 'mine');
      await writeFile(join(disk, 'all-of-it'), 'x'.repeat(100_000)).catch(() => undefined);
      const made = await runMain(disk, ['migration', 'new', 'index-orders', '--table', 'orders']);
      expect({ code: made.code, stderr: made.stderr }).to.deep.equal({
        code: 1,
        stderr: `FILE_FAILED: ${disk}/migrations/0001-index-orders.ts: there is no room left on its disk (ENOSPC)\n→ Make room, then run the command again.\n`,
      });
      const again = await runMain(disk, ['migration', 'new', 'index-orders', '--table', 'orders']);
      expect(again.stderr).to.equal(made.stderr);
      // What was there is as it was, and what was not is not: no empty file is taken for the one that was asked for.
      const before = await readdir(disk);
      for (const args of [['bundle'], ['bundle', '--to', 'mine.json']]) {
        const { code, stderr } = await runMain(disk, args);
        expect([code, stderr], args.join(' ')).to.satisfy(
          ([ended, said]: [number, string]) => ended === 1 && /^FILE_FAILED: \S+: there is no room left/.test(said),
        );
      }
      expect(await readdir(disk)).to.deep.equal(before);
      expect(await readFile(join(disk, 'mine.json'), 'utf8')).to.equal('mine');
      const doctor = await runMain(disk, ['doctor']);
      expect(doctor.stderr).to.match(/^FILE_FAILED: .*\.tablewright\/\S+: there is no room left on its disk \(ENOSPC\)\n/);
      await rm(join(disk, 'all-of-it'));
      execFileSync('mount', ['-o', 'remount,ro', disk], { stdio: 'ignore' });
      for (const args of [['doctor'], ['migration', 'new', 'index-orders', '--table', 'orders']]) {
        const readOnly = await runMain(disk, args);
        expect([readOnly.code, readOnly.stderr], args.join(' ')).to.satisfy(
          ([code, stderr]: [number, string]) =>
            code === 1 && /^FILE_FAILED: \S+: its file system is read-only \(EROFS\)\n→ /.test(stderr),
        );
      }
    } finally {
      execFileSync('umount', ['-l', disk]);
      await rm(disk, { recursive: true });
    }
  });
});

function mountSmall(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
}

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'tablewright-mount-'));
  try {
    mountSmall(folder);
    execFileSync('umount', ['-l', folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function notHere(claim: string): void {
  process.stdout.write(`not run, mounting is not allowed here: ${claim}\n`);
}

describe('the port of an engine', function () {
  this.timeout(60_000);

  it('is the preferred one where it is free, and another where it is taken', async () => {
    const port = await freePort();
    const first = await openDynamo({ data: { kind: 'memory' }, preferredPort: port });
    expect(first.endpoint).to.equal(`http://127.0.0.1:${port}`);
    const second = await openDynamo({ data: { kind: 'memory' }, preferredPort: port });
    expect(second.endpoint).not.to.equal(first.endpoint);
    await Promise.all([first.release(), second.release()]);
  });

  it('that was asked for and is taken is an error that names it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { readonly port: number };
    const error = await openDynamo({ data: { kind: 'memory' }, port }).catch((reason: unknown) => reason);
    server.close();
    expect(error).to.include({ code: 'PORT_TAKEN', message: `port ${port} is taken by another program; dynamodb needs it` });
  });
});
