import { Agent, request } from 'node:http';

const headersOf = (operation: string) => ({
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': `DynamoDB_20120810.${operation}`,
  'x-amz-date': '20250101T000000Z',
  authorization: 'AWS4-HMAC-SHA256 Credential=local/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
});

/** Calls without an SDK, over connections that stay open. Gives the answer's bytes as they come. */
export function barePost(endpoint: string, operation: string, connections: number) {
  const { hostname, port } = new URL(endpoint);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = headersOf(operation);
  return (body: Buffer, onBytes: (bytes: Buffer) => void = () => undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const options = { agent, hostname, port, method: 'POST', headers: { ...headers, 'content-length': body.length } };
      const sent = request(options, (answer) => answer.on('data', onBytes).on('end', resolve));
      sent.on('error', reject).end(body);
    });
}
