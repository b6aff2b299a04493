// Listings of the embedded S3 server. Plain JavaScript, as the server itself is.
import { readdir } from 'node:fs/promises';
import { sep } from 'node:path';

/**
 * @typedef {{ readonly prefix?: string | undefined, readonly delimiter?: string | undefined, readonly startAfter?: string | undefined, readonly maxKeys?: number | undefined }} ListOptions
 * @typedef {{ readonly keys: readonly string[], readonly commonPrefixes: readonly string[], readonly isTruncated: boolean }} KeyPage
 * @typedef {import('@20minutes/s3rver').Store} Store
 * @typedef {import('@20minutes/s3rver').KoaContext} KoaContext
 */

/** S3 sorts keys by their UTF-8 bytes (Amazon S3 API reference, ListObjectsV2). @param {string} a @param {string} b */
const byBytes = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/**
 * One page of a bucket's keys. Keys are sorted before they are cut into pages: s3rver cuts them in the order of its folders, where
 * `a/1` comes before `a-1`, and leaves out what sorts before the page's last key.
 * @param {readonly string[]} all
 * @param {ListOptions} options
 * @returns {KeyPage}
 */
export function pageOfKeys(all, { prefix = '', delimiter = '', startAfter = '', maxKeys = 1_000 }) {
  /** @type {string[]} */
  const keys = [];
  /** @type {Set<string>} */
  const commonPrefixes = new Set();
  for (const key of all.toSorted(byBytes)) {
    if (!key.startsWith(prefix) || byBytes(key, startAfter) <= 0) continue;
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    if (at !== -1) commonPrefixes.add(key.slice(0, at + delimiter.length));
    else if (keys.length === maxKeys) return { keys, commonPrefixes: [...commonPrefixes], isTruncated: true };
    else keys.push(key);
  }
  return { keys, commonPrefixes: [...commonPrefixes], isTruncated: false };
}

/** The end of a file's name that holds an object. */
const objectSuffix = '._S3rver_object';

/**
 * Stands for the store's own `listObjects`.
 * @param {Store} store
 * @param {string} bucket
 * @param {ListOptions} options
 */
export async function listObjects(store, bucket, options) {
  const files = await readdir(store.getBucketPath(bucket), { recursive: true });
  const all = files.flatMap((file) => {
    const path = sep === '/' ? file : file.replaceAll(sep, '/');
    return path.endsWith(objectSuffix) ? [store.constructor.decodeKeyPath(path.slice(0, -objectSuffix.length))] : [];
  });
  const { keys, ...rest } = pageOfKeys(all, options);
  const found = await Promise.all(keys.map((key) => describe(store, bucket, key)));
  return { ...rest, objects: found.flatMap((object) => object ?? []) };
}

/** Undefined when it has been deleted meanwhile. @param {Store} store @param {string} bucket @param {string} key */
async function describe(store, bucket, key) {
  try {
    const metadata = await store.getMetadata(bucket, key);
    return {
      key,
      metadata,
      lastModifiedDate: new Date(metadata['last-modified'] ?? 0),
      size: Number(metadata['content-length']),
    };
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
    throw error;
  }
}

const encode = (/** @type {string} */ key) => Buffer.from(key).toString('base64url');
const decode = (/** @type {string} */ token) => Buffer.from(token, 'base64url').toString();

/**
 * ListObjectsV2 by means of ListObjects. s3rver encrypts the continuation token with DES, which OpenSSL 3 does not have, so that a
 * listing of more than a thousand objects ended in a 500; here the token is the last key, and nobody is to be kept from reading it.
 * @param {KoaContext} context
 * @param {() => Promise<void>} next
 */
export async function listVersion2(context, next) {
  const { 'list-type': version, 'continuation-token': token, 'start-after': startAfter, ...rest } = context.query;
  if (context.method !== 'GET' || version !== '2') return next();
  const marker = token === undefined ? startAfter : decode(token);
  context.query = { ...rest, ...(marker === undefined ? {} : { marker }) };
  await next();
  const listing = context.body?.ListBucketResult;
  if (listing === undefined) return;
  const { Marker: _, NextMarker: __, ...same } = listing;
  const last = listing.Contents.at(-1)?.Key;
  const owned = context.query['fetch-owner'] === 'true';
  context.body = {
    ListBucketResult: {
      ...same,
      ...(startAfter === undefined ? {} : { StartAfter: startAfter }),
      ...(token === undefined ? {} : { ContinuationToken: token }),
      ...(listing.IsTruncated && last !== undefined ? { NextContinuationToken: encode(last) } : {}),
      KeyCount: listing.Contents.length + listing.CommonPrefixes.length,
      Contents: owned ? listing.Contents : listing.Contents.map(({ Owner: ___, ...entry }) => entry),
    },
  };
}
