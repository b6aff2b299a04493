import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { credentials, region } from './contender.ts';

/**
 * The SDK's client as it comes, which is what the peers' own documentation passes to them; with more connections than its 50
 * where a contender has more in flight.
 */
export function peerClient(endpoint: string, inFlight = 0): DynamoDBClient {
  const more = inFlight > 50 ? { requestHandler: { httpAgent: { keepAlive: true, maxSockets: inFlight } } } : {};
  return new DynamoDBClient({ region, endpoint, credentials, ...more });
}
