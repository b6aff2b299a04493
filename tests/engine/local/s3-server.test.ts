import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { localCredentials, s3Client } from '../../../engine/aws/clients.ts';
import { openS3 } from '../../../engine/local/local-engine.ts';
import { pageOfKeys } from '../../../engine/local/s3-listing.js';
import type { Service } from '../../../engine/local/shared-service.ts';
import { untilSilent } from '../../support/listens.ts';

const Bucket = 'exports';

/** All keys, page by page; and how many pages. */
async function listed(client: S3Client, options: object = {}) {
  const keys: string[] = [];
  const prefixes: string[] = [];
  let pages = 0;
  let ContinuationToken: string | undefined;
  do {
    const page = await client.send(new ListObjectsV2Command({ Bucket, ...options, ContinuationToken }));
    keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
    prefixes.push(...(page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix));
    expect(page.KeyCount).to.equal((page.Contents?.length ?? 0) + (page.CommonPrefixes?.length ?? 0));
    expect(page.IsTruncated === true).to.equal(page.NextContinuationToken !== undefined);
    ContinuationToken = page.NextContinuationToken;
    pages += 1;
  } while (ContinuationToken !== undefined);
  return { keys, prefixes, pages };
}

describe('the embedded S3 server', () => {
  let service: Service;
  let client: S3Client;

  before(async () => {
    service = await openS3({ data: { kind: 'memory' } });
    client = await s3Client({ region: 'us-east-1', endpoint: service.endpoint, credentials: localCredentials });
  });

  after(async () => {
    client.destroy();
    await service.release();
    expect(await untilSilent(service.endpoint)).to.equal(true);
  });

  it('has no buckets at first, and says so', async () => {
    expect((await client.send(new ListBucketsCommand({}))).Buckets).to.deep.equal([]);
  });

  it('keeps an object', async () => {
    await client.send(new CreateBucketCommand({ Bucket }));
    await client.send(new PutObjectCommand({ Bucket, Key: 'a/b', Body: 'content' }));
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: 'a/b' }));
    expect(await Body?.transformToString()).to.equal('content');
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'a/b' }));
  });

  it('lists more than a thousand objects, each once, in the order of S3', async () => {
    const keys = Array.from({ length: 1_105 }, (_, at) => `data/${String(at).padStart(5, '0')}`);
    const odd = ['data-before', 'data/00010/deep', 'data0', 'dätä', 'z'];
    for (let at = 0; at < keys.length; at += 50) {
      await Promise.all(keys.slice(at, at + 50).map((Key) => client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))));
    }
    for (const Key of odd) await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    const expected = [...keys, ...odd].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(await listed(client)).to.deep.equal({ keys: expected, prefixes: [], pages: 2 });
    expect(await listed(client, { MaxKeys: 400, Prefix: 'data/' })).to.deep.equal({
      keys: expected.filter((key) => key.startsWith('data/')),
      prefixes: [],
      pages: 3,
    });
    expect(await listed(client, { Delimiter: '/' })).to.deep.equal({
      keys: ['data-before', 'data0', 'dätä', 'z'],
      prefixes: ['data/'],
      pages: 1,
    });
    const first = await client.send(new ListObjectsCommand({ Bucket, MaxKeys: 3 }));
    expect([first.Contents?.length, first.IsTruncated]).to.deep.equal([3, true]);
    const second = await client.send(new ListObjectsCommand({ Bucket, MaxKeys: 3, Marker: first.Contents?.at(-1)?.Key }));
    expect(second.Contents?.map(({ Key }) => Key)).to.deep.equal(expected.slice(3, 6));
  });

  it('says that a bucket is not there', async () => {
    const error = await client.send(new ListObjectsV2Command({ Bucket: 'nowhere' })).catch(({ name }: Error) => name);
    expect(error).to.equal('NoSuchBucket');
  });

  it('makes pages that follow each other', () => {
    const all = ['b', 'a/2', 'a/1', 'a-1', 'c/1'];
    expect(pageOfKeys(all, { maxKeys: 2 })).to.deep.equal({ keys: ['a-1', 'a/1'], commonPrefixes: [], isTruncated: true });
    expect(pageOfKeys(all, { maxKeys: 2, startAfter: 'a/1' }).keys).to.deep.equal(['a/2', 'b']);
    expect(pageOfKeys(all, { maxKeys: 2, startAfter: 'b' })).to.deep.equal({
      keys: ['c/1'],
      commonPrefixes: [],
      isTruncated: false,
    });
    expect(pageOfKeys(all, { delimiter: '/', prefix: 'a' })).to.deep.equal({
      keys: ['a-1'],
      commonPrefixes: ['a/'],
      isTruncated: false,
    });
  });
});
