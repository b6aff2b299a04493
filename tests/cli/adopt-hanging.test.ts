import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { type DynamoDBClient, dynamoClient } from '../../engine/aws/clients.ts';
import type { ImportEntry, ImportFile } from '../../engine/core/tables/import-file.ts';
import type { Adoption } from '../../engine/core/tables/plan-adoption.ts';
import type { DynamoService } from '../../engine/local/local-engine.ts';
import { sourcesTables } from '../engine/tables/sources-tables.ts';
import { boot, bootTimeoutMs } from '../infra/support/boot.ts';
import { type AnsweringProxy, openAnsweringProxy } from '../support/answering-proxy.ts';
import { urnOf } from '../support/import-urn.ts';
import { openTestDynamo } from '../support/open-engine.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { runMain } from '../support/run-main.ts';

const stack = 'old';
const results = `crypto-backtest-results-${stack}`;
const positions = `crypto-trading-positions-${stack}`;
const settings = {
  'aws:region': 'us-east-1',
  'tablewright:account': '111122223333',
  'tablewright:systems': ['backtest'],
  'tablewright:billing': { mode: 'provisioned', read: 5, write: 6, max: { read: 50, write: 60 } },
  'tablewright:tables': { 'crypto-backtest-results': { contributorInsights: 'throttled' } },
};

const target = (resource: string, dimension: string, min: number, max: number) => ({
  ServiceNamespace: 'dynamodb',
  ResourceId: resource,
  ScalableDimension: `dynamodb:${dimension}`,
  MinCapacity: min,
  MaxCapacity: max,
});
const policy = (resource: string, dimension: string, percent: number) => ({
  PolicyName: `by hand:${resource}`,
  ServiceNamespace: 'dynamodb',
  ResourceId: resource,
  ScalableDimension: `dynamodb:${dimension}`,
  PolicyType: 'TargetTrackingScaling',
  TargetTrackingScalingPolicyConfiguration: { TargetValue: percent },
});

/** As somebody made it by hand: one capacity as the file says, one otherwise, one that nothing moves yet, one of no index that counts. */
const targets = [
  target(`table/${results}`, 'table:ReadCapacityUnits', 5, 50),
  target(`table/${results}`, 'table:WriteCapacityUnits', 1, 10),
  target(`table/${results}/index/StatusIndex`, 'index:ReadCapacityUnits', 5, 50),
  // The other's name begins as this one's.
  target(`table/${results}-copy`, 'table:ReadCapacityUnits', 5, 50),
];
const policies = [
  policy(`table/${results}`, 'table:ReadCapacityUnits', 70),
  policy(`table/${results}`, 'table:WriteCapacityUnits', 50),
];
const counted = [
  { TableName: results, ContributorInsightsStatus: 'ENABLED', ContributorInsightsMode: 'THROTTLED_KEYS' },
  { TableName: results, IndexName: 'ScanIdIndex', ContributorInsightsStatus: 'ENABLING' },
  { TableName: results, IndexName: 'StatusIndex', ContributorInsightsStatus: 'DISABLED' },
  { TableName: positions, ContributorInsightsStatus: 'ENABLED' },
];

/** What AWS has beside DynamoDB's tables. */
function hanging(operation: string, body: Readonly<Record<string, unknown>>): object | undefined {
  const asked = body as { readonly ResourceIds?: readonly string[]; readonly ResourceId?: string; readonly TableName?: string };
  if (operation === 'DescribeScalableTargets') {
    return { ScalableTargets: targets.filter(({ ResourceId }) => asked.ResourceIds?.includes(ResourceId)) };
  }
  if (operation === 'DescribeScalingPolicies') {
    return { ScalingPolicies: policies.filter(({ ResourceId }) => ResourceId === asked.ResourceId) };
  }
  if (operation !== 'ListContributorInsights') return undefined;
  return { ContributorInsightsSummaries: counted.filter(({ TableName }) => TableName === asked.TableName) };
}

