import { dynamoClient } from '../../engine/aws/clients.ts';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { batchWriteStore } from '../../engine/aws/write/batch-write-store.ts';
import type { BlobStore } from '../../engine/core/transfer/blob-store.ts';
import { directoryBlobStore } from '../../engine/local/directory-blob-store.ts';
import { exportTable } from '../../engine/run/transfer/export-table.ts';
import { type TestEngine, testConfig } from './test-engine.ts';
import { exportEnvironment, exportRequest, importFrom, plainTable } from './transfer-bed.ts';

/**
 * A process that exports or imports and kills itself with SIGKILL at its n-th write: before the write, or right after it.
 * Run as: transfer-worker.ts export|import ENDPOINT DIRECTORY TABLE N before|after [THREADS]
 */
const [kind = '', endpoint = '', directory = '', name = '', count = '', when = '', threads = '1'] = process.argv.slice(2);

let writes = 0;
async function dying<T>(write: () => Promise<T>): Promise<T> {
  writes += 1;
  const mine = writes === Number(count);
  if (mine && when === 'before') process.kill(process.pid, 'SIGKILL');
  const answer = await write();
  if (mine) process.kill(process.pid, 'SIGKILL');
  return answer;
}

const client = dynamoClient({ region: 'us-east-1', endpoint });
const store = dynamoStore(client);
const engine = { endpoint, client, config: testConfig, environment: { store } } as TestEngine;
const table = plainTable(name);

if (kind === 'export') {
  const target = directoryBlobStore(directory);
  const mortal: BlobStore = { ...target, write: (file, bytes) => dying(() => target.write(file, bytes)) };
  const result = await exportTable(exportEnvironment(engine, mortal), exportRequest(engine, table, { fileBytes: 2_000 }));
  process.stdout.write(JSON.stringify(result));
} else {
  const sending = dynamoClient({ region: 'us-east-1', endpoint, maxAttempts: 1, threads: Number(threads) });
  const batches = batchWriteStore(sending);
  const { result } = await importFrom(
    engine,
    table,
    directory,
    { verify: 'full' },
    {
      writes: { send: (to, requests) => dying(() => batches.send(to, requests)) },
      store: { ...store, transact: (request) => dying(() => store.transact(request)) },
      concurrency: 2,
    },
  );
  process.stdout.write(JSON.stringify(result));
  sending.destroy();
}
client.destroy();
