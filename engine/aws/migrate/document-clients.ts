import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBClient } from '../clients.ts';
import { type GateOptions, gateRequests } from './gate-requests.ts';

export interface DocumentClients {
  /** A document client within the budgets, until the signal. */
  readonly open: (signal: AbortSignal, hold?: () => Promise<void>) => DynamoDBDocument;
  /** Lets go of the connections of all that were opened. */
  readonly close: () => void;
}

/** The client for plain objects. Numbers come as NumberValue with all their digits; `undefined` members are left out. */
export function documentClient(client: DynamoDBClient): DynamoDBDocument {
  // It puts its own middleware before each command's, which a stack put together once would not see.
  client.config.cacheMiddleware = false;
  return DynamoDBDocument.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: true },
  });
}

/** The clients of custom steps. `makeClient` gives one of its own each time, made with `maxAttempts: 1`. */
export function documentClients(
  makeClient: () => DynamoDBClient,
  options: Omit<GateOptions, 'signal' | 'hold'>,
): DocumentClients {
  const opened: DynamoDBClient[] = [];
  return {
    open: (signal, hold) => {
      const client = makeClient();
      opened.push(client);
      gateRequests(client, { ...options, signal, hold });
      return documentClient(client);
    },
    close: () => {
      for (const client of opened.splice(0)) client.destroy();
    },
  };
}
