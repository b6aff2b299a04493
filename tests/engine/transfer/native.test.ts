import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DeleteTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { type DynamoDBClient, dynamoClient } from '../../../engine/aws/clients.ts';
import { type CloudWatchLogsClient, logsClient, type S3Client, s3Client } from '../../../engine/aws/command-clients.ts';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { nativeStore } from '../../../engine/aws/transfer/native-store.ts';
import { s3BlobStore } from '../../../engine/aws/transfer/s3-blob-store.ts';
import { gzipCodec } from '../../../engine/local/gzip-codec.ts';
import { jobMemory } from '../../../engine/local/job-memory.ts';
import { openS3 } from '../../../engine/local/local-engine.ts';
import type { Service } from '../../../engine/local/shared-service.ts';
import type { NativeEnvironment, NativeEvent } from '../../../engine/run/transfer/native/native-environment.ts';
import { restoreTable } from '../../../engine/run/transfer/native/restore-table.ts';
import { runNativeExport } from '../../../engine/run/transfer/native/run-export.ts';
import { runNativeImport } from '../../../engine/run/transfer/native/run-import.ts';
import { untilActive } from '../../../engine/run/transfer/native/settle-table.ts';
import { openExport } from '../../../engine/run/transfer/open-export.ts';
import { readLines } from '../../../engine/run/transfer/read-lines.ts';
import { backtestResults } from '../../../tables/backtest/results.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { parseStackConfig, physicalName } from '../../../tables/model/stack/stack-config.ts';
import { omsTradingData, position } from '../../../tables/oms/trading-data.ts';
import { type NativeServer, startNativeServer } from '../../support/native-server.ts';
import { tables as catalogue } from '../../support/project.ts';
import { useEngine } from '../../support/test-engine.ts';

const bucket = 'native-exports';
const pitrConfig = parseStackConfig('test', { 'tablewright:pitr': { enabled: true }, 'tablewright:protect': true }, catalogue);

