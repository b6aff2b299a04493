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
/** Unused units are kept for this long (DynamoDB keeps them for longer); nothing is saved up when a load begins. */
const burstSeconds = 1;
const firstSeconds = 0.05;
/** A pause after which a new load begins with an empty bucket. */
const newLoadAfterMs = 250;

/** Takes BatchWriteItem within its capacity and keeps nothing. The units of an item are those of its JSON, about its size. */
export async function openSlowTable({ answerMs, unitsPerSecond }: SlowTable): Promise<string> {
  let units = 0;
  let refilledMs = Number.NEGATIVE_INFINITY;
  const refill = (): void => {
    const nowMs = performance.now();
    const isNew = nowMs - refilledMs > newLoadAfterMs;
    const kept = isNew ? firstSeconds * unitsPerSecond : units + ((nowMs - refilledMs) / 1_000) * unitsPerSecond;
    units = Math.min(kept, burstSeconds * unitsPerSecond);
    refilledMs = nowMs;
  };
  const server = createServer(async (request, response) => {
    const { RequestItems } = (await readJson(request)) as Batch;
    refill();
    const left: Record<string, object[]> = {};
    const consumed = Object.entries(RequestItems).map(([TableName, writes]) => {
      let CapacityUnits = 0;
      for (const write of writes) {
        const cost = Math.ceil(JSON.stringify(write).length / bytesPerUnit);
        if (cost <= units) {
          units -= cost;
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
