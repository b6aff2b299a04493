import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { CreateBucketCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { type DynamoDBClient, dynamoClient } from '../../../engine/aws/clients.ts';
import { s3Client } from '../../../engine/aws/command-clients.ts';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { bulkStore } from '../../../engine/aws/transfer/bulk-store.ts';
import { s3BlobStore } from '../../../engine/aws/transfer/s3-blob-store.ts';
import type { FileCodec } from '../../../engine/core/transfer/codec.ts';
import type { DeadLetter } from '../../../engine/core/write/dead-letter.ts';
import { directoryBlobStore } from '../../../engine/local/directory-blob-store.ts';
import { gzipCodec } from '../../../engine/local/gzip-codec.ts';
import { openS3 } from '../../../engine/local/local-engine.ts';
import type { Service } from '../../../engine/local/shared-service.ts';
import { unlimitedGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { LedgerStore } from '../../../engine/run/ledger/ledger-store.ts';
import type { BulkEnvironment, BulkEvent, BulkImportRequest } from '../../../engine/run/transfer/bulk/bulk-environment.ts';
import { runBulkImport } from '../../../engine/run/transfer/bulk/run-bulk.ts';
import { openExport } from '../../../engine/run/transfer/open-export.ts';
import { scalarText } from '../../../tables/model/attribute-value.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { type BulkServer, startBulkServer } from '../../support/bulk-server.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { contentOf, exportTo, itemsOf, plainTable, useFolder } from '../../support/transfer-bed.ts';

const bucket = 'bulk-puts';
const source = plainTable('bulk-source');
const target = {
  ...plainTable('bulk-target'),
  indexes: [{ name: 'by-kind', hash: [{ name: 'kind', type: 'S' }], range: [], projection: 'ALL' }],
} as const;
const tableName = physicalName(target, testConfig);

describe('a bulk put', () => {
  const engine = useEngine([source, target, ledger]);
  const folder = useFolder();
  let s3Service: Service;
  let s3: S3Client;
  let server: BulkServer;
  let client: DynamoDBClient;
  let items: DynamoDBClient;
  let place = '';
  let tokens = 0;
  const letters: DeadLetter[] = [];
  const events: BulkEvent[] = [];

  before(async () => {
    s3Service = await openS3({ data: { kind: 'memory' } });
    s3 = await s3Client({ region: 'us-east-1', endpoint: s3Service.endpoint });
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
    server = await startBulkServer(engine().endpoint, s3);
    client = dynamoClient({ region: 'us-east-1', endpoint: server.endpoint });
    items = dynamoClient({ region: 'us-east-1', endpoint: server.endpoint, maxAttempts: 1 });
    const all = Array.from({ length: 200 }, (_, at) => ({
      id: { S: `item-${String(at).padStart(3, '0')}` },
      n: { N: String(at) },
    }));
    await engine().putRaw(source, all);
    place = (await exportTo(engine(), source, join(folder(), 'sound'))).place;
  });

  after(async () => {
    client?.destroy();
    items?.destroy();
    s3?.destroy();
    await server?.close();
    await s3Service?.release();
  });

  beforeEach(async () => {
    letters.length = 0;
    events.length = 0;
    server.calls.length = 0;
    server.objects.length = 0;
    server.conditionFails.clear();
    server.errors.clear();
    server.replicas = [];
    server.indexStatus = undefined;
    server.tableStatus = undefined;
    server.pollsUntilDone = 2;
    server.loseAnswer(0);
    await engine().removeRaw(target, await itemsOf(engine(), target));
    await engine().removeRaw(ledger, await itemsOf(engine(), ledger));
  });

  function environment(change: Partial<BulkEnvironment> = {}): BulkEnvironment {
    const store = dynamoStore(items, client);
    const read = { names: testConfig, gates: unlimitedGates(), writeGates: unlimitedGates(), random: () => 0 };
    return {
      bulk: bulkStore(client),
      ledger: new LedgerStore({ ...read, store, sleep: async () => undefined }),
      bucket: s3BlobStore(s3, { bucket, prefix: '' }),
      codec: gzipCodec,
      deadLetters: { write: async (letter) => void letters.push(letter) },
      nowMs: Date.now,
      steadyMs: () => 0,
      sleep: async () => undefined,
      random: Math.random,
      token: () => {
        tokens += 1;
        return `token-${tokens}`;
      },
      onEvent: (event) => void events.push(event),
      pollMs: 1,
      ...change,
    };
  }

  const open = (at = place) => openExport({ source: directoryBlobStore(at), parent: undefined, codec: gzipCodec });

  async function run(change: Partial<BulkEnvironment> = {}, request: Partial<BulkImportRequest> = {}, at = place) {
    const asked = { table: { ...target, name: tableName }, bucketName: bucket, rate: 1_024, again: false, cancel: false };
    return runBulkImport(environment(change), await open(at), { ...asked, ...request });
  }

  const started = () => server.calls.filter((call) => call === 'StartBulkPutItems').length;
  const recorded = async () =>
    (await itemsOf(engine(), ledger)).find((item) => (item.PK as { readonly S: string }).S === `TRANSFER#bulk#${tableName}`);

  it('gets shuffled lines of its own prefix, writes them all, and leaves nothing staged', async () => {
    const result = await run();
    expect(result).to.include({ outcome: 'ended', rejected: 0, reported: 0, already: false });
    expect('operation' in result && result.operation).to.include({ status: 'COMPLETED', processedItems: 200, putBytes: 204_800 });
    expect(await contentOf(engine(), target)).to.deep.equal(await contentOf(engine(), source));
    const lines = server.objects[0]?.flatMap((object) => object.lines) ?? [];
    expect(lines).to.have.length(200);
    expect(lines).not.to.deep.equal(lines.toSorted());
    expect(
      server.objects[0]?.every(({ key }) => /^bulk\/bulk-target-test\/token-\d+\/1\/input\/part-\d{6}\.json\.gz$/.test(key)),
    ).to.equal(true);
    const left = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'bulk/' }));
    expect(left.Contents ?? []).to.deep.equal([]);
    expect(await run()).to.include({ outcome: 'ended', already: true });
    expect(started()).to.equal(1);
  });

  /** Runs it with the first, second, … answer lost until all were, each time on empty tables; gives how many were. */
  async function withEachLost(lose: (at: number) => Promise<number>, check: (at: number) => Promise<void>): Promise<number> {
    for (let at = 1; ; at += 1) {
      await engine().removeRaw(target, await itemsOf(engine(), target));
      await engine().removeRaw(ledger, await itemsOf(engine(), ledger));
      server.objects.length = 0;
      server.forgetOperations();
      if ((await lose(at)) < at) return at - 1;
      server.loseAnswer(0);
      await check(at);
    }
  }

  /** A client that repeats nothing: the loss ends the run, as a kill would. */
  async function withLostAnswer(at: number, request: Partial<BulkImportRequest> = {}): Promise<number> {
    server.calls.length = 0;
    server.loseAnswer(at);
    await run({ bulk: bulkStore(items) }, request).catch(() => undefined);
    return server.calls.length;
  }

  async function endedOnce(at: number): Promise<void> {
    expect(await run(), `answer ${at} lost`).to.include({ outcome: 'ended' });
    expect(server.objects, `answer ${at} lost`).to.have.length(1);
    expect(await contentOf(engine(), target), `answer ${at} lost`).to.deep.equal(await contentOf(engine(), source));
  }

  const stopped = async (): Promise<void> => {
    const stop = new AbortController();
    await run({ signal: stop.signal, sleep: async () => stop.abort() });
  };

  it('is started once, whichever answer of DynamoDB is lost', async () => {
    expect(await withEachLost(withLostAnswer, endedOnce)).to.be.greaterThan(6);
  });

  it('is started once, whichever further answer is lost by the run that goes on', async () => {
    const { start } = bulkStore(client);
    const cut = { ...bulkStore(client), start: async (asked: Parameters<typeof start>[0]) => Promise.reject(await start(asked)) };
    const losses = await withEachLost(async (at) => {
      server.loseAnswer(0);
      await run({ bulk: cut }).catch(() => undefined);
      return withLostAnswer(at);
    }, endedOnce);
    expect(losses).to.be.greaterThan(4);
  });

  it('is cancelled, whichever answer of that is lost', async () => {
    const losses = await withEachLost(
      async (at) => {
        server.loseAnswer(0);
        server.pollsUntilDone = Number.POSITIVE_INFINITY;
        await stopped();
        server.pollsUntilDone = 4;
        return withLostAnswer(at, { cancel: true });
      },
      async (at) => {
        const result = await run({}, { cancel: true });
        expect('operation' in result && result.operation.status, `answer ${at} lost`).to.equal('CANCELLED');
        expect(server.objects, `answer ${at} lost`).to.have.length(1);
      },
    );
    expect(losses).to.be.greaterThan(3);
  });

  it('is started once, whichever answer of the object store is lost', async () => {
    const losses = await withEachLost(async (at) => {
      let answers = 0;
      const lossy = new Proxy(s3BlobStore(s3, { bucket, prefix: '' }), {
        get: (store, name) => {
          const call = Reflect.get(store, name) as unknown;
          if (typeof call !== 'function') return call;
          return async (...args: unknown[]) => {
            const answer: unknown = await call.apply(store, args);
            answers += 1;
            if (answers === at) throw new Error('the answer is lost');
            return answer;
          };
        },
      });
      await run({ bucket: lossy }, { objectBytes: 400 }).catch(() => undefined);
      return answers;
    }, endedOnce);
    expect(losses).to.be.greaterThan(5);
  });

  it('that was asked for more than eight hours ago is never started by itself', async () => {
    server.loseAnswer(0);
    const late = { ...bulkStore(client), start: async () => Promise.reject(new Error('gone')) };
    await run({ bulk: late }).catch(() => undefined);
    expect((await recorded())?.state).to.deep.equal({ S: 'starting' });
    const error = await run({ nowMs: () => Date.now() + 8 * 3_600_000 }).catch((reason: Error) => reason);
    expect(error).to.include({ code: 'CONFLICT' });
    expect((error as Error).message).to.match(
      /^bulk-target-test: a bulk put was asked for at .*, and DynamoDB lists none with its token/,
    );
    expect(started()).to.equal(0);
    expect(await run({}, { again: true })).to.include({ outcome: 'ended' });
  });

  it('that was found among the operations by its token is waited for, also when the token holds no longer', async () => {
    const lost = { ...bulkStore(client) };
    const start = lost.start;
    await run({
      bulk: {
        ...lost,
        start: async (request) => {
          await start(request);
          throw new Error('gone');
        },
      },
    }).catch(() => undefined);
    server.forgetTokens();
    expect(await run({ nowMs: () => Date.now() + 9 * 3_600_000 })).to.include({ outcome: 'ended' });
    expect(started()).to.equal(1);
    expect(events).to.deep.include({
      kind: 'started',
      arn: arnOf(await recorded()),
      found: true,
    });
  });

  it('goes on without us after Ctrl-C, is picked up by its ARN, and can be cancelled', async () => {
    server.pollsUntilDone = 4;
    const stop = new AbortController();
    const interrupted = await run({ signal: stop.signal, sleep: async () => stop.abort() });
    expect(interrupted.outcome).to.equal('interrupted');
    expect('arn' in interrupted && interrupted.arn).to.equal(arnOf(await recorded()));
    const inRequest = new AbortController();
    const describeStopped = async () => {
      inRequest.abort();
      throw new Error('aborted');
    };
    const asking = { ...bulkStore(client), describe: describeStopped };
    expect(await run({ bulk: asking, signal: inRequest.signal })).to.deep.equal(interrupted);
    const result = await run({}, { cancel: true });
    expect('operation' in result && result.operation.status).to.equal('CANCELLED');
    expect(started()).to.equal(1);
    expect(await contentOf(engine(), target)).to.have.length(1);
  });

  it('is refused before anything is staged where DynamoDB would refuse it, with every reason', async () => {
    server.replicas = ['eu-west-1'];
    server.indexStatus = 'CREATING';
    server.tableStatus = 'UPDATING';
    const error = (await run().catch((reason: Error) => reason)) as Error & { readonly problems: readonly string[] };
    expect(error).to.include({ code: 'PREFLIGHT_FAILED' });
    expect(error.problems).to.deep.equal([
      'it is a global table (replicas in eu-west-1), and bulk put takes none',
      'its indexes by-kind are being made or deleted',
      'it is UPDATING, and has to be ACTIVE',
    ]);
    expect(started()).to.equal(0);
  });

  it('never gets a line that DynamoDB could not store: those are dead letters with file and line', async () => {
    const { place: wrong } = await exportTo(engine(), source, join(folder(), 'wrong'), { segments: 1 });
    const data = join(wrong, 'data', 's0000-000001.json.gz');
    const bad = ['{"Item":{"name":{"S":"no id"}}}', `{"Item":{"id":{"S":"big"},"x":{"S":"${'y'.repeat(410_000)}"}}}`];
    const bytes = gzipSync(`${bad.join('\n')}\n${gunzipSync(await readFile(data)).toString()}`);
    await writeFile(data, bytes);
    for (const name of ['manifest-files.json', 'manifest-summary.json']) {
      const text = await readFile(join(wrong, name), 'utf8');
      const md5Checksum = createHash('md5').update(bytes).digest('base64');
      const changed = { ...JSON.parse(text), itemCount: 202, ...(name === 'manifest-files.json' ? { md5Checksum } : {}) };
      await writeFile(join(wrong, name), `${JSON.stringify(changed)}\n`);
      await writeFile(
        join(wrong, name.replace('.json', '.checksum')),
        createHash('md5')
          .update(`${JSON.stringify(changed)}\n`)
          .digest('base64'),
      );
    }
    expect(await run({}, {}, wrong)).to.include({ outcome: 'ended', rejected: 2 });
    expect(letters.map(({ reason }) => reason.message.slice(data.length))).to.deep.equal([
      ':1: id: the key attribute is missing',
      ':2: big: the item has 410006 bytes, DynamoDB holds at most 409600',
    ]);
    expect(await contentOf(engine(), target)).to.have.length(200);
  });

  it('whose conditions failed tells so in dead letters, though its status is COMPLETED', async () => {
    server.conditionFails.add('item-007');
    const result = await run();
    expect(result).to.include({ outcome: 'ended', reported: 1 });
    expect(letters).to.have.length(1);
    expect(letters[0]?.request).to.deep.include({ put: { id: { S: 'item-007' }, n: { N: '7' } } });
    expect(letters[0]?.reason).to.include({ code: 'CONDITION_CHECK_FAILURE' });
    expect(await run(), 'and again').to.include({ outcome: 'ended', already: true, reported: 1 });
    expect(letters).to.have.length(1);
  });

  it('that one run stages and another takes over is started of nothing that the latter takes away', async () => {
    const bucketStore = s3BlobStore(s3, { bucket, prefix: '' });
    const bulk = bulkStore(client);
    const [second, first] = [signalOnce(), signalOnce()];
    // The second one clears and is killed, at the moment that is worst for the first one.
    const clearing: typeof bucketStore = {
      ...bucketStore,
      list: async (prefix, signal) => {
        second.resolve();
        await first.promise;
        return bucketStore.list(prefix, signal);
      },
      write: async () => Promise.reject(new Error('killed')),
    };
    let killed: Promise<unknown> | undefined;
    const write: typeof bucketStore.write = async (name, bytes, signal) => {
      killed ??= run({ bucket: clearing }).catch(() => undefined);
      await second.promise;
      return bucketStore.write(name, bytes, signal);
    };
    const start: typeof bulk.start = async (asked) => {
      const arn = await bulk.start(asked);
      first.resolve();
      await killed;
      return arn;
    };
    const overtaken = await run({ bucket: { ...bucketStore, write }, bulk: { ...bulk, start } }).catch((reason: Error) => reason);
    first.resolve();
    await killed;
    expect(overtaken).to.include({ code: 'CONFLICT' });
    expect(await run()).to.include({ outcome: 'ended' });
    expect(server.objects.map((objects) => objects.flatMap(({ lines }) => lines).length)).to.deep.equal([200]);
  });

  it('reads nothing that another run still stages under the same token', async () => {
    const bucketStore = s3BlobStore(s3, { bucket, prefix: '' });
    const late: (() => Promise<unknown>)[] = [];
    const held: typeof bucketStore = {
      ...bucketStore,
      write: async (name, bytes) => {
        late.push(() => bucketStore.write(name, bytes));
        throw new Error('killed');
      },
    };
    await run({ bucket: held }, { objectBytes: 400 }).catch(() => undefined);
    // What the killed run had sent arrives when this one has compared what it staged.
    const arriving = bulkStore(client);
    const start = async (asked: Parameters<typeof arriving.start>[0]) => {
      for (const write of late) await write();
      return arriving.start(asked);
    };
    expect(await run({ bulk: { ...arriving, start } }, { objectBytes: 400 })).to.include({ outcome: 'ended' });
    expect(late).to.have.length(1);
    expect(new Set(server.objects[0]?.flatMap(({ lines }) => lines)).size).to.equal(200);
    const token = scalarText((await recorded())?.clientToken) ?? '';
    const left = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: `bulk/${tableName}/${token}/` }));
    expect(left.Contents ?? [], 'it goes with the rest').to.deep.equal([]);
  });

  it('stopped while it stages has started nothing; stopped while DynamoDB is asked, it knows the answer', async () => {
    const staging = new AbortController();
    const bucketStore = s3BlobStore(s3, { bucket, prefix: '' });
    const write: typeof bucketStore.write = async (name, bytes, signal) => {
      staging.abort();
      return bucketStore.write(name, bytes, signal);
    };
    const stoppedEarly = await run({ bucket: { ...bucketStore, write }, signal: staging.signal });
    expect(stoppedEarly).to.deep.equal({ outcome: 'interrupted', arn: undefined, asked: false });
    expect(started()).to.equal(0);
    const starting = new AbortController();
    const asking = bulkStore(client);
    const start: typeof asking.start = (asked, signal) => {
      starting.abort();
      return asking.start(asked, signal);
    };
    const stoppedLate = await run({ bulk: { ...asking, start }, signal: starting.signal }, { rate: 2_048 });
    expect(started()).to.equal(1);
    expect(stoppedLate).to.deep.equal({ outcome: 'interrupted', arn: arnOf(await recorded()), asked: true });
    expect((await recorded())?.options, 'the rate of the run that started it').to.deep.equal({ S: '{"rate":2048}' });
    expect(await run()).to.include({ outcome: 'ended' });
    expect(started()).to.equal(1);
  });

  it('of an export without items is not asked for', async () => {
    const { place: empty } = await exportTo(engine(), target, join(folder(), 'empty'));
    expect(await run({}, {}, empty)).to.deep.equal({ outcome: 'nothing', rejected: 0 });
    expect(started()).to.equal(0);
  });

  it('with items that DynamoDB finds faulty has them in the dead letters, and the rest in the table', async () => {
    server.errors.add('item-011');
    server.endNext = { status: 'COMPLETED_WITH_ERRORS', written: Number.POSITIVE_INFINITY };
    const result = await run();
    expect(result).to.include({ outcome: 'ended', reported: 1 });
    expect('operation' in result && result.operation).to.include({ status: 'COMPLETED_WITH_ERRORS', failedItems: 1 });
    expect(letters.map(({ request, reason }) => [request, reason.code])).to.deep.equal([
      [{ table: tableName, put: { id: { S: 'item-011' }, n: { N: '11' } } }, 'ERROR'],
    ]);
    expect(await contentOf(engine(), target)).to.have.length(199);
  });

  it('gets objects of similar size, and holds but a few megabytes of lines at a time', async () => {
    await run({}, { objectBytes: 400 });
    const lines = server.objects[0]?.map((object) => object.lines.length) ?? [];
    expect(lines.length).to.be.greaterThan(2);
    expect(Math.max(...lines.slice(0, -1)) - Math.min(...lines.slice(0, -1))).to.be.at.most(1);
    expect(lines.at(-1)).to.be.at.most(lines[0] ?? 0);
    const big = Array.from({ length: 60 }, (_, at) => ({ id: { S: `big-${at}` }, pad: { S: 'x'.repeat(390_000) } }));
    await engine().putRaw(source, big);
    const { place: heavy } = await exportTo(engine(), source, join(folder(), 'heavy'));
    await engine().removeRaw(source, big);
    let most = 0;
    const packer: FileCodec['packer'] = () => {
      const { add, finish } = gzipCodec.packer();
      const counting = (text: Uint8Array) => {
        most = Math.max(most, text.length);
        return add(text);
      };
      return { add: counting, finish };
    };
    await run({ codec: { ...gzipCodec, packer } }, {}, heavy);
    expect(most).to.be.greaterThan(390_000).and.to.be.lessThan(20_000_000);
  });

  it('is not started when something else lies under its prefix', async () => {
    const bucketStore = s3BlobStore(s3, { bucket, prefix: '' });
    const shared = {
      ...bucketStore,
      list: async (prefix: string) => {
        const found = await bucketStore.list(prefix);
        return found.length === 0 ? found : [...found, { name: `${prefix}of-somebody-else.json.gz`, bytes: 5 }];
      },
    };
    const error = (await run({ bucket: shared }).catch((reason: Error) => reason)) as Error;
    expect(error).to.include({ code: 'CONFLICT' });
    expect(error.message).to.match(/expected the 1 staged objects alone, found others$/);
    expect(started()).to.equal(0);
    expect(await run()).to.include({ outcome: 'ended' });
  });

  it('that failed says what DynamoDB says, and begins anew when asked to', async () => {
    server.endNext = { status: 'FAILED', written: 20 };
    const failed = await run();
    expect('operation' in failed && failed.operation).to.deep.include({
      status: 'FAILED',
      failure: { code: 'InternalFailure', message: 'it broke' },
    });
    expect(await contentOf(engine(), target)).to.have.length(20);
    expect(await run({}, { again: true })).to.include({ outcome: 'ended' });
    expect(await contentOf(engine(), target)).to.deep.equal(await contentOf(engine(), source));
  });
});

const arnOf = (record: Awaited<ReturnType<typeof itemsOf>>[number] | undefined): string =>
  (record?.arn as { readonly S: string } | undefined)?.S ?? '';

/** A moment that others wait for. */
function signalOnce(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
