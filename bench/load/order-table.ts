import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { hashName, rangeName } from './items.ts';

/** A table for orders, without indexes. */
export async function createOrderTable(client: DynamoDBClient, name: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: hashName, KeyType: 'HASH' },
        { AttributeName: rangeName, KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [hashName, rangeName].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    }),
  );
}
