import { expect } from 'chai';
import { dynamoClient, localCredentials } from '../../../engine/aws/clients.ts';
import { migrationStore } from '../../../engine/aws/migrate/migration-store.ts';
import { openRecordingServer } from '../../support/recording-server.ts';

/** What a batch of two statements is said to have consumed by a server that answers so. */
async function consumedBy(ConsumedCapacity: readonly object[] | undefined): Promise<number | undefined> {
  const server = await openRecordingServer(() => ({ Responses: [{}, {}], ...(ConsumedCapacity && { ConsumedCapacity }) }));
  const client = dynamoClient({ region: 'us-east-1', endpoint: server.endpoint, maxAttempts: 1, credentials: localCredentials });
  const statement = { Statement: 'UPDATE "t" SET "a"=? WHERE "id"=?', Parameters: [{ S: '1' }, { S: '2' }] };
  try {
    const outcome = await migrationStore(client).execute('t', [statement, statement]);
    expect(outcome.kind).to.equal('answered');
    return outcome.kind === 'answered' ? outcome.consumed : -1;
  } finally {
    client.destroy();
    await server.close();
  }
}

describe('what a batch of statements consumed', () => {
  it('is the sum of what the server names, and unknown where it names nothing: then it was not free', async () => {
    expect(await consumedBy([{ CapacityUnits: 3 }, { CapacityUnits: 1.5 }])).to.equal(4.5);
    expect(await consumedBy([])).to.equal(undefined);
    expect(await consumedBy(undefined)).to.equal(undefined);
  });
});