describe('adopt, on tables that scale and whose keys are counted', function () {
  this.timeout(bootTimeoutMs);
  let engine: DynamoService;
  let aws: AnsweringProxy;
  let client: DynamoDBClient;
  let folder: ProjectFolder;
  let file: ImportFile;
  let adoptions: readonly Adoption[];

  before(async () => {
    engine = await openTestDynamo();
    aws = await openAnsweringProxy(engine.endpoint, hanging);
    client = dynamoClient({ region: 'us-east-1', endpoint: engine.endpoint });
    folder = await projectFolder({ [stack]: JSON.stringify({ config: settings }) });
    const ProvisionedThroughput = { ReadCapacityUnits: 5, WriteCapacityUnits: 6 };
    for (const { table } of sourcesTables(stack).filter(({ table }) => table.TableName?.startsWith('crypto-'))) {
      const indexes = table.GlobalSecondaryIndexes?.map((index) => ({ ...index, ProvisionedThroughput }));
      const billed = { BillingMode: 'PROVISIONED' as const, ProvisionedThroughput };
      const GlobalSecondaryIndexes = indexes === undefined ? {} : { GlobalSecondaryIndexes: indexes };
      await client.send(new CreateTableCommand({ ...table, ...billed, ...GlobalSecondaryIndexes }));
    }
    const { code, stdout, stderr } = await runMain(folder.root, [
      ...['adopt', '--stack', stack, '--endpoint', aws.endpoint, '--json'],
    ]);
    expect(code, stderr).to.equal(0);
    ({ adoptions } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { readonly adoptions: readonly Adoption[] });
    file = JSON.parse(await readFile(join(folder.root, `adopt-${stack}.json`), 'utf8')) as ImportFile;
  });

  after(async () => {
    client?.destroy();
    await folder?.remove();
    await aws?.close();
    await engine?.release();
  });

  const short = ({ type, logicalName, id }: ImportEntry) => `${type.split(':').at(-1)} ${logicalName} ${id ?? ''}`.trim();

  it('writes what exists, by the ids that the provider takes, and nothing that the deployment is to make', () => {
    const further = file.resources.filter(({ type }) => !/ProjectStack$|DynamoTable$|:Table$/.test(type)).map(short);
    const read = `dynamodb/table/${results}/dynamodb:table:ReadCapacityUnits`;
    const write = `dynamodb/table/${results}/dynamodb:table:WriteCapacityUnits`;
    expect(further).to.have.members([
      `Target crypto-backtest-results-read ${read}`,
      `Policy crypto-backtest-results-read ${read}/by hand:table/${results}`,
      `Target crypto-backtest-results-write ${write}`,
      `Policy crypto-backtest-results-write ${write}/by hand:table/${results}`,
      `Target crypto-backtest-results-StatusIndex-read dynamodb/table/${results}/index/StatusIndex/dynamodb:index:ReadCapacityUnits`,
      `ContributorInsights crypto-backtest-results name:${results}/index:/000000000000`,
      `ContributorInsights crypto-backtest-results-ScanIdIndex name:${results}/index:ScanIdIndex/000000000000`,
    ]);
    expect(new Set(file.resources.map(({ name }) => name)).size).to.equal(file.resources.length);
  });

  it('has the URNs of the program, and a policy keeps the name that somebody gave it', async () => {
    const { resources, exitCode } = await boot(stack, settings);
    expect(exitCode).to.equal(0);
    const urns = new Map(resources.map((resource) => [resource.urn, resource]));
    const imported = file.resources.map((entry) => urnOf(stack, file, entry));
    expect(imported.filter((urn) => !urns.has(urn))).to.deep.equal([]);
    // Without it the provider would give it a name of its own: another policy on the same metric, which AWS refuses.
    const policy = urns.get(imported.find((urn) => urn.includes('policy:Policy')) ?? '');
    expect(policy?.inputs).not.to.have.property('name');
    expect(policy?.options.ignoreChanges).to.deep.equal(['name']);
  });

  it('says what changes in place, and what stays because Pulumi did not make it', () => {
    const of = (name: string) => adoptions.find(({ table }) => table === name);
    const changes = of('crypto-backtest-results')?.changes;
    expect(changes).to.include.members([
      'scaling of writes turns from 1 to 10 units at 50 % to 6 to 60 units at 70 %',
      'scaling of reads of index StatusIndex turns from 5 to 50 units, moved by nothing to 5 to 50 units at 70 %',
      'scaling of writes of index StatusIndex turns from none to 6 to 60 units at 70 %',
      'Contributor Insights of index ScanIdIndex turns from accessed-and-throttled to throttled',
      'Contributor Insights of index StatusIndex turns from off to throttled',
    ]);
    expect(changes?.filter((change) => change.startsWith('scaling of reads turns'))).to.deep.equal([]);
    expect(of('crypto-trading-positions')?.changes).to.include(
      'Contributor Insights stays accessed-and-throttled, though the stack’s file says off',
    );
    expect(of('crypto-trading-positions')?.byHand).to.include(
      `aws dynamodb update-contributor-insights --region us-east-1 --table-name ${positions} --contributor-insights-action DISABLE`,
    );
  });

  it('and doctor finds the same', async () => {
    const { code, stdout } = await runMain(folder.root, ['doctor', '--stack', stack, '--endpoint', aws.endpoint]);
    expect(code).to.equal(1);
    expect(stdout).to.match(new RegExp(`${results} +scaling of writes +6 to 60 units at 70 % +1 to 10 units at 50 %`));
    expect(stdout).to.match(new RegExp(`${positions} +Contributor Insights +off +accessed-and-throttled`));
  });
});
