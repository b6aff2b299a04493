import { basename, dirname, resolve } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import { isLoopback } from '../../aws/clients.ts';
import { ensureLocalBucket, s3BlobStore } from '../../aws/transfer/s3-blob-store.ts';
import type { BlobStore } from '../../core/transfer/blob-store.ts';
import { directoryBlobStore } from '../../local/directory-blob-store.ts';
import type { Context } from '../context.ts';
import type { OpenStack } from '../open-stack.ts';
import type { ExportPlace } from '../spec/command-spec.ts';
import { place } from '../spec/values.js';

export interface OpenedPlace {
  readonly store: BlobStore;
  /** The folder above, where incremental exports keep their data. */
  readonly parent: BlobStore | undefined;
}

/** A place of the stack's own bucket. */
export function s3Place(bucket: string, prefix: string): ExportPlace {
  return { kind: 's3', text: `s3://${bucket}/${prefix}`, bucket, prefix };
}

/** The place that a migration's step names. */
export function placeOf(text: string): ExportPlace {
  const found = place.read(text);
  if (found !== undefined) return found;
  throw new TablewrightError('BAD_ARGUMENT', `${text}: expected ${place.expected}`, {
    next: 'For instance s3://my-exports/july, or backups/july.',
  });
}

export async function openPlace(context: Pick<Context, 'root'>, stack: OpenStack, at: ExportPlace): Promise<OpenedPlace> {
  if (at.kind === 'directory') {
    const directory = resolve(context.root, at.path);
    const shown = at.path.replace(/\/+$/, '') || '/';
    const above = dirname(shown) === '.' && basename(shown) === shown ? '..' : dirname(shown);
    return { store: directoryBlobStore(directory, shown), parent: directoryBlobStore(dirname(directory), above) };
  }
  const { bucket, prefix } = at;
  const { client, endpoint } = await stack.s3();
  if (endpoint !== undefined && isLoopback(endpoint)) await ensureLocalBucket(client, bucket);
  const above = prefix.replace(/[^/]+\/$/, '');
  const parent = prefix === '' ? undefined : s3BlobStore(client, { bucket, prefix: above });
  return { store: s3BlobStore(client, { bucket, prefix }), parent };
}
