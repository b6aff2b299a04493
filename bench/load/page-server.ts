import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { orderItem } from './items.ts';

/** Orders of a page, near the megabyte at which DynamoDB ends one. */
const pageItems = 2_800;

interface ScanRequest {
  readonly Segment?: number;
  readonly TotalSegments?: number;
  readonly ExclusiveStartKey?: { readonly SK: { readonly S: string } };
}

/** Items go round the segments; a page's key ends in its last item's number. */
function page(items: number, { Segment = 0, TotalSegments = 1, ExclusiveStartKey: from }: ScanRequest): object {
  const first = from === undefined ? Segment : Number(from.SK.S.split('order_')[1]) + TotalSegments;
  const left = Math.max(0, Math.ceil((items - first) / TotalSegments));
  const count = Math.min(pageItems, left);
  const found = Array.from({ length: count }, (_, at) => orderItem(first + at * TotalSegments));
  const last = found.at(-1);
  const next = last !== undefined && left > count ? { LastEvaluatedKey: { PK: last.PK, SK: last.SK } } : {};
  return { Items: found, Count: count, ScannedCount: count, ...next };
}

/** A table of so many orders that takes no time to read and swallows what is written. */
export async function openPages(items: number): Promise<string> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const isScan = String(request.headers['x-amz-target']).endsWith('.Scan');
    const answer = isScan ? page(items, JSON.parse(Buffer.concat(parts).toString()) as ScanRequest) : { UnprocessedItems: {} };
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
