import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../../engine/cli/read-environment.ts';
import type { Service } from '../../../engine/local/shared-service.ts';
import { ensureTable } from '../../../engine/run/tables/ensure-tables.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { parseStackConfig, physicalName } from '../../../tables/model/stack/stack-config.ts';
import { openTestDynamo } from '../../support/open-engine.ts';
import { tables as catalogue } from '../../support/project.ts';
import { repository, runCli } from '../../support/run-cli.ts';

describe('a damaged ledger at the command line', () => {
  let service: Service;
  const config = parseStackConfig('dev', {}, catalogue);
  const cli = (...words: readonly string[]) => runCli(repository, [...words, '--endpoint', service.endpoint]);
  const store = async (item: Item) => {
    const client = dynamoClient({ region: config.region, endpoint: service.endpoint });
    await client.send(new PutItemCommand({ TableName: physicalName(ledger, config), Item: item }));
    client.destroy();
  };
  const lock: Item = { PK: { S: 'LOCK#migrate' }, SK: { S: 'LEASE' }, token: { S: 'seven' } };

  before(async () => {
    service = await openTestDynamo();
    const client = dynamoClient({ region: config.region, endpoint: service.endpoint });
    await ensureTable({ store: dynamoStore(client), config, sleep }, ledger);
    client.destroy();
  });
  after(() => service.release());

  it('shows a damaged lock as such, and ends it with --force', async () => {
    await store(lock);
    const shown = await cli('unlock');
    expect([shown.code, shown.stdout]).to.deep.equal([
      1,
      [
        'Its record is damaged, so who holds it cannot be told:',
        '  - token: expected type N, found S',
        "→ Make sure that nobody runs migrations; then 'tablewright unlock --force' ends it now.",
        '',
      ].join('\n'),
    ]);
    const broken = await cli('unlock', '--force');
    expect([broken.code, broken.stdout.split('\n').at(-2)]).to.deep.equal([
      0,
      'Broken: whoever held it can write nothing more to the ledger and stops.',
    ]);
    expect((await cli('unlock')).stdout).to.equal('The lock is free.\n');
  });

  it('shows a lock of a newer version as such, and ends it with --force', async () => {
    await store({ ...lock, format: { N: '3' } });
    const shown = await cli('unlock');
    expect(shown.code).to.equal(2);
    expect(shown.stdout).to.contain('written by a newer version of tablewright (format 3)');
    expect((await cli('unlock', '--force')).code).to.equal(0);
  });

  it('is named by whoever reads it and put right by repair, which says what that means', async () => {
    await store({ PK: { S: 'MIGRATIONS' }, SK: { S: '0001-index-oms-config' }, state: { S: 'verified' } });
    const status = await cli('status');
    expect([status.code, status.stderr.split('\n')[0]]).to.deep.equal([
      1,
      "LEDGER_DAMAGED: the ledger's record MIGRATIONS / 0001-index-oms-config is damaged",
    ]);
    const repaired = await cli('repair');
    expect(repaired.stdout.split('\n')[0]).to.equal(
      "MIGRATIONS / 0001-index-oms-config (STATE): dropped: nothing else is known of it, so it counts as never run; 'tablewright migrate' runs it",
    );
    expect([repaired.code, (await cli('repair')).stdout]).to.deep.equal([0, 'Nothing to repair.\n']);
  });
});
