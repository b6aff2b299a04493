import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { marketOrders } from '../../tables/catalogue.ts';
import { type FaultProxy, openFaultProxy } from '../support/fault-proxy.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { repository } from '../support/run-cli.ts';
import { runMain } from '../support/run-main.ts';
import { useEngine } from '../support/test-engine.ts';

/** What happens to a command in the middle of its work. */
const endings: Readonly<Record<string, (child: ChildProcess) => void>> = {
  'whose reader goes away': (child) => child.stdout?.destroy(),
  'whose readers of output and errors go away': (child) => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  },
  // The kernel and the shell both tell, and the terminal takes no more output.
  'whose terminal is closed': (child) => {
    child.kill('SIGHUP');
    child.stdout?.destroy();
    child.kill('SIGHUP');
  },
};

describe('a migration command', function () {
  this.timeout(120_000);
  const engine = useEngine();
  let project: ProjectFolder;
  let proxy: FaultProxy;
  const at = (...words: readonly string[]) => [...words, '--stack', 'test', '--endpoint', engine().endpoint];
  const run = (...words: readonly string[]) => runMain(project.root, at(...words));

  before(async () => {
    project = await projectFolder({ test: 'config: {}\n' });
    proxy = await openFaultProxy(engine().endpoint);
    await engine().putRaw(
      marketOrders,
      Array.from({ length: 400 }, (_, number) => ({
        id: { S: `m:order:${String(number).padStart(4, '0')}` },
        marketId: { S: 'm' },
        sequence: { N: String(number) },
        side: { S: 'Buy' },
        status: { S: 'Open' },
        price: { N: '0.5' },
        userId: { S: `u${number % 7}` },
        createdAt: { S: '2025-01-01T00:00:00.000Z' },
      })),
    );
  });
  after(async () => {
    await proxy.close();
    await project.remove();
  });

  /** Starts it against a slow server, lets it get into its work, and ends it in this way. */
  async function interrupted(words: readonly string[], operation: string, end: (child: ChildProcess) => void) {
    const [delayMs, count] = operation === 'Scan' ? [2_500, 1] : [60, 4];
    proxy.set({ delayMs, operations: [operation] }, 3);
    const seen = proxy.requests.get(operation) ?? 0;
    const args = [...words, '--stack', 'test', '--endpoint', proxy.endpoint, '--segments', '2', '--json'];
    const child = spawn(process.execPath, [`${repository}engine/cli/bin.js`, ...args.filter((word) => !isForeign(words, word))], {
      cwd: project.root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr?.on('data', (text) => {
      said += String(text);
    });
    child.stdout?.on('data', () => undefined);
    const closed = once(child, 'exit') as Promise<[number]>;
    while ((proxy.requests.get(operation) ?? 0) < seen + count && child.exitCode === null)
      await new Promise((done) => setTimeout(done, 5));
    end(child);
    const [code] = await closed;
    return { code, said };
  }

  /** Rollback has no segments to choose. */
  const isForeign = (words: readonly string[], word: string): boolean =>
    words[0] === 'rollback' && (word === '--segments' || word === '2');

  for (const [how, end] of Object.entries(endings)) {
    it(`${how} ends as after Ctrl-C: checkpoints stored, the lock released, no trace; and the next one goes on`, async () => {
      const states = async () =>
        JSON.parse((await run('status', '--json')).stdout) as { migrations: { id: string; state: string }[] };
      const stateOf = async (id: string) => (await states()).migrations.find((one) => one.id.startsWith(id))?.state;
      expect((await run('migrate', '--to', '5', '--json')).code).to.equal(0);

      const migrated = await interrupted(['migrate', '--to', '6'], 'BatchExecuteStatement', end);
      expect(migrated, 'migrate').to.deep.equal({ code: 130, said: '' });
      expect((await run('unlock')).stdout).to.equal('The lock is free.\n');
      expect(await stateOf('0006')).to.equal('interrupted');
      const done = await run('migrate', '--to', '6', '--json');
      expect(done.code, done.stderr).to.equal(0);
      const last = JSON.parse(done.stdout.trim().split('\n').at(-1) ?? '{}') as { results: { counts: { changed: number } }[] };
      expect(last.results[0]?.counts.changed).to.equal(400);

      const verified = await interrupted(['verify', '6'], 'Scan', end);
      expect(verified, 'verify').to.deep.equal({ code: 130, said: '' });
      expect(await stateOf('0006')).to.equal('verified');

      const undone = await interrupted(['rollback'], 'BatchExecuteStatement', end);
      expect(undone, 'rollback').to.deep.equal({ code: 130, said: '' });
      expect((await run('unlock')).stdout).to.equal('The lock is free.\n');
      expect(await stateOf('0006')).to.equal('rolling-back');
      const rest = await run('rollback');
      expect(rest.stdout).to.contain('0006-index-order-book rolled-back: 400 items: 400 restored\n');
    });
  }
});
