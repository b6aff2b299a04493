import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ListTagsOfResourceCommand,
} from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { dynamoClient } from '../../engine/aws/clients.ts';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { createTableRequest } from '../../engine/core/tables/create-table.ts';
import type { Service } from '../../engine/local/shared-service.ts';
import { ensureTable } from '../../engine/run/tables/ensure-tables.ts';
import { physicalName } from '../../tables/model/stack/stack-config.ts';
import { openTestDynamo, testEngine } from '../support/open-engine.ts';
import { tables } from '../support/project.ts';
import { bootTimeoutMs } from './support/boot.ts';
import { bootedStack } from './support/booted-stacks.ts';
import { named, tableType } from './support/registered.ts';
import { configOf } from './support/stack-file.ts';
import { apiFacts, registeredFacts } from './support/table-facts.ts';

/** Amazon's engine takes tags and encryption and shows neither (docs/engines.md). */
const shows = { tags: testEngine !== 'dynamodb-local', encryption: testEngine !== 'dynamodb-local' };

describe('what the program registers and what the local engine creates come out equal', function () {
  this.timeout(bootTimeoutMs);

  let service: Service | undefined;
  let client: DynamoDBClient | undefined;

  before(async () => {
    service = await openTestDynamo();
    client = dynamoClient({ region: 'us-east-1', endpoint: service.endpoint });
  });

  after(async () => {
    client?.destroy();
    await service?.release();
  });

  for (const stack of ['dev', 'prod'] as const) {
    for (const table of tables) {
      it(`${table.name}, stack ${stack}, in the request to create it`, async () => {
        const registered = named((await bootedStack(stack)).resources, tableType, table.name);
        const request = createTableRequest(table, configOf(stack));
        expect(apiFacts(request, request.Tags)).to.deep.equal(registeredFacts(registered));
      });

      it(`${table.name}, stack ${stack}, in a real engine, TTL included`, async () => {
        if (client === undefined) throw new Error('the engine did not start');
        const config = configOf(stack);
        const registered = named((await bootedStack(stack)).resources, tableType, table.name);
        await ensureTable({ store: dynamoStore(client), config, sleep }, table);
        const TableName = physicalName(table, config);
        const { Table } = await client.send(new DescribeTableCommand({ TableName }));
        const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
        const { Tags = [] } = shows.tags
          ? await client.send(new ListTagsOfResourceCommand({ ResourceArn: Table?.TableArn }))
          : { Tags: createTableRequest(table, config).Tags };
        const expected = registeredFacts(registered);
        const facts = Table === undefined ? Table : apiFacts(Table, Tags);
        expect(facts).to.deep.equal(shows.encryption ? expected : { ...expected, encrypted: false });
        const enabled = ttl?.TimeToLiveStatus === 'ENABLED';
        const found = enabled ? { enabled, attributeName: ttl.AttributeName } : { enabled };
        expect(found).to.deep.equal(registered.inputs.ttl);
      });
    }
  }
});
