import type { DynamoDBClient } from '../../engine/aws/clients.ts';
import { Patience } from '../../engine/aws/patience.ts';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { findLacks } from '../../engine/aws/store/find-features.ts';
import type { OpenStack } from '../../engine/cli/open-stack.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { physicalName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import { tables as catalogue } from './project.ts';
import { readEnvironmentOn } from './read-environment-on.ts';

/** A stack as the command line opens one, on any server; `makeClient` gives one that tries so often. */
export function stackOn(endpoint: string, config: StackConfig, makeClient: (maxAttempts?: number) => DynamoDBClient): OpenStack {
  const client = makeClient();
  const store = dynamoStore(client);
  return {
    name: 'local',
    config,
    tables: catalogue,
    endpoint,
    engine: undefined,
    client,
    store,
    patience: new Patience(new AbortController().signal),
    read: readEnvironmentOn(store, catalogue, config),
    lacks: () => findLacks(client, { table: physicalName(ledger, config) }),
    s3: () => Promise.reject(new Error('no S3 is needed here')),
    bulkClient: () => makeClient(1),
    close: async () => client.destroy(),
  };
}
