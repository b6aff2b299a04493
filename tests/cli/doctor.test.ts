import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { markets } from '../../tables/catalogue.ts';
import { linkProject } from '../support/project-folder.ts';
import { runCli } from '../support/run-cli.ts';
import { useEngine } from '../support/test-engine.ts';

describe('doctor, on an index that no catalogue has', function () {
  this.timeout(60_000);
  const engine = useEngine();
  let folder = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tablewright-doctor-'));
    await linkProject(folder);
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

describe('doctor --hot-keys', function () {
  this.timeout(60_000);
  const engine = useEngine();
  let folder = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tablewright-doctor-'));
    await linkProject(folder);
    await writeFile(join(folder, 'Pulumi.test.yaml'), 'config:\n  aws:region: us-east-1\n');
    const market = (at: number) => ({
      id: { S: `m${at}` },
      statusKey: { S: 'x' },
      gsi1pk: { S: at < 60 ? 'STATUS#Active' : `STATUS#${at % 4}` },
      gsi1sk: { S: `2026-01-01T00:00:00.${String(at).padStart(3, '0')}Z` },
    });
    const [index] = markets.indexes;
    const named = ({ gsi1pk, gsi1sk, ...rest }: ReturnType<typeof market>) => ({
      ...rest,
      ...(index === undefined ? {} : { [index.hash[0]?.name ?? 'none']: gsi1pk, [index.range[0]?.name ?? 'none']: gsi1sk }),
    });
    await engine().putRaw(
      markets,
      Array.from({ length: 80 }, (_, at) => named(market(at))),
    );
  });

  after(() => rm(folder, { recursive: true, force: true }));

  const run = (...more: readonly string[]) =>
    runCli(folder, ['doctor', '--stack', 'test', '--endpoint', engine().endpoint, ...more]);

  it('tells the keys of each index that exists, the share of the largest, and what its partition takes', async () => {
    const { stdout } = await run('--hot-keys', '--json');
    const { hotKeys } = JSON.parse(stdout) as { readonly hotKeys: readonly Record<string, unknown>[] };
    const index = hotKeys.find(({ table, part }) => table === 'markets-test' && part !== '');
    expect(index).to.deep.include({ keys: 5, exact: true, share: 0.75, largest: '{"S":"STATUS#Active"}' });
    expect(index?.unitsPerSecond).to.be.closeTo(1_333.3, 0.1);
    expect((await run('--hot-keys', '--sample', '32')).stdout).to.match(/markets-test +\S+ +some \d+ .* \d+ items\n/);
  });

  it('is looked for only on request', async () => {
    expect((await run()).stdout).not.to.contain('partition');
    expect((await run('--sample', '5')).code).to.equal(2);
  });
});
