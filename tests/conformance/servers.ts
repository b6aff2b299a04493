import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBClient, dynamoClient, isAmazon, localCredentials } from '../../engine/aws/clients.ts';
import { openDynamo } from '../../engine/local/local-engine.ts';
import { enginesHere } from '../support/java.ts';

/** A server that the suite runs on. */
export interface Server {
  readonly name: string;
  readonly endpoint: string;
  readonly region: string;
  /** A client as the SDK makes it, without this toolkit's adapter. */
  client(maxAttempts?: number): DynamoDBClient;
  close(): Promise<void>;
}

/** Where `npm run conformance -- --endpoint URL` leaves the address of another server. */
export const endpointVariable = 'TABLEWRIGHT_CONFORMANCE_ENDPOINT';

const region = 'us-east-1';

/** The engines of this machine, and the server that was named. The first one is what the others are compared with. */
export async function openServers(): Promise<readonly Server[]> {
  const engines = await Promise.all(enginesHere().toReversed().map(openEngine));
  const endpoint = process.env[endpointVariable];
  return endpoint === undefined ? engines : [...engines, namedServer(endpoint)];
}

async function openEngine(engine: ReturnType<typeof enginesHere>[number]): Promise<Server> {
  const service = await openDynamo({ data: { kind: 'memory' }, engine });
  const credentials = localCredentials;
  return {
    name: engine,
    endpoint: service.endpoint,
    region,
    client: (maxAttempts = 3) => dynamoClient({ region, endpoint: service.endpoint, credentials, maxAttempts }),
    close: () => service.release(),
  };
}

/** Someone else's: with the caller's credentials, and what the suite makes there is taken away again. */
function namedServer(endpoint: string): Server {
  // Here once more: the variable can be set without `run.ts`.
  if (isAmazon(endpoint)) throw new Error('the suite makes and deletes tables; it is for servers that are not AWS');
  const client = (maxAttempts = 3) => dynamoClient({ region, endpoint, maxAttempts });
  return { name: endpoint, endpoint, region, client, close: () => Promise.resolve() };
}

export async function deleteTables(server: Server, names: readonly string[]): Promise<void> {
  const client = server.client();
  for (const TableName of names) await client.send(new DeleteTableCommand({ TableName })).catch(() => undefined);
  client.destroy();
}
