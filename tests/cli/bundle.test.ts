import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { type S3Client, s3Client } from '../../engine/aws/command-clients.ts';
import { openS3 } from '../../engine/local/local-engine.ts';
import type { Service } from '../../engine/local/shared-service.ts';
import { exportBucketName } from '../../tables/model/stack/export-bucket-name.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { type Called, callBundle, unpackBundle } from '../support/call-bundle.ts';
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
    const seeded = await runMain(folder.root, ['seed', 'backtest', '--stack', 'dev', '--endpoint', engine.endpoint]);
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

  const call = (event: unknown, remainingMs: number): Promise<Called> =>
    callBundle(task, event, remainingMs, {
      TABLEWRIGHT_STACK: 'dev',
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
      AWS_ENDPOINT_URL_S3: objects.endpoint,
      AWS_ENDPOINT_URL_CLOUDWATCH: watch.endpoint,
    });

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

  it('stops before its deadline with an error, so that the schedule calls it again', async () => {
    const { error, result } = await call({ job: 'archive' }, 10_001);
    expect(result).to.equal(undefined);
    expect(error?.message).to.be.a('string');
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
    expect(error).to.deep.include({ code: 'BAD_ARGUMENT', message: 'event: expected a job of archive, drift, found "sweep"' });
  });
});