describe('what DynamoDB does by itself, through the SDK', () => {
  const engine = useEngine([omsTradingData, backtestResults, ledger]);
  const tableName = physicalName(omsTradingData, pitrConfig);
  let s3Service: Service;
  let s3: S3Client;
  let server: NativeServer;
  let client: DynamoDBClient;
  let logs: CloudWatchLogsClient;
  let folder = '';

  before(async () => {
    s3Service = await openS3({ data: { kind: 'memory' } });
    s3 = await s3Client({ region: 'us-east-1', endpoint: s3Service.endpoint });
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
    server = await startNativeServer(engine().endpoint, s3);
    client = dynamoClient({ region: 'us-east-1', endpoint: server.endpoint });
    logs = await logsClient({ region: 'us-east-1', endpoint: server.endpoint, maxAttempts: 1 });
    folder = await mkdtemp(join(tmpdir(), 'tablewright-native-'));
    const base = {
      client_id: 'c1',
      product_id: 'p1',
      side: 'LONG' as const,
      quantity: '1',
      avg_entry_price: '1',
      unrealized_pnl: '0',
    };
    const rest = { realized_pnl: '0', last_updated: '14/11/2025 10:30:00' };
    const symbols = Array.from({ length: 30 }, (_, at) => `SYM${at}`);
    await engine().put(
      omsTradingData,
      position,
      symbols.map((symbol) => ({ ...base, ...rest, symbol })),
    );
  });

  after(async () => {
    client?.destroy();
    logs?.destroy();
    s3?.destroy();
    await server?.close();
    await s3Service?.release();
    await rm(folder, { recursive: true, force: true });
  });

  let memories = 0;
  const events: NativeEvent[] = [];
  function environment(change: Partial<NativeEnvironment> = {}): NativeEnvironment {
    memories += 1;
    events.length = 0;
    let tokens = 0;
    return {
      native: nativeStore(client, async () => logs),
      store: dynamoStore(client),
      config: pitrConfig,
      memory: jobMemory(join(folder, `jobs-${memories}.json`)),
      sleep: async () => undefined,
      steadyMs: () => 0,
      token: () => {
        tokens += 1;
        return `token-${memories}-${tokens}`;
      },
      onEvent: (event) => void events.push(event),
      pollMs: 1,
      ...change,
    };
  }

  const exportOf = (prefix: string) => ({ tableName, bucket, prefix });

  async function open(prefix: string) {
    const store = (at: string) => s3BlobStore(s3, { bucket, prefix: at });
    return openExport({ source: store(prefix), parent: undefined, codec: gzipCodec });
  }

  it('an export without point-in-time recovery is refused before it is asked for, with what to do', async () => {
    server.pitr.delete(tableName);
    server.calls.length = 0;
    const error = await runNativeExport(environment(), exportOf('off/')).catch((reason: Error) => reason);
    expect(error).to.include({ code: 'PREFLIGHT_FAILED', exitCode: 1 });
    expect((error as Error).message).to.equal(`${tableName}: point-in-time recovery is off, and DynamoDB exports from its log`);
    expect(server.calls).to.deep.equal(['DescribeContinuousBackups']);
  });

  it('an export is polled to its end and can be read', async () => {
    server.pitr.set(tableName, 35);
    const result = await runNativeExport(environment(), exportOf('full/'));
    expect(result.outcome).to.equal('complete');
    expect(events.map((event) => event.kind)).to.deep.equal(['started', 'waiting', 'waiting']);
    const opened = await open('full/');
    expect(opened.summary).to.include({ kind: 'full', itemCount: 30 });
    let lines = 0;
    for (const file of opened.files) for await (const some of readLines(file, gzipCodec, 0)) lines += some.length;
    expect(lines).to.equal(30);
  });

  it('an interrupted export is picked up by its remembered ARN, and when that is lost, from the running ones', async () => {
    server.pollsUntilDone = 4;
    const stop = new AbortController();
    const first = environment({ signal: stop.signal, sleep: async () => stop.abort() });
    const interrupted = await runNativeExport(first, exportOf('again/'));
    expect(interrupted.outcome).to.equal('interrupted');
    const started = server.calls.filter((call) => call === 'ExportTableToPointInTime').length;
    const stopAgain = new AbortController();
    const lost = environment({ signal: stopAgain.signal, sleep: async () => stopAgain.abort() });
    expect(await runNativeExport(lost, exportOf('again/'))).to.deep.equal({ outcome: 'interrupted', arn: interrupted.arn });
    const resumed = await runNativeExport({ ...first, signal: undefined, sleep: async () => undefined }, exportOf('again/'));
    expect(resumed).to.include({ outcome: 'complete', arn: interrupted.arn });
    expect(server.calls.filter((call) => call === 'ExportTableToPointInTime')).to.have.length(started);
    server.pollsUntilDone = 2;
  });

  it('a failed export tells its code and message and is not picked up again', async () => {
    server.failNext = { code: 'S3AccessDenied', message: 'Access denied to the bucket' };
    const shared = environment();
    const failed = await runNativeExport(shared, exportOf('denied/'));
    expect(failed).to.deep.include({ outcome: 'failed' });
    expect('export' in failed && failed.export.failure).to.deep.equal({
      code: 'S3AccessDenied',
      message: 'Access denied to the bucket',
    });
    expect((await runNativeExport(shared, exportOf('denied/'))).outcome).to.equal('complete');
  });

  it('an incremental export needs a window of 15 minutes to 24 hours within what can be recovered', async () => {
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const window = (from: string, to: string) => ({ ...exportOf('w/'), window: { from, to, images: 'new-and-old' as const } });
    const problems = async (from: string, to: string) =>
      runNativeExport(environment(), window(from, to)).then(
        () => [],
        (error: { readonly problems: readonly string[] }) => error.problems,
      );
    expect(await problems(ago(20), ago(10))).to.deep.equal([
      '--since and --until: expected 15 minutes to 24 hours between them, found 10 minutes',
    ]);
    expect(await problems(ago(9_999), ago(1))).to.have.length(2);
    expect(await problems('yesterday', ago(10))).to.deep.equal([
      '--since: expected a time such as 2026-11-14T10:00:00Z, found yesterday',
    ]);
  });

  it('an incremental export holds the changes, deletes too, and keeps its data in the shared folder', async () => {
    await server.mark(tableName);
    await engine().putRaw(omsTradingData, [{ PK: { S: 'CLIENT#new' }, SK: { S: 'POSITION#X#LONG' } }]);
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const window = { from: ago(60), to: ago(10), images: 'new-and-old' as const };
    const result = await runNativeExport(environment(), { ...exportOf('changes/'), window });
    expect(result.outcome).to.equal('complete');
    const opened = await open('changes/');
    expect(opened.summary).to.deep.include({ kind: 'incremental', itemCount: 1, images: 'new-and-old' });
    expect(opened.files[0]?.shown).to.match(/changes\/AWSDynamoDB\/data\/[0-9a-f]+\.json\.gz$/);
    const contents = [];
    for (const file of opened.files) for await (const some of readLines(file, gzipCodec, 0)) contents.push(...some);
    expect(contents.map(({ content }) => content?.kind)).to.deep.equal(['change']);
  });

  it('an import makes a new table as the catalogue says, with TTL, recovery, tags and protection', async () => {
    await runNativeExport(environment(), exportOf('import/'));
    const opened = await open('import/');
    const data = opened.files[0]?.store.s3;
    const target = { table: omsTradingData, tableName: 'imported-natively' };
    const options = { ...target, bucket, prefix: `${data?.prefix}data/`, objects: opened.files.length };
    const result = await runNativeImport(environment(), options);
    expect(result.outcome).to.equal('complete');
    if (result.outcome !== 'complete') return;
    expect(result.import).to.include({ imported: 31, errors: 0 });
    expect(result.settled.differences).to.deep.equal([]);
    expect(result.settled.putBack).to.deep.equal([
      'TTL on ttl',
      'point-in-time recovery over 35 days',
      'tags Environment, Service, Table',
      'deletion protection',
    ]);
    expect(server.pitr.get('imported-natively')).to.equal(35);
    const again = await runNativeImport(environment(), options).catch((reason: Error) => reason);
    expect(again).to.include({ code: 'CONFLICT', exitCode: 3 });
  });

  it('an import into which some items do not fit tells which ones, from its log', async () => {
    // Three items of another table's key among good ones.
    const lines = [1, 2, 3].map((n) => JSON.stringify({ Item: { id: { S: `stranger-${n}` } } }));
    const good = JSON.stringify({ Item: { PK: { S: 'CLIENT#c9' }, SK: { S: 'POSITION#X#LONG' } } });
    const Body = gzipSync(`${[good, ...lines].join('\n')}\n`);
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'strangers/data/one.json.gz', Body }));
    const target = { table: omsTradingData, bucket, prefix: 'strangers/data/', objects: 1 };
    const told = await runNativeImport(environment(), { ...target, tableName: 'imported-in-part' });
    expect(told.outcome).to.equal('complete');
    expect('import' in told && told.import).to.include({ imported: 1, errors: 3 });
    expect('problems' in told && told.problems).to.deep.equal(
      [2, 3, 4].map(
        (line) =>
          `s3://${bucket}/strangers/data/one.json.gz:${line}: One or more parameter values were invalid: Missing the key in the item`,
      ),
    );
    server.logsDenied = true;
    const untold = await runNativeImport(environment(), { ...target, tableName: 'imported-unread' });
    server.logsDenied = false;
    expect(untold.outcome).to.equal('complete');
    expect('problems' in untold && untold.problems.join()).to.match(/log could not be read: .*logs:GetLogEvents/);
  });

  it('an import whose table is gone since is not waited for: another one is started, and it says so', async () => {
    const shared = environment();
    const options = { table: omsTradingData, tableName: 'imported-and-lost', bucket, prefix: 'strangers/data/', objects: 1 };
    const job = `import s3://${bucket}/strangers/data/ imported-and-lost`;
    const first = await runNativeImport(shared, options);
    const arn = 'import' in first ? first.import.arn : '';
    // As a run leaves it that was killed before the table was settled.
    await shared.memory.set(job, arn);
    server.protectedTables.delete('imported-and-lost');
    await client.send(new UpdateTableCommand({ TableName: 'imported-and-lost', DeletionProtectionEnabled: false }));
    await client.send(new DeleteTableCommand({ TableName: 'imported-and-lost' }));
    const second = await runNativeImport(shared, options);
    expect(second.outcome).to.equal('complete');
    expect('import' in second && second.import.arn).not.to.equal(arn);
    expect(events).to.deep.include({ kind: 'left', arn, why: 'it has ended, and imported-and-lost is gone' });
    await shared.memory.set(job, `${arn}-unknown`);
    await client.send(new UpdateTableCommand({ TableName: 'imported-and-lost', DeletionProtectionEnabled: false }));
    await client.send(new DeleteTableCommand({ TableName: 'imported-and-lost' }));
    expect((await runNativeImport(shared, options)).outcome).to.equal('complete');
    expect(events).to.deep.include({ kind: 'left', arn: `${arn}-unknown`, why: 'DynamoDB does not know it any more' });
  });

  it('a failed import tells its code and message', async () => {
    server.failNext = { code: 'S3NoSuchBucket', message: 'The specified bucket does not exist' };
    const target = { table: omsTradingData, tableName: 'never-imported' };
    const result = await runNativeImport(environment(), { ...target, bucket, prefix: 'import/', objects: 1 });
    expect(result).to.deep.include({ outcome: 'failed' });
    expect('import' in result && result.import.failure?.code).to.equal('S3NoSuchBucket');
  });

  it('a backup is listed, restored with what a restore loses put back, and deleted', async () => {
    const shared = environment();
    const made = await shared.native.createBackup(tableName, 'before-risk');
    expect(made.status).to.equal('CREATING');
    const early = await restoreTable(
      shared,
      { table: omsTradingData, tableName: 'too-early' },
      { from: 'backup', backupArn: made.arn, target: 'too-early' },
    ).catch((reason: Error) => reason);
    expect(early).to.include({ code: 'PREFLIGHT_FAILED' });
    expect((await shared.native.backup(made.arn))?.status).to.equal('AVAILABLE');
    expect((await shared.native.backups(tableName)).map(({ name }) => name)).to.deep.equal(['before-risk']);
    const target = { table: omsTradingData, tableName: 'restored-from-backup' };
    const restored = await restoreTable(shared, target, { from: 'backup', backupArn: made.arn, target: target.tableName });
    expect(restored.outcome).to.equal('complete');
    expect('settled' in restored && restored.settled.differences).to.deep.equal([]);
    expect('settled' in restored && restored.settled.putBack).to.include('TTL on ttl');
    await shared.native.deleteBackup(made.arn);
    expect(await shared.native.backup(made.arn)).to.equal(undefined);
    const missing = await shared.native.deleteBackup(made.arn).catch((reason: Error) => reason);
    expect(missing).to.include({ code: 'UNKNOWN_NAME' });
  });

  it('a restore to a moment checks the moment, makes the table, and refuses a name that is taken', async () => {
    const at = (target: string, time: string | undefined) =>
      restoreTable(
        environment(),
        { table: omsTradingData, tableName: target },
        { from: 'time', source: tableName, target, time },
      );
    const future = await at('restored-future', new Date(Date.now() + 3_600_000).toISOString()).catch((reason: Error) => reason);
    expect(future).to.include({ code: 'BAD_ARGUMENT' });
    expect((await at('restored-latest', undefined)).outcome).to.equal('complete');
    expect(await at('restored-latest', undefined).catch((reason: Error) => reason)).to.include({ code: 'CONFLICT' });
    server.pitr.delete(tableName);
    expect(await at('restored-off', undefined).catch((reason: Error) => reason)).to.include({ code: 'PREFLIGHT_FAILED' });
    server.pitr.set(tableName, 35);
  });

  it('a restore whose table is gone since is not waited for, nor a table that is deleted while it is waited for', async () => {
    const shared = environment();
    const target = { table: omsTradingData, tableName: 'restored-and-lost' };
    const request = { from: 'time', source: tableName, target: target.tableName, time: undefined } as const;
    // As a run leaves it that was killed before the table was settled.
    await shared.memory.set(`restore ${target.tableName} ${tableName} latest`, target.tableName);
    const restored = await restoreTable(shared, target, request);
    expect(restored.outcome).to.equal('complete');
    expect(events).to.deep.include({ kind: 'left', arn: target.tableName, why: 'restored-and-lost is gone' });

    let seconds = 0;
    const steadyMs = () => seconds * 1_000;
    const vanishing = { ...shared.store, describeTable: async () => undefined };
    const sleep = async () => {
      seconds += 5;
    };
    const error = await untilActive(environment({ store: vanishing, steadyMs, sleep }), 'never-there').catch(
      (reason: Error) => reason,
    );
    expect(error).to.include({ code: 'TABLE_MISSING' });
    expect(seconds).to.equal(60);
  });

  it('that is stopped while it is asked after goes on without us, and says which', async () => {
    const shared = environment();
    const stop = new AbortController();
    const exportJob: typeof shared.native.exportJob = (arn, signal) => {
      stop.abort();
      return shared.native.exportJob(arn, signal);
    };
    const stopped = await runNativeExport(
      { ...shared, native: { ...shared.native, exportJob }, signal: stop.signal },
      exportOf('stopped/'),
    );
    expect(stopped.outcome).to.equal('interrupted');
    expect(stopped.arn).to.match(/:export|\/export\//);
  });
});
