import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { isLoopback } from '../../../engine/aws/clients.ts';
import { type EngineName, engineNames } from '../../../engine/local/choose-engine.ts';
import { openDynamo } from '../../../engine/local/local-engine.ts';
import { freePort } from '../../../engine/local/shared-service.ts';
import type { TablewrightError } from '../../../tables/model/error.ts';
import { failureOf } from '../../support/failure-of.ts';
import { skipWithout } from '../../support/java.ts';
import { listens, untilSilent } from '../../support/listens.ts';

/** Another process that uses the engine of a directory until it is killed. */
async function otherUser(
  directory: string,
  engine: EngineName,
): Promise<{ readonly process: ChildProcess; readonly endpoint: string }> {
  const module = new URL('../../../engine/local/local-engine.ts', import.meta.url).href;
  const script = `const { openDynamo } = await import(${JSON.stringify(module)});
    const { endpoint } = await openDynamo({ data: { kind: 'directory', directory: ${JSON.stringify(directory)} }, engine: '${engine}' });
    console.log(endpoint); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  return { process: child, endpoint: line.toString().trim() };
}

const files: Readonly<Record<EngineName, string>> = {
  dynoxide: 'dynamodb.sqlite',
  'dynamodb-local': 'dynamodb-local/shared-local-instance.db',
};

const damage: Readonly<Record<EngineName, RegExp>> = {
  dynoxide: /^dynamodb ended as soon as it was started\n {2}- error: .*not a valid SQLite database/,
  'dynamodb-local':
    /^dynamodb started and cannot work: .*\n[\s\S]*SQLiteException: .*\[file is encrypted or is not a database\]$/,
};

const rounds: Readonly<Record<EngineName, number>> = { dynoxide: 15, 'dynamodb-local': 2 };

const names: Readonly<Record<EngineName, string>> = {
  dynoxide: 'the embedded engine',
  'dynamodb-local': 'Amazon’s own engine',
};

for (const engine of engineNames) describeEngine(engine);

function describeEngine(engine: EngineName): void {
  describe(names[engine], () => {
    skipWithout(engine);
    let directory = '';

    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'tablewright-test-'));
    });

    afterEach(async () => {
      await rm(directory, { recursive: true, force: true });
    });

    // What has nothing to do with the program that is started is tried with the quick one.
    const mechanism = engine === 'dynoxide' ? it : () => undefined;
    const open = (port?: number) => openDynamo({ data: { kind: 'directory', directory }, port, engine });

    it('answers on loopback and is gone when its user lets go', async () => {
      const service = await openDynamo({ data: { kind: 'memory' }, engine });
      expect(new URL(service.endpoint).hostname).to.equal('127.0.0.1');
      expect(await listens(service.endpoint)).to.equal(true);
      await service.release();
      expect(await untilSilent(service.endpoint)).to.equal(true);
    });

    it('is found by a second user and lives until the last one is out', async () => {
      const first = await open();
      const second = await open();
      expect(second.endpoint).to.equal(first.endpoint);
      expect([first.started, second.started]).to.deep.equal([true, false]);
      await first.release();
      await sleep(100);
      expect(await listens(second.endpoint)).to.equal(true);
      await second.release();
      expect(await untilSilent(second.endpoint)).to.equal(true);
    });

    mechanism('starts once when many ask at the same time', async () => {
      const users = await Promise.all(Array.from({ length: 6 }, () => open()));
      expect(new Set(users.map((user) => user.endpoint)).size).to.equal(1);
      expect(users.filter((user) => user.started)).to.have.length(1);
      await Promise.all(users.map((user) => user.release()));
    });

    it('does not outlive a parent that is killed', async () => {
      const other = await otherUser(directory, engine);
      expect(await listens(other.endpoint)).to.equal(true);
      other.process.kill('SIGKILL');
      expect(await untilSilent(other.endpoint)).to.equal(true);
    });

    it('outlives a starter that is killed while another user is left', async () => {
      const other = await otherUser(directory, engine);
      const here = await open();
      expect(here.endpoint).to.equal(other.endpoint);
      other.process.kill('SIGKILL');
      await once(other.process, 'exit');
      await sleep(100);
      expect(await listens(here.endpoint)).to.equal(true);
      await here.release();
      expect(await untilSilent(here.endpoint)).to.equal(true);
    });

    it('keeps its data in its directory, and starts again after it has stopped', async () => {
      const first = await open();
      await first.release();
      expect(await untilSilent(first.endpoint)).to.equal(true);
      const second = await open();
      expect(second.started).to.equal(true);
      expect(existsSync(join(directory, files[engine]))).to.equal(true);
      await second.release();
      await untilSilent(second.endpoint);
    });

    it('says at once what is wrong with data that it cannot read', async () => {
      await mkdir(dirname(join(directory, files[engine])), { recursive: true });
      await writeFile(join(directory, files[engine]), 'no database at all, '.repeat(500));
      await writeFile(join(directory, 'engine'), `${engine}\n`);
      const error = await failureOf(open());
      expect(error.code).to.equal('ENGINE_FAILED');
      expect(error.message).to.match(damage[engine]);
      expect(error.next).to.equal(`Read ${join(directory, 'dynamodb.log')}; with 'up --fresh' the local data is made anew.`);
    }).timeout(20_000);

    it('whoever comes while it is stopping gets one that stays', async () => {
      let endpoint = '';
      for (let round = 0; round < rounds[engine]; round += 1) {
        const service = await open();
        await sleep(round % 3 === 0 ? 30 : 0);
        expect(await listens(service.endpoint), `round ${round}`).to.equal(true);
        await service.release();
        await sleep(round % 4);
        endpoint = service.endpoint;
      }
      await untilSilent(endpoint);
    });

    mechanism('says which port is taken, and by whom', async () => {
      const port = await freePort();
      const first = await open(port);
      const elsewhere = await mkdtemp(join(tmpdir(), 'tablewright-test-'));
      const failure = async (asked: Promise<unknown>) =>
        asked.then(
          () => undefined,
          (error: unknown) => error as TablewrightError,
        );
      const foreign = await failure(openDynamo({ data: { kind: 'directory', directory: elsewhere }, port, engine }));
      expect(foreign?.code).to.equal('PORT_TAKEN');
      expect(foreign?.message).to.equal(`port ${port} is taken by another program; dynamodb needs it`);
      const other = await freePort();
      const own = await failure(open(other));
      expect(own?.message).to.equal(`dynamodb already runs on port ${port}; port ${other} was asked for`);
      await first.release();
      await rm(elsewhere, { recursive: true, force: true });
    });
  });
}

describe('addresses', () => {
  it('knows its own addresses from others', () => {
    expect(['http://127.0.0.1:8000', 'http://localhost:8000', 'http://[::1]:8000'].map(isLoopback)).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect(['https://dynamodb.us-east-1.amazonaws.com', 'http://127.example.com', 'nonsense'].map(isLoopback)).to.deep.equal([
      false,
      false,
      false,
    ]);
  });
});
