import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { commands } from '../../engine/cli/commands/all.js';
import { CliWorker } from '../support/cli-worker.ts';
import { repository } from '../support/run-cli.ts';
import { openSilentServer, type SilentServer } from '../support/silent-server.ts';

const arn = 'arn:aws:dynamodb:us-east-1:123456789012:table/t/backup/01';

/** A call of each command that asks a store. `FOLDER` is a place of the test's own. */
const calls: readonly (readonly string[])[] = [
  ['query', 'oms.config.allProducts'],
  ['doctor'],
  ['table', 'from-aws', 'oms_config_dev'],
  ['seed', 'oms'],
  ['seed', '--volume', '100', '--system', 'oms'],
  ['status'],
  ['plan'],
  ['migrate'],
  ['verify'],
  ['rollback'],
  ['retry', '1'],
  ['history', '1'],
  ['report', '1'],
  ['stop'],
  ['pause'],
  ['resume'],
  ['unlock'],
  ['repair'],
  ['cutover', 'status'],
  ['cutover', 'check', '--all'],
  ['cutover', 'apply', '--all'],
  ['cutover', 'shadow', '--all'],
  ['cutover', 'revert', '--all'],
  ['export', 'oms_config', '--to', 'FOLDER'],
  ['export', 'oms_config', '--to', 's3://bucket/prefix', '--native'],
  ['import', 's3://bucket/prefix', '--table', 'oms_config'],
  ['mask', 'plan', 'examples/masks.yaml'],
  ['subject', 'show', 'client_123'],
  ['subject', 'erase', 'client_123', '--yes'],
  ['archive', '--to', 'FOLDER'],
  ['adopt'],
  ['archive', 'items', 'oms_trading_data', '--older-than', '7d', '--to', 'FOLDER'],
  ['check', 'index', 'orders', 'orders_by_owner'],
  ['advise', 'indexes', '--table', 'orders'],
  ['backup', 'list'],
  ['backup', 'create', 'oms_config'],
  ['backup', 'delete', arn],
  ['pitr', 'status', 'oms_config'],
  ['restore', 'oms_config', '--from-backup', arn, '--as', 'other'],
];

/** Answers without the store, asks another service, or starts the embedded engine. */
const others = ['up', 'explain', 'console', 'attach'];

describe('a server that never answers', function () {
  this.timeout(120_000);
  let server: SilentServer;
  let worker: CliWorker;
  let folder: string;

  before(async () => {
    server = await openSilentServer();
    folder = await mkdtemp(join(tmpdir(), 'tablewright-silent-'));
    worker = new CliWorker(repository, { AWS_ENDPOINT_URL_S3: server.endpoint });
    await worker.run(['tables']);
  });
  after(async () => {
    worker.close();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const argsOf = (call: readonly string[]): readonly string[] => [
    ...call.map((word) => word.replace('FOLDER', folder)),
    ...['--stack', 'dev', '--endpoint', server.endpoint],
  ];

  it('is asked by every command that has a store', () => {
    const asking = commands.filter(({ reach }) => reach === 'store').map(({ words }) => words);
    // The longest: `archive items` is no `archive`.
    const called = calls.map((call) =>
      asking.filter((words) => call.join(' ').startsWith(words)).reduce((a, b) => (b.length > a.length ? b : a), ''),
    );
    expect(asking.filter((words) => !called.includes(words) && !others.includes(words))).to.deep.equal([]);
  });

  it('ends every command within half a minute, which says which server, how long it waited and how often it tried', async () => {
    // An explanation needs no access, so it is given all the same.
    const explained = worker.run(argsOf(['explain', 'oms.config.allProducts']));
    const ended = await Promise.all(calls.map(async (call) => ({ call, ...(await worker.run(argsOf(call))) })));
    expect((await explained).stdout).to.include('not known here');
    expect((await explained).elapsedMs).to.be.lessThan(30_000);
    for (const { call, code, stderr, elapsedMs } of ended) {
      const what = call.join(' ');
      expect(elapsedMs, what).to.be.lessThan(30_000);
      expect(code, `${what}: ${stderr}`).to.equal(1);
      expect(stderr, what).to.match(
        /STORE_FAILED: (\S+: )?the server http:\/\/127\.0\.0\.1:\d+ gave no answer within 5 s, after 3 tries\n→ /,
      );
    }
  });

  it('does not hold up a command that is to stop', async () => {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const before = server.connections();
    const running = calls.map(async (call) => ({ call, ...(await worker.run(argsOf(call), stop.signal)) }));
    while (server.connections() < before + calls.length) await sleep(50);
    // Some have several connections: give the last ones time to make theirs.
    await sleep(2_000);
    const stoppedMs = performance.now();
    stop.abort();
    const ended = await Promise.all(running);
    expect(performance.now() - stoppedMs).to.be.lessThan(2_500);
    for (const { call, code, stderr } of ended) expect([code, stderr], call.join(' ')).to.deep.include(130);
  });

  /** A process of its own; resolves with its exit code and what it said. */
  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const words = [`${repository}/engine/cli/bin.js`, ...args];
    const child = spawn(process.execPath, words, {
      cwd: repository,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...env },
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const ended = new Promise<{ code: number | null; said: string }>((resolve) =>
      child.on('close', (code) => resolve({ code, said })),
    );
    return { child, ended };
  }

  it('does not hold up SIGTERM, whatever the command is doing', async () => {
    const asked = server.asked();
    const { child, ended } = start(argsOf(['migrate']));
    await asked;
    const stoppedMs = performance.now();
    child.kill('SIGTERM');
    expect((await ended).code).to.equal(130);
    expect(performance.now() - stoppedMs).to.be.lessThan(1_500);
  });

  it('may be the one who gives the credentials: it is named, and does not hold up SIGTERM either', async () => {
    const profiles = join(folder, 'profiles');
    await writeFile(
      profiles,
      [
        '[profile deep]',
        'role_arn = arn:aws:iam::123456789012:role/x',
        'source_profile = base',
        '[profile base]',
        'aws_access_key_id = a',
        'aws_secret_access_key = b',
      ].join('\n'),
    );
    const env = { AWS_CONFIG_FILE: profiles, AWS_PROFILE: 'deep', AWS_ENDPOINT_URL_STS: server.endpoint };
    const elsewhere = ['status', '--stack', 'dev', '--endpoint', 'http://127.0.0.1:9'];
    const { code, said } = await start(elsewhere, env).ended;
    expect([code, said.split('\n')[0]]).to.deep.equal([
      1,
      `STORE_FAILED: tablewright-ledger-dev: the server ${server.endpoint} gave no answer within 5 s, after 3 tries`,
    ]);
    const asked = server.asked();
    const { child, ended } = start(elsewhere, env);
    await asked;
    child.kill('SIGTERM');
    expect((await ended).code).to.equal(130);
  });
});
