import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { omsConfig } from '../../tables/catalogue.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { bareProducts } from '../support/bare-products.ts';
import { checkJsonLines } from '../support/check-json-lines.ts';
import { tables } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { repository } from '../support/run-cli.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';
import { until } from '../support/until.ts';

const stackFile = 'config:\n  aws:region: us-east-1\n  tablewright:production: false\n';
const config = parseStackConfig('dev', {}, tables);
const products = bareProducts(600);
/** Some seconds of work: 1,200 units, 400 a second. */
const slowly = ['--rate', '400'];
const byWorkers = ['--on', 'local', '--workers', '4'];

/** A command as a process, whose workers can be found. */
class Running {
  readonly #args: readonly string[];
  readonly child: ChildProcess;
  #stdout = '';
  #stderr = '';

  constructor(folder: string, args: readonly string[]) {
    this.#args = args;
    this.child = spawn(process.execPath, [`${repository}/engine/cli/bin.js`, ...args], { cwd: folder });
    this.child.stdout?.on('data', (text: Buffer) => {
      this.#stdout += text.toString();
    });
    this.child.stderr?.on('data', (text: Buffer) => {
      this.#stderr += text.toString();
    });
  }

  /** Processes that this one has started, by the kernel's list. */
  async workers(): Promise<readonly number[]> {
    const { pid } = this.child;
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    const found = text.split(' ').filter(Boolean).map(Number);
    const commands = await Promise.all(found.map((one) => readFile(`/proc/${one}/cmdline`, 'utf8').catch(() => '')));
    return found.filter((_, at) => commands[at]?.includes('function-process.js'));
  }

