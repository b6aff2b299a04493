import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TablewrightError } from '../../tables/model/error.ts';
import { chooseEngine, type Engine, type EngineName } from './choose-engine.ts';
import { claimData, dynoxideDatabase, readOwner } from './data-owner.ts';
import { engineFault } from './engine-fault.ts';
import { makeFolder } from './make-folder.ts';
import { openService, type Service } from './shared-service.ts';

export type LocalData = { readonly kind: 'directory'; readonly directory: string } | { readonly kind: 'memory' };

export interface LocalOptions {
  readonly data: LocalData;
  readonly port?: number | undefined;
  /** Its port if that is free; any free one otherwise. */
  readonly preferredPort?: number | undefined;
}

export interface DynamoOptions extends LocalOptions {
  /** The one asked for; else that of the data, else what this machine has. */
  readonly engine?: EngineName | undefined;
  /** Indexes of the catalogue that not every engine has. */
  readonly naturalIndexes?: readonly string[];
}

export interface DynamoService extends Service {
  readonly engine: EngineName;
}

/**
 * Connections for batch writes to the embedded engine. It writes one item at a time and lets the requests of several
 * connections fight for it: at one connection it takes a third less processor time per item. Further requests wait here,
 * serialised and signed.
 */
export const localWriteSockets = 1;

/**
 * How migrations work on the embedded engine. One segment: it reads a part of a table by reading all that follows and leaving out what is
 * not in the part; with 100,000 items a page of one of eight segments costs it three times as much as one of the whole. Few batches in
 * flight: it takes one after the other. Larger pages: each costs it two transactions of the ledger.
 */
export const localTuning = { segments: 1, batchesInFlight: 4, pageItems: 1_000 } as const;

/** The embedded engine answers within milliseconds; a Java program on a busy machine takes its time. */
const startTimeoutMs: Readonly<Record<EngineName | 's3', number>> = { dynoxide: 15_000, 'dynamodb-local': 60_000, s3: 15_000 };

/** A DynamoDB engine on this machine, started or found running. */
export async function openDynamo(options: DynamoOptions): Promise<DynamoService> {
  const { data, port, preferredPort } = options;
  const engine = await engineFor(options);
  const directory = await directoryOf(data);
  const stored = data.kind === 'directory' ? directory : undefined;
  if (stored !== undefined && engine.name === 'dynamodb-local') await makeFolder(amazonsFolder(stored));
  const service = await openService({
    name: 'dynamodb',
    directory,
    port,
    preferredPort,
    temporary: data.kind === 'memory',
    startTimeoutMs: startTimeoutMs[engine.name],
    command: (chosen) => commandOf(engine, chosen, stored),
    fault: engineFault,
  });
  return { ...service, engine: engine.name };
}

async function engineFor({ data, engine: wanted, naturalIndexes = [] }: DynamoOptions): Promise<Engine> {
  const wish = { wanted, naturalIndexes };
  if (data.kind === 'memory') return chooseEngine(wish);
  const { directory } = data;
  const chosen = chooseEngine({ ...wish, owner: await readOwner(directory) });
  const owner = await claimData(directory, chosen.name);
  return owner === chosen.name ? chosen : chooseEngine({ ...wish, owner });
}

const amazonsFolder = (directory: string) => join(directory, 'dynamodb-local');

/** Quick to start rather than quick after an hour: most commands are done in seconds. */
const javaOptions = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

function commandOf(engine: Engine, port: number, stored: string | undefined): readonly string[] {
  if (engine.name === 'dynoxide') {
    const database = stored === undefined ? [] : ['--db-path', dynoxideDatabase(stored)];
    return [engine.binary, 'serve', '--host', '127.0.0.1', '-p', String(port), ...database];
  }
  // One database for all keys and regions, as the embedded engine has it; by itself it keeps them apart.
  const database = stored === undefined ? ['-inMemory'] : ['-dbPath', amazonsFolder(stored)];
  const program = [engine.java, ...javaOptions, `-Djava.library.path=${engine.libraries}`, '-jar', engine.jar];
  return [...program, '-sharedDb', '-disableTelemetry', '-port', String(port), ...database];
}

const s3Package = '@20minutes/s3rver';

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** The embedded S3 server, started or found running. */
export async function openS3({ data, port }: LocalOptions): Promise<Service> {
  const directory = await directoryOf(data);
  if (!isInstalled(s3Package)) {
    throw new TablewrightError('ENGINE_MISSING', `no S3 server can be started here: package ${s3Package} is not installed`, {
      next: `Run 'npm install --save-dev ${s3Package}', or name an S3-compatible server in AWS_ENDPOINT_URL_S3.`,
    });
  }
  const server = fileURLToPath(new URL('./s3-server.js', import.meta.url));
  const objects = join(directory, 's3');
  await makeFolder(objects);
  return openService({
    name: 's3',
    directory,
    port,
    temporary: data.kind === 'memory',
    startTimeoutMs: startTimeoutMs.s3,
    command: (chosen) => [process.execPath, server, String(chosen), objects],
  });
}

/** Throws away the local data. Only for a directory that no server uses. */
export async function removeLocalData(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
}

async function directoryOf(data: LocalData): Promise<string> {
  return data.kind === 'directory' ? data.directory : mkdtemp(join(tmpdir(), 'tablewright-'));
}
