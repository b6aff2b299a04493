import {
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { ExpressionBuilder } from '../../core/store/expression.ts';
import { isAnswer, storeError } from './store-error.ts';

/** As long as a new table may take to be there. */
const probeSeconds = 30;

/**
 * By a small table of its own: some servers take the definition and answer by the first attribute alone, so two records that
 * differ in the second are asked for by both.
 */
export async function takesNaturalKeys(client: DynamoDBClient, TableName: string, options: object): Promise<boolean> {
  const key = (AttributeName: string, KeyType: 'HASH' | 'RANGE') => ({ AttributeName, KeyType });
  try {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['id', 'a', 'b'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [key('id', 'HASH')],
        GlobalSecondaryIndexes: [
          { IndexName: 'Natural', KeySchema: [key('a', 'HASH'), key('b', 'HASH')], Projection: { ProjectionType: 'ALL' } },
        ],
      }),
      options,
    );
  } catch (error) {
    if (!isAnswer(error)) throw storeError(undefined, error);
    return false;
  }
  try {
    await waitUntilTableExists({ client, maxWaitTime: probeSeconds, minDelay: 1, maxDelay: 1 }, { TableName });
    for (const b of ['x', 'y']) {
      await client.send(new PutItemCommand({ TableName, Item: { id: { S: b }, a: { S: 'a' }, b: { S: b } } }), options);
    }
    const found = await client.send(new QueryCommand({ TableName, IndexName: 'Natural', ...byBoth() }), options);
    return found.Items?.length === 1 && found.Items[0]?.b?.S === 'y';
  } catch (error) {
    if (!isAnswer(error)) throw storeError(undefined, error);
    return false;
  } finally {
    await client.send(new DeleteTableCommand({ TableName }));
  }
}

function byBoth() {
  const expressions = new ExpressionBuilder();
  const KeyConditionExpression = expressions.keyCondition([
    { attribute: 'a', op: 'equals', value: { S: 'a' } },
    { attribute: 'b', op: 'equals', value: { S: 'y' } },
  ]);
  return { KeyConditionExpression, ...expressions.attributes() };
}
