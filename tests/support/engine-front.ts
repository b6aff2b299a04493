import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { GetObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';

export type Json = Record<string, unknown>;

/** What DynamoDB answers with instead of a result: the exception's name and its text. */
export class Refusal extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export type Operations = Readonly<Record<string, (input: Json) => Promise<Json>>>;

/** An object of a bucket, as its lines. */
export interface StoredObject {
  readonly key: string;
  readonly lines: readonly string[];
}

/** Stands before an engine and answers what the engine lacks; everything else passes through. */
export class EngineFront {
  endpoint = '';
  readonly #engine: string;
  readonly #answer: (operation: string, body: string) => Promise<Answer | 'lost'>;
  readonly #http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const answer = await this.#answer(operation, Buffer.concat(chunks).toString());
    if (answer === 'lost') request.socket.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(answer.text);
  });

  constructor(engine: string, answer: (operation: string, body: string) => Promise<Answer | 'lost'>) {
    this.#engine = engine;
    this.#answer = answer;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    this.endpoint = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  /** By one of the operations, or by the engine. */
  async carryOut(operations: Operations, operation: string, body: string): Promise<Answer> {
    const own = operations[operation];
    if (own === undefined) return this.#send(operation, body);
    try {
      return { status: 200, text: JSON.stringify(await own(JSON.parse(body) as Json)) };
    } catch (error) {
      const { name, message } = error as Error;
      const text = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message });
      return { status: error instanceof Refusal ? 400 : 500, text };
    }
  }

  /** Asks the engine. */
  async call(operation: string, input: Json): Promise<Json> {
    const { status, text } = await this.#send(operation, JSON.stringify(input));
    const answer = JSON.parse(text) as Json;
    if (status === 200) return answer;
    throw new Refusal(String(answer.__type).split('#').at(-1) ?? '', String(answer.message ?? answer.Message ?? ''));
  }

  async put(tableName: string, items: readonly Json[]): Promise<void> {
    for (let at = 0; at < items.length; at += 25) {
      const requests = items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
      await this.call('BatchWriteItem', { RequestItems: { [tableName]: requests } });
    }
  }

  #send(operation: string, body: string): Promise<Answer> {
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      'x-amz-date': '20260101T000000Z',
    };
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest(this.#engine, { method: 'POST', headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 500, text: Buffer.concat(chunks).toString() }));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}

/** Every gzip object under a prefix. */
export async function readObjects(s3: S3Client, bucket: string, prefix: string): Promise<readonly StoredObject[]> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
  const objects: StoredObject[] = [];
  for (const { Key = '' } of Contents) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
    const text = gunzipSync((await Body?.transformToByteArray()) ?? new Uint8Array()).toString();
    objects.push({ key: Key, lines: text.split('\n').filter((line) => line !== '') });
  }
  return objects;
}
