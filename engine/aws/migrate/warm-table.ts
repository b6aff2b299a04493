import { type DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import type { WarmRequest } from '../../core/migrate/plan-warming.ts';
import { storeError } from '../store/store-error.ts';

/** Asks DynamoDB to take so many writes at once. */
export async function warmTable(client: DynamoDBClient, request: WarmRequest, signal: AbortSignal): Promise<void> {
  try {
    await client.send(new UpdateTableCommand(request), { abortSignal: signal });
  } catch (error) {
    throw storeError(request.TableName, error);
  }
}
