import { DeleteTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { storeError } from '../store/store-error.ts';

/** Begins to delete a table; it is there, DELETING, for a while. */
export async function deleteTable(client: DynamoDBClient, tableName: string, signal?: AbortSignal): Promise<void> {
  try {
    const abort = signal === undefined ? {} : { abortSignal: signal };
    await client.send(new DeleteTableCommand({ TableName: tableName }), abort);
  } catch (error) {
    throw storeError(tableName, error);
  }
}
