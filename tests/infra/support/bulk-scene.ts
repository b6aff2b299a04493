import { ScanCommand, StartBulkPutItemsCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import type { GuardedStack } from '../../support/enforcing-front/guarded-stack.ts';
import { place } from './fake-aws.ts';

/** Another stack of the same account puts in bulk; gives the operation's ARN. */
export async function putElsewhere({ bulk, bucket }: GuardedStack): Promise<string> {
  const client = dynamoClient({ region: place.region, endpoint: bulk.endpoint });
  const at = { S3Bucket: bucket, S3KeyPrefix: 'elsewhere/' };
  const { BulkOperationDescription } = await client.send(
    new StartBulkPutItemsCommand({
      TableName: 'orders',
      MaxWriteRequestUnits: 1_024,
      InputS3Configuration: { ...at, InputFormat: 'DYNAMODB_JSON', InputCompressionType: 'GZIP' },
      OutputS3Configuration: { ...at, OutputType: ['ERROR'] },
    }),
  );
  client.destroy();
  return BulkOperationDescription?.BulkOperationArn ?? '';
}

/** As if the run that started the bulk put had been killed before it heard of its ARN. */
export async function forgetStarted({ behind }: GuardedStack): Promise<void> {
  const TableName = 'tablewright-ledger-dev';
  const { Items = [] } = await behind.client.send(
    new ScanCommand({ TableName, FilterExpression: 'attribute_exists(clientToken)' }),
  );
  const [record] = Items;
  if (record === undefined || Items.length > 1) throw new Error(`expected one bulk import in the ledger, found ${Items.length}`);
  const Key = Object.fromEntries(Object.entries(record).filter(([name]) => name === 'PK' || name === 'SK'));
  await behind.client.send(
    new UpdateItemCommand({
      TableName,
      Key,
      UpdateExpression: 'SET #state = :starting REMOVE arn',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ':starting': { S: 'starting' } },
    }),
  );
}
