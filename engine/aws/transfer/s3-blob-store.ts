import {
  CreateBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { BlobEntry, BlobStore } from '../../core/transfer/blob-store.ts';
import { type SdkFailure, storeError } from '../store/store-error.ts';

/** S3 API reference, DeleteObjects: at most 1,000 keys a request. */
const maxDeleteKeys = 1_000;

export interface S3Place {
  readonly bucket: string;
  /** Empty, or ending with a slash. */
  readonly prefix: string;
}

/** Objects under a prefix of a bucket. A put is whole or not there at all. */
export function s3BlobStore(client: S3Client, { bucket, prefix }: S3Place): BlobStore {
  const place = `s3://${bucket}/${prefix}`;
  const abort = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { abortSignal: signal });
  return {
    place,
    s3: { bucket, prefix },
    write: (name, bytes, signal) =>
      guarded(place, async () => {
        const request = { Bucket: bucket, Key: prefix + name, Body: bytes, ContentLength: bytes.byteLength };
        const answer = await client.send(new PutObjectCommand(request), abort(signal));
        return { etag: (answer.ETag ?? '').replaceAll('"', '') };
      }),
    read: (name, signal) =>
      guarded(place, async () => {
        try {
          const answer = await client.send(new GetObjectCommand({ Bucket: bucket, Key: prefix + name }), abort(signal));
          return answer.Body as unknown as AsyncIterable<Uint8Array>;
        } catch (error) {
          if (error instanceof NoSuchKey || (error as Error).name === 'NotFound') return undefined;
          throw error;
        }
      }),
    list: (start, signal) => guarded(place, () => listAll(client, bucket, prefix, start, signal)),
    remove: (names, signal) =>
      guarded(place, async () => {
        for (let at = 0; at < names.length; at += maxDeleteKeys) {
          const Objects = names.slice(at, at + maxDeleteKeys).map((name) => ({ Key: prefix + name }));
          await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }), abort(signal));
        }
      }),
  };
}

async function listAll(
  client: S3Client,
  bucket: string,
  prefix: string,
  start: string,
  signal: AbortSignal | undefined,
): Promise<readonly BlobEntry[]> {
  const found: BlobEntry[] = [];
  let token: string | undefined;
  do {
    const request = { Bucket: bucket, Prefix: prefix + start, ...(token === undefined ? {} : { ContinuationToken: token }) };
    const page = await client.send(new ListObjectsV2Command(request), signal === undefined ? {} : { abortSignal: signal });
    for (const { Key = '', Size = 0 } of page.Contents ?? []) found.push({ name: Key.slice(prefix.length), bytes: Size });
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
  return found;
}

/** The embedded S3 server begins empty; a bucket that is asked for is made. On AWS the stack makes its own. */
export async function ensureLocalBucket(client: S3Client, bucket: string): Promise<void> {
  await guarded(`s3://${bucket}/`, async () => {
    try {
      await client.send(new HeadBucketCommand({ Bucket: bucket }));
    } catch (error) {
      if ((error as SdkFailure).$metadata?.httpStatusCode !== 404) throw error;
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
    }
  });
}

async function guarded<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as Error).name === 'NoSuchBucket') {
      throw new TablewrightError('UNKNOWN_NAME', `${place}: there is no such bucket`, {
        cause: error,
        next: "Check the name; 'npx pulumi up' makes the stack's own bucket.",
      });
    }
    throw storeError(place, error);
  }
}
