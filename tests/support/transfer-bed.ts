import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '../../engine/aws/clients.ts';
import { pageStore } from '../../engine/aws/transfer/page-store.ts';
import { batchWriteStore } from '../../engine/aws/write/batch-write-store.ts';
import { conditionalWriteStore } from '../../engine/aws/write/conditional-write-store.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import type { BlobStore } from '../../engine/core/transfer/blob-store.ts';
import type { DeadLetter } from '../../engine/core/write/dead-letter.ts';
import { directoryBlobStore } from '../../engine/local/directory-blob-store.ts';
import { gzipCodec } from '../../engine/local/gzip-codec.ts';
import { CapacityGates } from '../../engine/run/capacity/capacity-gate.ts';
import type { ExportEnvironment, ExportRequest } from '../../engine/run/transfer/export-environment.ts';
import { exportTable } from '../../engine/run/transfer/export-table.ts';
import type { ImportEnvironment, ImportRequest } from '../../engine/run/transfer/import-environment.ts';
import { importExport } from '../../engine/run/transfer/import-export.ts';
import type { ImportWrite } from '../../engine/run/transfer/import-source.ts';
import { openExport } from '../../engine/run/transfer/open-export.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../tables/model/canonical.ts';
import { physicalName } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { mortalClock } from './mortal-clock.ts';
import type { TestEngine } from './test-engine.ts';

const unlimited = { unlimited: true } as const;

/** A folder that is gone when the suite ends. */
export function useFolder(): () => string {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tablewright-transfer-'));
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  return () => folder;
}

export function exportEnvironment(
  engine: TestEngine,
  target: BlobStore,
  change: Partial<ExportEnvironment> = {},
): ExportEnvironment {
  return {
    store: pageStore(engine.client),
    target,
    codec: gzipCodec,
    gates: new CapacityGates(unlimited),
    clock: mortalClock,
    nowMs: Date.now,
    randomId: () => randomBytes(4).toString('hex'),
    random: Math.random,
    sleep,
    takeOverWaitMs: 0,
    ...change,
  };
}

export function exportRequest(engine: TestEngine, table: Table, change: Partial<ExportRequest> = {}): ExportRequest {
  const tableName = physicalName(table, engine.config);
  return {
    tableName,
    tableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${tableName}`,
    segments: 3,
    consistent: true,
    options: '{}',
    remarks: {},
    ...change,
  };
}

/** Exports a table to a directory and says where the export is. */
export async function exportTo(engine: TestEngine, table: Table, directory: string, change: Partial<ExportRequest> = {}) {
  const environment = exportEnvironment(engine, directoryBlobStore(directory));
  const result = await exportTable(environment, exportRequest(engine, table, change));
  return { result, place: join(directory, 'AWSDynamoDB', result.id) };
}

export interface ImportOutcome {
  readonly result: Awaited<ReturnType<typeof importExport>>;
  readonly letters: readonly DeadLetter[];
  readonly rejected: readonly string[];
}

/** Imports the export in a directory into a table, with whatever is to be different. */
export async function importFrom(
  engine: TestEngine,
  table: Table,
  directory: string,
  change: Partial<ImportRequest> = {},
  around: Partial<ImportEnvironment> = {},
): Promise<ImportOutcome> {
  const tableName = physicalName(table, engine.config);
  const source = directoryBlobStore(directory);
  const opened = await openExport({ source, parent: directoryBlobStore(dirname(directory)), codec: gzipCodec });
  const client = dynamoClient({ region: 'us-east-1', endpoint: engine.endpoint, maxAttempts: 1 });
  const letters: DeadLetter[] = [];
  const rejected: string[] = [];
  const mode = change.mode ?? { kind: 'overwrite' };
  let skipped = 0;
  const count = (): void => {
    skipped += 1;
  };
  const beforeOf = (request: unknown) => (request as ImportWrite).before;
  try {
    const result = await importExport(
      {
        writes:
          mode.kind === 'overwrite'
            ? batchWriteStore(client)
            : conditionalWriteStore(client, mode.kind === 'if-newer' ? { ...mode, beforeOf } : mode, count),
        skipped: () => skipped,
        store: engine.environment.store,
        names: engine.config,
        codec: gzipCodec,
        gates: new CapacityGates(unlimited),
        readGates: new CapacityGates(unlimited),
        deadLetters: { write: async (letter) => void letters.push(letter) },
        clock: mortalClock,
        nowMs: Date.now,
        sleep,
        random: Math.random,
        takeOverWaitMs: 0,
        onEvent: (event) => {
          if (event.kind === 'rejected') rejected.push(`${event.place}: ${event.problem}`);
        },
        ...around,
      },
      opened,
      {
        table: { ...table, name: tableName },
        ttl: table.ttl,
        mode,
        options: '{}',
        again: false,
        verify: 'full',
        ...change,
      },
    );
    return { result, letters, rejected };
  } finally {
    client.destroy();
  }
}

/** Every item of a table, as sorted canonical texts. */
export async function contentOf(engine: TestEngine, table: Table): Promise<readonly string[]> {
  const items = await itemsOf(engine, table);
  return items.map(canonicalItem).toSorted();
}

export async function itemsOf(engine: TestEngine, table: Table): Promise<readonly Item[]> {
  const items: Item[] = [];
  let from: Item | undefined;
  do {
    const page = await engine.client.send(
      new ScanCommand({ TableName: physicalName(table, engine.config), ConsistentRead: true, ExclusiveStartKey: from }),
    );
    items.push(...((page.Items ?? []) as Item[]));
    from = page.LastEvaluatedKey as Item | undefined;
  } while (from !== undefined);
  return items;
}

/** Two plain tables of one shape: what is exported from one is imported into the other. */
export function plainTable(name: string, type: 'S' | 'N' | 'B' = 'S'): Table {
  return {
    name,
    system: 'test',
    description: 'any items',
    suffix: 'outside-prod',
    key: { hash: { name: 'id', type } },
    indexes: [],
    billing: { development: { mode: 'on-demand' }, production: { mode: 'on-demand' } },
    entities: [],
    patterns: {},
  };
}
