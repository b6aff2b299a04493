import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteTableCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { type S3Client, s3Client } from '../../engine/aws/command-clients.ts';
import { LocalFunction } from '../../engine/cli/lambda/local-function.ts';
import { checksumOf } from '../../engine/cli/migrate/load-migrations.ts';
import { ledgerKey } from '../../engine/core/ledger/ledger-codec.ts';
import { openS3 } from '../../engine/local/local-engine.ts';
import type { Service } from '../../engine/local/shared-service.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { lockRecord } from '../../tables/model/ledger/lock-records.ts';
import type { NextAnswer, Order, UnitAnswer } from '../../tables/model/runner/order.ts';
import { exportBucketName } from '../../tables/model/stack/export-bucket-name.ts';
import { parseStackConfig, physicalName } from '../../tables/model/stack/stack-config.ts';
import { unpackBundle } from '../support/call-bundle.ts';
import { type MetricServer, openMetricServer } from '../support/metric-server.ts';
import { tables } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { runMain } from '../support/run-main.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';

const account = '111122223333';
const stackText = `config:\n  aws:region: us-east-1\n  tablewright:account: "${account}"\n`;
const config = parseStackConfig('dev', { 'aws:region': 'us-east-1', 'tablewright:account': account }, tables);

describe('the bundle of a stack’s functions, run as Lambda runs it', function () {
  this.timeout(180_000);
  let engine: TestEngine;
  let objects: Service;
  let s3: S3Client;
  let folder: ProjectFolder;
  let task = '';
  let watch: MetricServer;
  const bucket = exportBucketName(config, { account, region: 'us-east-1' });

  before(async () => {
    [engine, objects] = await Promise.all([startEngine(tables, config), openS3({ data: { kind: 'memory' } })]);
    s3 = await s3Client({ region: 'us-east-1', endpoint: objects.endpoint });
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
    folder = await projectFolder({ dev: stackText });
    task = await mkdtemp(join(tmpdir(), 'tablewright-task-'));
    watch = await openMetricServer();
    const seeded = await runMain(folder.root, ['seed', '--stack', 'dev', '--endpoint', engine.endpoint]);
    expect(seeded.code, seeded.stderr).to.equal(0);
  });

  after(async () => {
    watch?.close();
    s3?.destroy();
    await engine?.close();
    await objects?.release();
    await folder?.remove();
    await rm(task, { recursive: true, force: true });
  });

  /** In a process that has the bundle's files and no others; its deadline is the second, which it is killed at. */
  async function call(event: unknown, remainingMs: number, version = '7') {
    const path = join(task, `log-${randomUUID()}`);
    const log = await open(path, 'w');
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: task,
      LAMBDA_TASK_ROOT: task,
      TABLEWRIGHT_STACK: 'dev',
      AWS_LAMBDA_FUNCTION_VERSION: version,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
      AWS_ENDPOINT_URL_S3: objects.endpoint,
      AWS_ENDPOINT_URL_CLOUDWATCH: watch.endpoint,
    };
    await using made = new LocalFunction({
      module: join(task, 'index.mjs'),
      env,
      memoryMb: 1_769,
      timeoutMs: remainingMs,
      log: log.fd,
    });
    const ended = await made.invoke(event).then(
      (result) => ({ result, error: undefined }),
      ({ name, message }: Error) => ({ result: undefined, error: { name, message } }),
    );
    await log.close();
    return { ...ended, printed: await readFile(path, 'utf8') };
  }

  const minutes = 15 * 60_000;
  const archived = async () => (await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'statistics/' }))).KeyCount ?? 0;

  it('is one module and the stack files, and the same project gives the same bytes', async () => {
    const [one, two] = [join(task, 'one.zip'), join(task, 'two.zip')];
    const made = await runMain(folder.root, ['bundle', '--to', one, '--json']);
    expect(made.code, made.stderr).to.equal(0);
    expect(JSON.parse(made.stdout)).to.deep.include({ files: ['index.mjs', 'Pulumi.dev.yaml', 'Pulumi.yaml'] });
    await runMain(folder.root, ['bundle', '--to', two]);
    const zip = await readFile(one);
    expect(zip.equals(await readFile(two))).to.equal(true);
    // Lambda takes 50 MB of zip (Lambda Developer Guide, "Lambda quotas"); this is far below.
    expect(zip.length).to.be.below(5_000_000);
    await unpackBundle(zip, task);
  });

  it('stops before its deadline with an error that says so, of either job, so that the schedule calls it again', async () => {
    const [archive, drift] = await Promise.all([call({ job: 'archive' }, 10_001), call({ job: 'drift' }, 10_001)]);
    for (const { error, result, printed } of [archive, drift]) {
      expect(result, printed).to.equal(undefined);
      expect(error?.name, printed).to.equal('CHECK_FAILED');
    }
    expect(archive.error?.message).to.equal('archive: the time was up; the next call goes on');
    expect(drift.error?.message).to.equal('drift: the time was up; the next call goes on');
    expect(watch.metrics).to.deep.equal([]);
    expect(await archived()).to.equal(0);
  });

  it('archives what a scan left, once, and again does nothing', async () => {
    const first = await call({ job: 'archive' }, minutes);
    expect(first.result, first.printed).to.deep.equal({ job: 'archive', code: 0 });
    const count = await archived();
    expect(count).to.be.above(0);
    const second = await call({ job: 'archive' }, minutes);
    expect(second.result).to.deep.equal({ job: 'archive', code: 0 });
    expect(await archived()).to.equal(count);
  });

  it('tells by a metric how far the stack is from the catalogue, and that is no failure of the function', async () => {
    const clean = await call({ job: 'drift' }, minutes);
    expect(clean.error, clean.printed).to.equal(undefined);
    expect(watch.metrics).to.have.length(1);
    expect(watch.metrics[0]).to.contain('Differences').and.to.contain('tablewright').and.to.contain('dev');
    await engine.client.send(new DeleteTableCommand({ TableName: 'control-dev' }));
    const drifted = await call({ job: 'drift' }, minutes);
    expect(drifted.result, drifted.printed).to.deep.equal({ job: 'drift', code: 1 });
    expect(watch.metrics).to.have.length(2);
    expect(drifted.printed).to.contain('control-dev');
  });

  it('says which jobs there are when it is called for another', async () => {
    const { error } = await call({ job: 'sweep' }, minutes);
    expect(error).to.deep.include({ name: 'BAD_ARGUMENT', message: 'event: expected a job of archive, drift, found "sweep"' });
  });

  describe('as a worker of the runner', () => {
    const execution = { Id: 'arn:aws:states:us-east-1:111122223333:execution:tablewright-dev-runner:one', Name: 'one' };
    let order: Order;

    before(async () => {
      const files = (await readdir(join(folder.root, 'migrations'))).toSorted();
      const read = async (file: string) => ({
        id: file.replace('.ts', ''),
        checksum: checksumOf(await readFile(join(folder.root, 'migrations', file), 'utf8')),
      });
      const migrations = await Promise.all(files.map(read));
      const request = { to: '0001-index-oms-config', accept: false, acceptGaps: false, includeExpired: false };
      order = { command: 'migrate', request, migrations, version: '7', workers: 2, budget: { read: 0, write: 0 }, who: 'tester' };
    });

    const next = (asked: Order = order) => ({ task: 'next', execution, order: asked });
    const leases = () => engine.client.send(new GetItemCommand({ TableName: physicalName(ledger, config), Key: lockKey }));
    const lockKey = ledgerKey(lockRecord, { scope: 'migrate' });

    it('refuses another version, other migrations, a redriven execution and what is no task, and touches nothing', async () => {
      const [first, ...others] = order.migrations;
      const changed = { ...order, migrations: [{ id: first?.id ?? '', checksum: 'f'.repeat(64) }, ...others.slice(1)] };
      const redriven = { ...next(), execution: { ...execution, RedriveCount: 1 } };
      const pass = {
        migration: '0001-index-oms-config',
        generation: 1,
        step: 0,
        pass: 'apply',
        segments: 8,
        token: 1,
        workers: 1,
      };
      const unit = { ...next(changed), task: 'unit', pass: { ...pass, share: order.budget }, unit: 0 };
      const [version, answer, work, again, wrong, alarmed] = await Promise.all([
        call(next(), minutes, '8'),
        call(next(changed), minutes),
        call(unit, minutes),
        call(redriven, minutes),
        call({ ...next(), order: { ...order, workers: 0 } }, minutes),
        call(next({ ...order, request: { ...order.request, pauseOnAlarm: true } }), minutes),
      ]);
      expect(version.error?.name).to.equal('LEDGER_MISMATCH');
      expect(version.error?.message).to.contain('version: expected 7, found 8').and.to.contain('Next: Nothing was changed.');
      expect(answer.result).to.deep.include({ kind: 'failed', error: 'LEDGER_MISMATCH' });
      expect((answer.result as { readonly cause: string }).cause).to.contain(
        `${first?.id}: expected checksum ffffffffffff, found`,
      );
      expect(work.error?.name).to.equal('LEDGER_MISMATCH');
      expect(again.result).to.deep.include({ kind: 'failed', error: 'BAD_ARGUMENT' });
      expect(wrong.error?.name).to.equal('BAD_ARGUMENT');
      expect(wrong.error?.message).to.contain('order.workers');
      expect(alarmed.error?.message).to.match(/^--pause-on-alarm: the server at .+ has no alarms/);
      expect((await leases()).Item).to.equal(undefined);
    });

    it('goes through a migration: next, units until they are done, next, the end', async () => {
      const kinds: string[] = [];
      let late = 0;
      for (;;) {
        const { result, printed } = await call(next(), minutes);
        expect(result, printed).not.to.equal(undefined);
        const answer = result as NextAnswer;
        kinds.push(answer.kind);
        if (answer.kind === 'inline') expect((await call({ ...next(), task: 'inline' }, minutes)).result).to.deep.equal({});
        if (answer.kind === 'done' || answer.kind === 'failed') break;
        if (answer.kind !== 'pass') continue;
        const tasks = answer.units.map((unit) => ({ ...next(), task: 'unit', pass: answer.pass, unit }));
        // A deadline that is there at once: it says so, and what it had done is gone on with.
        const cut = await call(tasks[0], 10_001);
        expect(cut.error, cut.printed).to.equal(undefined);
        if (!(cut.result as UnitAnswer).done) late += 1;
        const answers = await Promise.all(tasks.map((one) => call(one, minutes)));
        expect(answers.map(({ result: ended }) => ended)).to.deep.equal(tasks.map(() => ({ done: true })));
      }
      expect(kinds).to.deep.equal(['pass', 'pass', 'done']);
      expect(late).to.be.above(0);
      const shown = await runMain(folder.root, ['status', '--stack', 'dev', '--endpoint', engine.endpoint, '--json']);
      expect(shown.stdout).to.contain('"state":"verified"');
    });

    it('is killed at its deadline and at the end of its memory, under the names that Lambda gives that', async () => {
      const slow = join(task, 'slow.mjs');
      await writeFile(
        slow,
        'export const handler = ({ fill }) => fill ? all() : new Promise(() => setInterval(() => 0, 1e3));\n',
      );
      await appendFile(slow, 'const all = () => { const kept = []; for (;;) kept.push(new Array(1e6).fill(Math.random())); };\n');
      const named = async (event: unknown, timeoutMs: number) => {
        await using made = new LocalFunction({ module: slow, env: {}, memoryMb: 64, timeoutMs });
        return await made.invoke(event).then(String, ({ name }: Error) => name);
      };
      expect(await named({}, 1_000)).to.equal('Sandbox.Timedout');
      expect(await named({ fill: true }, 60_000)).to.equal('Runtime.ExitError');
    });
  });
});
