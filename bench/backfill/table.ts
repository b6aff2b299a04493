import { BatchWriteItemCommand, CreateTableCommand, type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { chunks, inParallel, numbers } from '../load/contender.ts';
import { indexName, legacyOrder } from './job.ts';

const text = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' as const });

/** Orders with an index by product, which no order is in yet. */
export async function createOrders(client: DynamoDBClient, name: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['PK', 'SK', 'GSI1_PK', 'GSI1_SK'].map(text),
      KeySchema: [
        { AttributeName: 'PK', KeyType: 'HASH' },
        { AttributeName: 'SK', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: indexName,
          KeySchema: [
            { AttributeName: 'GSI1_PK', KeyType: 'HASH' },
            { AttributeName: 'GSI1_SK', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    }),
  );
}

export async function fillOrders(client: DynamoDBClient, name: string, count: number): Promise<void> {
  const batches = chunks(numbers(0, count));
  await inParallel(batches.length, 4, (at) =>
    client.send(
      new BatchWriteItemCommand({
        RequestItems: { [name]: (batches[at] ?? []).map((n) => ({ PutRequest: { Item: legacyOrder(n) } })) },
      }),
    ),
  );
}

/** How many orders the index finds. */
export async function countIndexed(client: DynamoDBClient, name: string): Promise<number> {
  let found = 0;
  for (let product = 0; product < 50; product += 1) {
    let from: QueryCommand['input']['ExclusiveStartKey'];
    do {
      const page = await client.send(
        new QueryCommand({
          TableName: name,
          IndexName: indexName,
          Select: 'COUNT',
          KeyConditionExpression: 'GSI1_PK = :pk',
          ExpressionAttributeValues: { ':pk': { S: `PRODUCT#prod_${product}` } },
          ExclusiveStartKey: from,
        }),
      );
      found += page.Count ?? 0;
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
  }
  return found;
}
