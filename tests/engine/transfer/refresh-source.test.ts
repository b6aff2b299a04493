import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { type DynamoDBClient, dynamoClient } from '../../../engine/aws/clients.ts';
import { logsClient, s3Client } from '../../../engine/aws/command-clients.ts';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { nativeStore } from '../../../engine/aws/transfer/native-store.ts';
import { directoryBlobStore } from '../../../engine/local/directory-blob-store.ts';
import { gzipCodec } from '../../../engine/local/gzip-codec.ts';
import { jobMemory } from '../../../engine/local/job-memory.ts';
import { openS3 } from '../../../engine/local/local-engine.ts';
import type { Service } from '../../../engine/local/shared-service.ts';
import type { NativeEnvironment } from '../../../engine/run/transfer/native/native-environment.ts';
import { openExport } from '../../../engine/run/transfer/open-export.ts';
import { filePages } from '../../../engine/run/transfer/refresh/file-pages.ts';
import { forgetNativeSource, nativeSource } from '../../../engine/run/transfer/refresh/native-source.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { type NativeServer, startNativeServer } from '../../support/native-server.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { exportTo, plainTable, useFolder } from '../../support/transfer-bed.ts';

const source = plainTable('refresh-source');
const bucket = 'exports-of-a-refresh';
const tableName = physicalName(source, testConfig);
const request = { tableName, bucket, prefix: 'exports/refresh/1/' };

describe('the native export that a refresh reads', () => {
  const engine = useEngine([source, ledger]);
  const folder = useFolder();
  let s3Service: Service;
  let s3: S3Client;
  let server: NativeServer;
  let client: DynamoDBClient;
  let memory = '';

  before(async () => {
    s3Service = await openS3({ data: { kind: 'memory' } });
    s3 = await s3Client({ region: 'us-east-1', endpoint: s3Service.endpoint });
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
    server = await startNativeServer(engine().endpoint, s3);
    client = dynamoClient({ region: 'us-east-1', endpoint: server.endpoint });
    memory = await mkdtemp(join(tmpdir(), 'tablewright-memory-'));
    const items = Array.from({ length: 300 }, (_, at) => ({ id: { S: `item-${at}` }, pad: { S: 'p'.repeat(at % 40) } }));
    await engine().putRaw(source, items);
    server.pitr.set(tableName, 35);
  });
  after(async () => {
    client?.destroy();
    s3?.destroy();
    await server?.close();
    await s3Service?.release();
    await rm(memory, { recursive: true, force: true });
  });

  let tokens = 0;
  /** That of a new process: it shares the memory with the others, and nothing else. */
  const environment = (): NativeEnvironment => ({
    native: nativeStore(client, () => logsClient({ region: 'us-east-1', endpoint: server.endpoint })),
    store: dynamoStore(client),
    config: testConfig,
    memory: jobMemory(join(memory, 'jobs.json')),
    sleep: async () => undefined,
    steadyMs: () => 0,
    token: () => {
      tokens += 1;
      return `token-${tokens}`;
    },
    pollMs: 1,
  });
  const started = () => server.calls.filter((call) => call === 'ExportTableToPointInTime').length;

  it('is the same in every run until it is forgotten, and one of its own for each refresh', async () => {
    const first = await nativeSource(environment(), request);
    expect(await nativeSource(environment(), request)).to.deep.equal(first);
    expect(started()).to.equal(1);
    const other = await nativeSource(environment(), { ...request, prefix: 'exports/refresh/2/' });
    expect(other?.arn).not.to.equal(first?.arn);
    await forgetNativeSource(environment().memory, request);
    expect((await nativeSource(environment(), request))?.arn).not.to.equal(first?.arn);
    expect(started()).to.equal(3);
  });

  it('is none where point-in-time recovery is off, and another one after it failed', async () => {
    const failing = { ...request, prefix: 'exports/refresh/3/' };
    server.failNext = { code: 'AccessDenied', message: 'not that bucket' };
    const error = await nativeSource(environment(), failing).catch((reason: Error) => reason);
    expect(error).to.include({ code: 'STORE_FAILED' });
    expect((error as Error).message).to.match(/: the export failed: AccessDenied: not that bucket$/);
    expect((await nativeSource(environment(), failing))?.manifest).to.match(/manifest-summary\.json$/);
    server.pitr.delete(tableName);
    expect(await nativeSource(environment(), request)).to.equal(undefined);
  });

  it('is read as pages that hold every item once, wherever a new process goes on', async () => {
    const { place } = await exportTo(engine(), source, join(folder(), 'pages'), { segments: 12 });
    const opened = await openExport({ source: directoryBlobStore(place), parent: undefined, codec: gzipCodec });
    expect(opened.files).to.have.lengthOf(12);
    /** A segment to its end; `anew` goes on as a new process does, by nothing but the place. */
    const readFrom = async (segment: number, segments: number, anew: boolean, start?: Item): Promise<readonly string[]> => {
      const read: string[] = [];
      let pages = filePages(opened, gzipCodec);
      for (let from = start; ; ) {
        if (anew) pages = filePages(opened, gzipCodec);
        const begin = from === undefined ? {} : { ExclusiveStartKey: from };
        const page = await pages.scan({ TableName: tableName, Segment: segment, TotalSegments: segments, ...begin });
        read.push(...page.items.map((item) => Buffer.from(item).toString()));
        if (page.next === undefined) return read;
        from = page.next;
      }
    };
    for (const segments of [1, 2, 7, 40]) {
      for (const anew of [false, true]) {
        const all = await Promise.all(Array.from({ length: segments }, (_, at) => readFrom(at, segments, anew)));
        expect(all.flat(), `${segments} segments`).to.have.lengthOf(300);
        expect(new Set(all.flat()).size).to.equal(300);
      }
    }
    const whole = await readFrom(0, 1, false);
    for (const line of [1, 4, 9]) {
      const rest = await readFrom(0, 1, true, { file: { N: '0' }, line: { N: String(line) } });
      expect(rest, `behind line ${line}`).to.deep.equal(whole.slice(line));
    }
  });
});
