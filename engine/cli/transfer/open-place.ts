import { basename, dirname, resolve } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import { isLoopback } from '../../aws/clients.ts';
import { ensureLocalBucket, s3BlobStore } from '../../aws/transfer/s3-blob-store.ts';
import type { BlobStore } from '../../core/transfer/blob-store.ts';
import { directoryBlobStore } from '../../local/directory-blob-store.ts';
import type { Context } from '../context.ts';
import type { OpenStack } from '../open-stack.ts';

export interface Place {
  readonly store: BlobStore;
  /** The folder above, where incremental exports keep their data. */
  readonly parent: BlobStore | undefined;
}

/** `s3://bucket/prefix`, or a directory. */
export async function openPlace(context: Pick<Context, 'root'>, stack: OpenStack, text: string): Promise<Place> {
  if (!text.startsWith('s3:')) {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) throw badPlace(text);
    const directory = resolve(context.root, text);
    const shown = text.replace(/\/+$/, '') || '/';
    const above = dirname(shown) === '.' && basename(shown) === shown ? '..' : dirname(shown);
    return { store: directoryBlobStore(directory, shown), parent: directoryBlobStore(dirname(directory), above) };
  }
  const [, bucket, rest = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text) ?? [];
  if (bucket === undefined) throw badPlace(text);
  const { client, endpoint } = await stack.s3();
  if (endpoint !== undefined && isLoopback(endpoint)) await ensureLocalBucket(client, bucket);
  const prefix = rest === '' || rest.endsWith('/') ? rest : `${rest}/`;
  const above = prefix.replace(/[^/]+\/$/, '');
  const parent = prefix === '' ? undefined : s3BlobStore(client, { bucket, prefix: above });
  return { store: s3BlobStore(client, { bucket, prefix }), parent };
}

function badPlace(text: string): TablewrightError {
  return new TablewrightError('BAD_ARGUMENT', `${text}: expected s3://bucket/prefix or a directory`, {
    next: 'For instance s3://my-exports/july, or backups/july.',
  });
}
