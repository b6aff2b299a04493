import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '../../engine/aws/clients.ts';
import { batchWriteStore } from '../../engine/aws/write/batch-write-store.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { findSets } from '../../engine/cli/seed/find-sets.ts';
import { readSets } from '../../engine/cli/seed/read-sets.ts';
import type { SeedEvent } from '../../engine/core/seed/seed-event.ts';
import type { DeadLetter } from '../../engine/core/write/dead-letter.ts';
import { journalCodec } from '../../engine/local/journal-codec.ts';
import { sha256 } from '../../engine/local/sha256.ts';
import { CapacityGates } from '../../engine/run/capacity/capacity-gate.ts';
import type { SeedEnvironment } from '../../engine/run/seed/environment.ts';
import { type LoadSetOptions, loadSet, type SetReport } from '../../engine/run/seed/load-set.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { physicalName } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { project } from './project.ts';
import { linkProject } from './project-folder.ts';
import type { TestEngine } from './test-engine.ts';

export const repository = join(import.meta.dirname, '../..');

/** A folder with files, as a repository has them; gone after the suite. */
export async function makeFolder(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tablewright-seeds-'));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  if (!('tablewright.config.ts' in files)) await linkProject(folder);
  return folder;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Everything a loader needs on a test's engine, with a clock that the test turns. */
export interface SeedBench {
  readonly environment: SeedEnvironment;
  readonly events: SeedEvent[];
  readonly letters: DeadLetter[];
  now: number;
  /** Reads the set's files anew and loads it. */
  load(root: string, name: string, options?: Partial<LoadSetOptions>): Promise<SetReport>;
  scan(table: Table): Promise<readonly Item[]>;
  close(): void;
}

/** `endpoint`: a proxy before the engine, for the batches. */
export function seedBench(engine: TestEngine, endpoint = engine.endpoint): SeedBench {
  const client = dynamoClient({ region: engine.config.region, endpoint, maxAttempts: 1 });
  const events: SeedEvent[] = [];
  const letters: DeadLetter[] = [];
  const environment: SeedEnvironment = {
    store: engine.environment.store,
    batches: batchWriteStore(client),
    config: engine.config,
    tables: engine.environment.tables,
    gates: new CapacityGates({ unlimited: true }),
    readGates: new CapacityGates({ unlimited: true }),
    deadLetters: { write: async (letter) => void letters.push(letter) },
    digest: sha256,
    codec: journalCodec,
    nowSeconds: () => bench.now,
    sleep,
    random: Math.random,
    emit: (event) => void events.push(event),
  };
  const bench: SeedBench = {
    environment,
    events,
    letters,
    now: Math.floor(Date.now() / 1_000),
    async load(root, name, options = {}) {
      const all = await findSets({ root, project });
      const [read] = await readSets(
        root,
        all.filter((set) => set.name === name),
        all,
        bench.now,
      );
      if (read === undefined) throw new Error(`no set ${name}`);
      const { times } = read.set;
      const plain = { name, times, declared: read.declared, overwrite: false, prune: false, dryRun: false };
      return loadSet(environment, { ...plain, ...options });
    },
    scan: (table) => scanAll(engine, table),
    close: () => client.destroy(),
  };
  return bench;
}

async function scanAll(engine: TestEngine, table: Table): Promise<readonly Item[]> {
  const items: Item[] = [];
  let next: Item | undefined;
  do {
    const page = await engine.client.send(
      new ScanCommand({
        TableName: physicalName(table, engine.config),
        ...(next === undefined ? {} : { ExclusiveStartKey: next }),
      }),
    );
    items.push(...((page.Items ?? []) as Item[]));
    next = page.LastEvaluatedKey as Item | undefined;
  } while (next !== undefined);
  return items;
}
