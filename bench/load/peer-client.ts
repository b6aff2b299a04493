import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { credentials, region } from './contender.ts';

/** The SDK's client as it comes, which is what the peers' own documentation passes to them. */
export function peerClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({ region, endpoint, credentials });
}
