import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinary } from './find-binary.ts';
import { openService, type Service } from './shared-service.ts';

export type LocalData = { readonly kind: 'directory'; readonly directory: string } | { readonly kind: 'memory' };

export interface LocalOptions {
  readonly data: LocalData;
  readonly port?: number | undefined;
}

/**
 * Connections for batch writes to the embedded engine. It writes one item at a time and lets the requests of several
 * connections fight for it: at one connection it takes a third less processor time per item. Further requests wait here,
 * serialised and signed.
 */
export const localWriteSockets = 1;

/** The embedded DynamoDB engine, started or found running. */
export async function openDynamo({ data, port }: LocalOptions): Promise<Service> {
  const directory = await directoryOf(data);
  const binary = findBinary();
  const stored = data.kind === 'directory' ? ['--db-path', join(directory, 'dynamodb.sqlite')] : [];
  return openService({
    name: 'dynamodb',
    directory,
    port,
    temporary: data.kind === 'memory',
    command: (chosen) => [binary, 'serve', '--host', '127.0.0.1', '-p', String(chosen), ...stored],
  });
}

/** The embedded S3 server, started or found running. */
export async function openS3({ data, port }: LocalOptions): Promise<Service> {
  const directory = await directoryOf(data);
  const server = fileURLToPath(new URL('./s3-server.js', import.meta.url));
  return openService({
    name: 's3',
    directory,
    port,
    temporary: data.kind === 'memory',
    command: (chosen) => [process.execPath, server, String(chosen), join(directory, 's3')],
  });
}

/** Throws away the local data. Only for a directory that no server uses. */
export async function removeLocalData(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
}

async function directoryOf(data: LocalData): Promise<string> {
  return data.kind === 'directory' ? data.directory : mkdtemp(join(tmpdir(), 'tablewright-'));
}
