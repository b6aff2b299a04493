// Plain JavaScript, so that the server starts without a compiler: node s3-server.js PORT DIRECTORY
import { mkdir } from 'node:fs/promises';
import S3rver from '@20minutes/s3rver';
import { listObjects, listVersion2 } from './s3-listing.js';

const [port, directory = 's3'] = process.argv.slice(2);
// Without it there is nothing to list, and the first `aws s3 ls` fails.
await mkdir(directory, { recursive: true });
const server = new S3rver({
  address: '127.0.0.1',
  port: Number(port),
  directory,
  silent: true,
  // The SDK signs for the name it was given; the embedded server has no secret to check against.
  allowMismatchedSignatures: true,
});
server.store.listObjects = (/** @type {string} */ bucket, /** @type {import('./s3-listing.js').ListOptions} */ options) =>
  listObjects(server.store, bucket, options);
// Just before the router, which checks the access key.
server.middleware.splice(-1, 0, listVersion2);
await server.run();
