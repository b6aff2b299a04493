import { type DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { storeError } from '../store/store-error.ts';

/** Begins to drop an index. One that is gone or going already is no failure: a run that was cut off asks again. */
export async function deleteIndex(client: DynamoDBClient, tableName: string, index: string, signal?: AbortSignal): Promise<void> {
  const command = new UpdateTableCommand({
    TableName: tableName,
    GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: index } }],
  });
  try {
    await client.send(command, signal === undefined ? {} : { abortSignal: signal });
  } catch (error) {
    // UpdateTable API reference: ResourceInUseException while it is being dropped, ResourceNotFoundException afterwards.
    const name = error instanceof Error ? error.name : '';
    if (name === 'ResourceInUseException' || name === 'ResourceNotFoundException') return;
    throw storeError(tableName, error);
  }
}
