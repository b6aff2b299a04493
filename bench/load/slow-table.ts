import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';

/** A table as it is on AWS: answers take a while, and what is above its capacity is refused. */
export interface SlowTable {
  readonly answerMs: number;
  readonly unitsPerSecond: number;
}

interface Batch {
  readonly RequestItems: Readonly<Record<string, readonly object[]>>;
}

const bytesPerUnit = 1_024;
/** Unused units are kept for this long (DynamoDB keeps them for longer); hardly any are there when a table is new. */
const burstSeconds = 1;
const firstSeconds = 0.05;

/**
 * Takes BatchWriteItem within the capacity of each table and keeps nothing; a table is there when it is first named. The units
 * of an item are those of its JSON, about its size.
 */
export async function openSlowTable({ answerMs, unitsPerSecond }: SlowTable): Promise<string> {
  const buckets = new Map<string, { units: number; refilledMs: number }>();
  const bucketOf = (table: string) => {
    const nowMs = performance.now();
    const bucket = buckets.get(table) ?? { units: firstSeconds * unitsPerSecond, refilledMs: nowMs };
    const grown = bucket.units + ((nowMs - bucket.refilledMs) / 1_000) * unitsPerSecond;
    bucket.units = Math.min(grown, burstSeconds * unitsPerSecond);
    bucket.refilledMs = nowMs;
    buckets.set(table, bucket);
    return bucket;
  };
  const server = createServer(async (request, response) => {
    const { RequestItems } = (await readJson(request)) as Batch;
    const left: Record<string, object[]> = {};
    const consumed = Object.entries(RequestItems).map(([TableName, writes]) => {
      let CapacityUnits = 0;
      const bucket = bucketOf(TableName);
      for (const write of writes) {
        const cost = Math.ceil(JSON.stringify(write).length / bytesPerUnit);
        if (cost <= bucket.units) {
          bucket.units -= cost;
          CapacityUnits += cost;
        } else left[TableName] = [...(left[TableName] ?? []), write];
      }
      return { TableName, CapacityUnits };
    });
    const isRefused = consumed.every(({ CapacityUnits }) => CapacityUnits === 0);
    setTimeout(
      () => (isRefused ? refuse(response) : send(response, 200, { UnprocessedItems: left, ConsumedCapacity: consumed })),
      answerMs,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function refuse(response: ServerResponse): void {
  const __type = 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException';
  send(response, 400, { __type, message: 'The level of configured provisioned throughput for the table was exceeded.' });
}

function send(response: ServerResponse, status: number, answer: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer));
}
