import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { dynamoClient, localCredentials } from '../../../engine/aws/clients.ts';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../../engine/cli/read-environment.ts';
import { compareStack } from '../../../engine/core/tables/compare-stack.ts';
import { engineNames } from '../../../engine/local/choose-engine.ts';
import { openDynamo } from '../../../engine/local/local-engine.ts';
import { ensureTable } from '../../../engine/run/tables/ensure-tables.ts';
import { omsTradingData } from '../../../tables/catalogue.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { skipWithout } from '../../support/java.ts';
import { testConfig } from '../../support/test-engine.ts';

const name = physicalName(omsTradingData, testConfig);

for (const engine of engineNames) {
  describe(`tables as they are declared, on ${engine}`, () => {
    skipWithout(engine);

    it('are created once; indexes that are missing are added, one after the other, and waited for', async () => {
      const service = await openDynamo({ data: { kind: 'memory' }, engine });
      const client = dynamoClient({ region: testConfig.region, endpoint: service.endpoint, credentials: localCredentials });
      const store = dynamoStore(client);
      const ensure = () => ensureTable({ store, config: testConfig, sleep }, omsTradingData);
      try {
        expect(await ensure()).to.deep.equal({ created: true, indexes: [] });
        expect(await ensure()).to.deep.equal({ created: false, indexes: [] });
        for (const IndexName of ['GSI1', 'GSI3']) {
          await client.send(
            new UpdateTableCommand({ TableName: name, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName } }] }),
          );
          while (JSON.stringify((await store.describeTable(name))?.indexes).includes(IndexName)) await sleep(20);
        }
        expect(await ensure()).to.deep.equal({ created: false, indexes: ['GSI1', 'GSI3'] });
        const found = await store.describeTable(name);
        expect(compareStack([{ table: omsTradingData, found }], testConfig, new Set()).differences).to.deep.equal([]);
      } finally {
        client.destroy();
        await service.release();
      }
    });
  });
}
