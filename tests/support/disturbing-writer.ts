/** An application that changes and deletes things while a backfill runs: node --import tsx disturbing-writer.ts ENDPOINT COUNT. */
import { DeleteItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '../../engine/aws/clients.ts';
import { physicalName } from '../../tables/model/stack/stack-config.ts';
import { seededRandom } from './fault-proxy.ts';
import { testConfig } from './test-engine.ts';
import { thingOf, things } from './toy-table.ts';

const [, , endpoint, count = '0'] = process.argv;
const client = dynamoClient({ region: testConfig.region, endpoint });
const TableName = physicalName(things, testConfig);
const random = seededRandom(7);
let stopped = false;
process.on('SIGTERM', () => {
  stopped = true;
});
const deleted: string[] = [];
const changed = new Map<string, string>();
process.stdout.write('started\n');
for (let version = 1; !stopped; version += 1) {
  const number = Math.floor(random() * Number(count));
  const { id } = thingOf(number);
  const name = id !== undefined && 'S' in id ? id.S : '';
  if (deleted.includes(name)) continue;
  if (random() < 0.15) {
    await client.send(new DeleteItemCommand({ TableName, Key: { id: { S: name } } }));
    deleted.push(name);
    continue;
  }
  // As the new application does: colour and key together.
  const colour = `colour-${version}`;
  await client.send(
    new UpdateItemCommand({
      TableName,
      Key: { id: { S: name } },
      UpdateExpression: 'SET colour = :c, #k = :k',
      ExpressionAttributeNames: { '#k': 'colour-key' },
      ExpressionAttributeValues: { ':c': { S: colour }, ':k': { S: `COLOUR#${colour}` } },
    }),
  );
  changed.set(name, colour);
}
client.destroy();
process.stdout.write(JSON.stringify({ deleted, changed: [...changed] }));
