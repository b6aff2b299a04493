import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { runCli } from '../support/run-cli.ts';
import { useEngine } from '../support/test-engine.ts';

describe('doctor, on an index that no catalogue has', function () {
  this.timeout(60_000);
  const engine = useEngine();
  let folder = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tablewright-doctor-'));
    await writeFile(join(folder, 'Pulumi.test.yaml'), 'config:\n  aws:region: us-east-1\n');
  });

  after(() => rm(folder, { recursive: true, force: true }));

  const doctor = () => runCli(folder, ['doctor', '--stack', 'test', '--endpoint', engine().endpoint]);
  const addIndex = (table: string) =>
    engine().client.send(
      new UpdateTableCommand({
        TableName: table,
        AttributeDefinitions: [{ AttributeName: 'old', AttributeType: 'S' }],
        GlobalSecondaryIndexUpdates: [
          {
            Create: {
              IndexName: 'Leftover',
              KeySchema: [{ AttributeName: 'old', KeyType: 'HASH' }],
              Projection: { ProjectionType: 'ALL' },
            },
          },
        ],
      }),
    );

  it('says what drops the last one of a table, because Pulumi would not; of any other, that Pulumi does', async () => {
    await addIndex('control-test');
    const command = `aws dynamodb update-table --region us-east-1 --table-name control-test --global-secondary-index-updates '[{"Delete":{"IndexName":"Leftover"}}]'`;
    const remedy = `control-test, index Leftover: Pulumi leaves an index in place where a table keeps none; drop it with:\n  ${command}\n`;
    const alone = await doctor();
    expect(alone.code).to.equal(1);
    expect(alone.stdout).to.contain('control-test  index Leftover  not in the catalogue  old (S)');
    expect(alone.stdout.split('\n\n')[1]).to.contain(
      `1 difference in stack test; a deployment alone does not make it so.\n${remedy}`,
    );
    await addIndex('orders-test');
    expect((await doctor()).stdout.split('\n\n')[1]).to.contain(
      `2 differences in stack test; 'npx pulumi up --refresh -s test' makes it so, but for this.\n${remedy}`,
    );
  });
});
