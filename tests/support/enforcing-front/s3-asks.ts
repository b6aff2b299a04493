import type { DeployedAccess } from './access.ts';
import { type Ask, ask } from './ask.ts';
import { keyAsks } from './key-asks.ts';

export interface S3Request {
  readonly method: string;
  /** `/bucket/key?query`: the front is reached by an address, so the bucket is in the path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** As TLS would have it: the tests talk to a server on this machine in the clear. */
const overTls = { 'aws:SecureTransport': 'true', 's3:TlsVersion': '1.3' };

/** An action on a bucket, or on an object of it. */
export function objectAsk(action: string, bucket: string, name?: string, context: Ask['context'] = overTls): Ask {
  return ask(`s3:${action}`, `arn:aws:s3:::${bucket}${name === undefined ? '' : `/${name}`}`, context);
}

/** What an S3 request asks of IAM (S3 User Guide, "Required permissions for Amazon S3 API operations"). */
export function s3Asks(access: DeployedAccess, request: S3Request): readonly Ask[] {
  const { pathname, searchParams } = new URL(request.url, 'http://s3');
  const [, bucket = '', ...rest] = pathname.split('/').map(decodeURIComponent);
  const name = rest.join('/');
  if (name === '') return bucketAsks(bucket, request, searchParams);
  const keyed = (...uses: readonly string[]) => (access.keyedBuckets.has(bucket) ? keyAsks(access, 's3', ...uses) : []);
  const on = (action: string) => objectAsk(action, bucket, name);
  switch (request.method) {
    case 'GET':
      return searchParams.has('uploadId') ? [on('ListMultipartUploadParts')] : [on('GetObject'), ...keyed('Decrypt')];
    case 'HEAD':
      return [on('GetObject'), ...keyed('Decrypt')];
    case 'PUT':
    case 'POST':
      return [
        on('PutObject'),
        ...('x-amz-acl' in request.headers ? [on('PutObjectAcl')] : []),
        // A further part of an upload is encrypted with the data key of the first.
        ...keyed('GenerateDataKey', ...(searchParams.has('uploadId') ? ['Decrypt'] : [])),
      ];
    case 'DELETE':
      return [on(searchParams.has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject')];
    default:
      throw unknown(request);
  }
}

function bucketAsks(bucket: string, request: S3Request, query: URLSearchParams): readonly Ask[] {
  const { method, body } = request;
  if (method === 'POST' && query.has('delete')) {
    const names = [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name = '']) => name);
    return names.map((name) => objectAsk('DeleteObject', bucket, name));
  }
  if (method === 'GET' && query.has('location')) return [objectAsk('GetBucketLocation', bucket)];
  if (method === 'GET' && query.has('uploads')) return [objectAsk('ListBucketMultipartUploads', bucket)];
  if (method === 'GET' || method === 'HEAD') {
    return [objectAsk('ListBucket', bucket, undefined, { ...overTls, 's3:prefix': query.get('prefix') ?? '' })];
  }
  if (method === 'PUT') return [objectAsk('CreateBucket', bucket)];
  throw unknown(request);
}

function unknown({ method, url }: S3Request): Error {
  return new Error(`the front does not know how S3 authorises ${method} ${url}`);
}
