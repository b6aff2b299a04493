import { Agent, request } from 'node:http';
import { toJsonItem } from '../../engine/core/dynamo-json.ts';
import { type Contender, chunks, inParallel, numbers } from './contender.ts';
import { orderItem } from './items.ts';

const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.BatchWriteItem',
  'x-amz-date': '20250101T000000Z',
  authorization: 'AWS4-HMAC-SHA256 Credential=local/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

/** The limit: bodies made beforehand, sent over connections kept open; answers are read and not looked at. */
export const contender: Contender = {
  async prepare({ endpoint, table, from, count, concurrency, connections }) {
    const bodies = chunks(numbers(from, count)).map((batch) => {
      const writes = batch.map((n) => ({ PutRequest: { Item: toJsonItem(orderItem(n)) } }));
      return Buffer.from(JSON.stringify({ RequestItems: { [table]: writes } }));
    });
    const { hostname, port } = new URL(endpoint);
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const post = (body: Buffer): Promise<void> =>
      new Promise((resolve, reject) => {
        const options = { agent, hostname, port, method: 'POST', headers: { ...headers, 'content-length': body.length } };
        const sent = request(options, (answer) => answer.resume().on('end', resolve));
        sent.on('error', reject).end(body);
      });
    return () => inParallel(bodies.length, concurrency, (n) => post(bodies[n] as Buffer));
  },
};
