import { DeleteTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '../../engine/aws/clients.ts';
import { openDynamo } from '../../engine/local/local-engine.ts';
import { forkCompiled } from '../fork-compiled.ts';
import { region } from '../load/contender.ts';
import type { Measured } from './contender-process.ts';
import type { BackfillJob } from './job.ts';
import { createOrders, fillOrders } from './table.ts';

/** One contender in a process of its own. */
export function runContender(contender: string, job: BackfillJob): Promise<Measured> {
  const child = forkCompiled('backfill/contender-process.ts', [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Measured));
    child.once('exit', (code) => reject(new Error(`${contender} ended with code ${code}`)));
    child.send({ module: `./${contender}.js`, job });
  });
}

/** A new engine for each measurement, with so many orders: a store that has seen the work of another is not the same store. */
export async function withEngine<T>(
  contender: string,
  count: number,
  work: (client: DynamoDBClient, job: BackfillJob) => Promise<T>,
): Promise<T> {
  const engine = await openDynamo({ data: { kind: 'memory' } });
  const client = dynamoClient({ region, endpoint: engine.endpoint });
  const name = `orders-${contender}`;
  try {
    await createOrders(client, name);
    await fillOrders(client, name, count);
    const result = await work(client, { endpoint: engine.endpoint, table: name, count });
    await client.send(new DeleteTableCommand({ TableName: name }));
    return result;
  } finally {
    client.destroy();
    await engine.release();
  }
}
