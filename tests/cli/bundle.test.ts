import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { unzipSync } from 'fflate';
import { type S3Client, s3Client } from '../../engine/aws/clients.ts';
import { openS3 } from '../../engine/local/local-engine.ts';
import type { Service } from '../../engine/local/shared-service.ts';
import { exportBucketName } from '../../tables/model/stack/export-bucket-name.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { tables } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { runMain } from '../support/run-main.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';

const account = '111122223333';
const stackText = `config:\n  aws:region: us-east-1\n  tablewright:account: "${account}"\n`;
const config = parseStackConfig('dev', { 'aws:region': 'us-east-1', 'tablewright:account': account }, tables);

/** What Lambda's runtime does with a bundle: imports the module, calls the handler with the event and a deadline. */
const runtime = `
import { handler } from './index.mjs';
const [event, ms] = process.argv.slice(2);
const end = Date.now() + Number(ms);
try {
  const result = await handler(JSON.parse(event), { getRemainingTimeInMillis: () => end - Date.now() });
  console.log('RESULT ' + JSON.stringify(result));
} catch (error) {
  console.log('ERROR ' + JSON.stringify({ name: error.name, code: error.code, message: error.message }));
}
process.exit(0);
`;

interface Called {
  readonly result: unknown;
  readonly error: { readonly name?: string; readonly code?: string; readonly message?: string } | undefined;
  readonly printed: string;
}

describe('the bundle of a stack’s functions, run as Lambda runs it', function () {
  this.timeout(180_000);
  let engine: TestEngine;
  let objects: Service;
  let s3: S3Client;
  let folder: ProjectFolder;
  let task = '';
  let watch: Server;
  const metrics: string[] = [];
  const bucket = exportBucketName(config, { account, region: 'us-east-1' });

  before(async () => {
    [engine, objects] = await Promise.all([startEngine(tables, config), openS3({ data: { kind: 'memory' } })]);
    s3 = await s3Client({ region: 'us-east-1', endpoint: objects.endpoint });
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
    folder = await projectFolder({ dev: stackText });
    task = await mkdtemp(join(tmpdir(), 'tablewright-task-'));
    watch = await cloudWatch(metrics);
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

  /** In a process that has the bundle's files and no others. */
  async function call(event: unknown, remainingMs: number): Promise<Called> {
    const port = (watch.address() as { readonly port: number }).port;
    const child = spawn(process.execPath, ['run.mjs', JSON.stringify(event), String(remainingMs)], {
      cwd: task,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH ?? '',
        HOME: task,
        LAMBDA_TASK_ROOT: task,
        TABLEWRIGHT_STACK: 'dev',
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'S3RVER',
        AWS_SECRET_ACCESS_KEY: 'S3RVER',
        AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
        AWS_ENDPOINT_URL_S3: objects.endpoint,
        AWS_ENDPOINT_URL_CLOUDWATCH: `http://127.0.0.1:${port}`,
      },
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    await once(child, 'close');
    const of = (mark: string) =>
      printed
        .split('\n')
        .find((line) => line.startsWith(mark))
        ?.slice(mark.length);
    const [result, error] = [of('RESULT '), of('ERROR ')];
    return {
      result: result === undefined ? undefined : JSON.parse(result),
      error: error === undefined ? undefined : (JSON.parse(error) as Called['error']),
      printed,
    };
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
    for (const [name, bytes] of Object.entries(unzipSync(zip))) await writeFile(join(task, name), bytes);
    await writeFile(join(task, 'run.mjs'), runtime);
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
    expect(metrics).to.have.length(1);
    expect(metrics[0]).to.contain('Differences').and.to.contain('tablewright').and.to.contain('dev');
    await engine.client.send(new DeleteTableCommand({ TableName: 'control-dev' }));
    const drifted = await call({ job: 'drift' }, minutes);
    expect(drifted.result, drifted.printed).to.deep.equal({ job: 'drift', code: 1 });
    expect(metrics).to.have.length(2);
    expect(drifted.printed).to.contain('control-dev');
  });

  it('says which jobs there are when it is called for another', async () => {
    const { error } = await call({ job: 'sweep' }, minutes);
    expect(error).to.deep.include({ code: 'BAD_ARGUMENT', message: 'event: expected a job of archive, drift, found "sweep"' });
  });
});

/** Takes metrics, whatever the protocol of the SDK. */
async function cloudWatch(metrics: string[]): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      metrics.push(Buffer.concat(chunks).toString('latin1'));
      const protocol = request.headers['smithy-protocol'];
      if (protocol === 'rpc-v2-cbor') {
        response.setHeader('smithy-protocol', protocol);
        response.setHeader('content-type', 'application/cbor');
        response.end(Buffer.from([0xa0]));
        return;
      }
      response.setHeader('content-type', request.headers['content-type'] ?? 'application/json');
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