  async end() {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    checkJsonLines(this.#args, this.#stdout, this.#stderr);
    return { code: this.child.exitCode, stdout: this.#stdout, stderr: this.#stderr };
  }
}

describe('--on local', function () {
  this.timeout(300_000);
  let folder: ProjectFolder;
  const engines: TestEngine[] = [];
  const running: Running[] = [];

  before(async () => {
    folder = await projectFolder({ dev: stackFile });
  });
  afterEach(async () => {
    for (const { child } of running.splice(0)) child.kill('SIGKILL');
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
  });
  after(async () => {
    await folder.remove();
  });

  /** An engine with the products as they were before the migration. */
  async function begin(items: readonly Item[] = products) {
    const engine = await startEngine(tables, config);
    engines.push(engine);
    await engine.putRaw(omsConfig, items);
    const start = (...words: readonly string[]) => {
      const one = new Running(folder.root, [...words, '--stack', 'dev', '--endpoint', engine.endpoint]);
      running.push(one);
      return one;
    };
    const run = (...words: readonly string[]) => start(...words).end();
    const status = async () => {
      const { stdout } = await run('status', '--json');
      const { migrations, lock, workers } = JSON.parse(stdout) as {
        readonly migrations: readonly { readonly id: string; readonly state: string; readonly record: unknown }[];
        readonly lock: unknown;
        readonly workers: { readonly pass: { readonly done: number } | null } | null;
      };
      const first = migrations[0];
      const { counts, dead } = (first?.record ?? {}) as {
        readonly counts?: { readonly changed: number };
        readonly dead?: number;
      };
      return { state: first?.state, counts, dead, lock, workers };
    };
    const content = () => engine.content(omsConfig);
    return { engine, start, run, status, content };
  }
  type Bed = Awaited<ReturnType<typeof begin>>;

  /** Until some of the items are written. */
  const underWay = async ({ status }: Bed) => until(async () => ((await status()).counts?.changed ?? 0) > 0);

  it('leaves data and counts as one process does, for migrate and verify', async () => {
    const [one, many] = await Promise.all([begin(), begin()]);
    const alone = await one.run('migrate', '--to', '1');
    const together = await many.run('migrate', '--to', '1', ...byWorkers);
    expect([alone.code, together.code], together.stderr).to.deep.equal([0, 0]);
    expect(together.stdout).to.contain('600 items: 600 changed').and.to.contain('1 migration applied and verified.');
    expect(await many.content()).to.deep.equal(await one.content());
    expect(await many.status()).to.deep.equal(await one.status());
    const proven = await many.run('verify', '1', ...byWorkers, '--json');
    expect(proven.code, proven.stderr).to.equal(0);
    expect(proven.stdout).to.contain('"state":"verified"');
    // What they did, one process undoes.
    expect((await many.run('rollback', '--yes')).stdout).to.contain('600 restored');
  });

  it('undoes and retries by workers as one process does', async () => {
    const [odd = {}] = bareProducts(1, () => ({ PK: { S: 'PRODUCT#odd' } }));
    // So large that the keys of an index find no room in it: DynamoDB takes 400 KiB.
    const large = { ...odd, notes: { S: 'x'.repeat(400 * 1_024 - 90) } };
    const few = [...products.slice(0, 40), odd];
    const end = async (...by: readonly string[]) => {
      const bed = await begin([...few.slice(0, -1), large]);
      const first = await bed.run('migrate', '--to', '1', ...by);
      expect([first.code, first.stdout.includes('1 dead letter')], first.stdout + first.stderr).to.deep.equal([1, true]);
      await bed.engine.putRaw(omsConfig, [odd]);
      const again = await bed.run('retry', '1', ...by);
      expect(again.code, again.stdout + again.stderr).to.equal(0);
      const tried = await bed.status();
      expect(tried).to.deep.include({ state: 'verified', dead: 0 });
      const undone = await bed.run('rollback', '--yes', ...by);
      expect(undone.code, undone.stderr).to.equal(0);
      return { tried, told: undone.stdout.split('\n').at(-2), content: await bed.content() };
    };
    const [alone, together] = await Promise.all([end(), end('--on', 'local', '--workers', '2')]);
    const other = await begin(few);
    expect(alone.content).to.deep.equal(await other.content());
    for (const what of ['tried', 'told', 'content'] as const) expect(together[what]).to.deep.equal(alone[what]);
  });

  it('goes on where a worker was killed, and loses nothing', async () => {
    const bed = await begin();
    const run = bed.start('migrate', '--to', '1', ...slowly, ...byWorkers);
    await underWay(bed);
    const workers = await run.workers();
    expect(workers).to.have.length.within(2, 5);
    for (const pid of workers.slice(0, 2)) process.kill(pid, 'SIGKILL');
    const { code, stderr } = await run.end();
    expect(code, stderr).to.equal(0);
    const { state, lock } = await bed.status();
    expect({ state, lock }).to.deep.equal({ state: 'verified', lock: null });
    expect((await bed.run('rollback', '--yes')).stdout).to.contain('600 restored');
    const other = await begin();
    expect(await bed.content()).to.deep.equal(await other.content());
  });

  it('is kept out by a run of one process, and keeps it out', async () => {
    const bed = await begin();
    const keptOut = async (...words: readonly string[]) => {
      const { code, stderr } = await bed.run('migrate', '--to', '1', ...words);
      expect([code, stderr.split(':')[0]]).to.deep.equal([3, 'LOCKED']);
    };
    const alone = bed.start('migrate', '--to', '1', '--rate', '30');
    await underWay(bed);
    await keptOut(...byWorkers);
    alone.child.kill('SIGINT');
    expect((await alone.end()).code).to.equal(130);
    // A budget of one worker: long enough to be there.
    const together = bed.start('migrate', '--to', '1', '--rate', '30', ...byWorkers);
    await until(async () => (await bed.status()).workers !== null);
    await keptOut();
    together.child.kill('SIGINT');
    expect((await together.end()).code).to.equal(130);
  });

  it('ends at its checkpoints by Ctrl-C and by stop, and one process goes on', async () => {
    const bed = await begin();
    const first = bed.start('migrate', '--to', '1', ...slowly, ...byWorkers);
    await underWay(bed);
    first.child.kill('SIGINT');
    const interrupted = await first.end();
    expect(interrupted.code, interrupted.stderr).to.equal(130);
    expect(interrupted.stdout).to.contain('Interrupted in 0001-index-oms-config; its checkpoints are stored.');
    expect((await bed.status()).lock).to.equal(null);
    const second = bed.start('migrate', '--to', '1', ...slowly, ...byWorkers);
    await until(async () => (await bed.status()).workers?.pass?.done !== undefined);
    const stopped = await bed.run('stop');
    expect(stopped.stdout).to.match(/^Asked the execution migrate-\d+-\d+ \(migrate, by 4 workers for .+\) to stop/);
    expect((await second.end()).code).to.equal(130);
    const last = await bed.run('migrate', '--to', '1');
    expect(last.code, last.stderr).to.equal(0);
    expect((await bed.status()).state).to.equal('verified');
    expect((await bed.run('stop')).stdout).to.equal('Nobody runs migrations now: there is nothing to stop.\n');
  });

  it('ends at its checkpoints by pause, begins nothing while that lasts, and goes on after resume', async () => {
    const bed = await begin();
    const first = bed.start('migrate', '--to', '1', '--rate', '60', ...byWorkers);
    await until(async () => (await bed.status()).workers?.pass?.done !== undefined);
    expect((await bed.run('pause')).stdout).to.match(
      /^Paused: the execution migrate-\d+-\d+ stores its checkpoints and ends, within seconds\. After 'tablewright resume'/,
    );
    const ended = await first.end();
    expect(ended.code, ended.stderr).to.equal(130);
    const refused = await bed.run('migrate', '--to', '1', ...byWorkers);
    expect([refused.code, refused.stderr.split(':')[0]]).to.deep.equal([3, 'LOCKED']);
    expect((await bed.run('resume')).stdout).to.match(
      /the execution migrate-\d+-\d+ has ended; the command that began it goes on/,
    );
    const last = await bed.run('migrate', '--to', '1', ...byWorkers);
    expect(last.code, last.stderr).to.equal(0);
    expect((await bed.status()).counts).to.include({ changed: 600 });
  });

  it('refuses more workers than a machine runs', async () => {
    const bed = await begin();
    const { code, stderr } = await bed.run('migrate', '--to', '1', '--on', 'local', '--workers', '65');
    expect(code).to.equal(2);
    expect(stderr).to.equal(
      'BAD_ARGUMENT: --workers: this machine runs at most 64, found 65\n→ Give fewer; a thousand and more run on AWS (--on aws).\n',
    );
  });
});
