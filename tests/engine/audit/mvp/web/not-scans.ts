import { DynamoDBDocument, type ScanCommandInput, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { createClient } from 'redis';
import { from, scan } from 'rxjs';
import { ScanCommand } from '../lib/scanner';

/** Nothing here reads a table: new ScanCommand({ TableName: 'orders' }) is only mentioned. */
export const hint = "doc.scan({ TableName: 'orders' })";
export type Input = ScanCommandInput & ScanCommandOutput;

const redis = createClient();
export const keys = () => redis.scan(0, { MATCH: 'session:*' });
export const totals = from([1, 2, 3]).pipe(scan((sum, value) => sum + value, 0));
export const badge = new ScanCommand({ device: 'door' });

class Scanner {
  scan(frame: { width: number }) {
    return frame.width;
  }
}
export const width = new Scanner().scan({ width: 3 });

function paginateScan(pages: number) {
  return pages * 2;
}
export const doubled = paginateScan(3);

export async function shadowed(doc: Scanner) {
  return doc.scan({ width: 1 });
}

const doc = DynamoDBDocument.from({} as never);
export const one = (id: string) => doc.get({ TableName: 'orders', Key: { id } });
