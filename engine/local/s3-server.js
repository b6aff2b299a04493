// Plain JavaScript, so that the server starts without a compiler: node s3-server.js PORT DIRECTORY
import S3rver from '@20minutes/s3rver';

const [port, directory] = process.argv.slice(2);
const server = new S3rver({
  address: '127.0.0.1',
  port: Number(port),
  directory,
  silent: true,
  // The SDK signs for the name it was given; the embedded server has no secret to check against.
  allowMismatchedSignatures: true,
});
await server.run();
