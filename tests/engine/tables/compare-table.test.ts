import { DeleteTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import type { TableDescription } from '../../../engine/core/store/store.ts';
import { compareTable } from '../../../engine/core/tables/compare-table.ts';
import { createTableRequest } from '../../../engine/core/tables/create-table.ts';
import { backtestResults } from '../../../tables/backtest/results.ts';
import { marketOrders } from '../../../tables/markets/orders.ts';
import { parseStackConfig, physicalName } from '../../../tables/model/stack/stack-config.ts';
import { omsTradingData } from '../../../tables/oms/trading-data.ts';
import { tables } from '../../support/project.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';

describe('what the engine creates', () => {
  const engine = useEngine();

  it('is what the catalogue says, for every table', async () => {
    for (const table of tables) {
      const found = await engine().environment.store.describeTable(physicalName(table, testConfig));
      expect(compareTable(table, testConfig, found), table.name).to.deep.equal([]);
    }
  });

  it('is provisioned in production where the catalogue says so', () => {
    const config = parseStackConfig('prod', { 'tablewright:production': true }, tables);
    const request = createTableRequest(backtestResults, config);
    expect(request.BillingMode).to.equal('PROVISIONED');
    expect(request.ProvisionedThroughput).to.deep.equal({ ReadCapacityUnits: 10, WriteCapacityUnits: 20 });
    expect(createTableRequest(omsTradingData, config).BillingMode).to.equal('PAY_PER_REQUEST');
  });
});

describe('the comparison with the catalogue', () => {
  const engine = useEngine([omsTradingData, marketOrders]);
  const name = physicalName(omsTradingData, testConfig);
  let sound: TableDescription;

  before(async () => {
    const found = await engine().environment.store.describeTable(name);
    if (found === undefined) throw new Error('no table');
    sound = found;
  });

  const differences = (change: Partial<TableDescription>) =>
    compareTable(omsTradingData, testConfig, { ...sound, ...change }).map(
      ({ what, expected, found }) => `${what}: ${expected} ≠ ${found}`,
    );

  it('finds a key, a projection, an index, a ttl, billing or encryption that differs', () => {
    expect(differences({})).to.deep.equal([]);
    expect(differences({ key: [{ AttributeName: 'PK', KeyType: 'HASH' }] })).to.deep.equal(['key: PK (S) / SK (S) ≠ PK (S)']);
    expect(differences({ attributes: { ...sound.attributes, SK: 'N' } })).to.deep.equal([
      'key: PK (S) / SK (S) ≠ PK (S) / SK (N)',
    ]);
    expect(differences({ indexes: sound.indexes.slice(1) })).to.deep.equal(['index GSI1: GSI1_PK (S) / GSI1_SK (S) ≠ missing']);
    const wide = sound.indexes.map((index) => ({ ...index, projection: { ProjectionType: 'ALL' as const } }));
    expect(differences({ indexes: wide })).to.deep.equal(['index GSI2 projection: KEYS_ONLY ≠ ALL']);
    const building = sound.indexes.map((index) => (index.name === 'GSI3' ? { ...index, status: 'CREATING' } : index));
    expect(differences({ indexes: building })).to.deep.equal(['index GSI3: ACTIVE ≠ CREATING']);
    const extra = [...sound.indexes, { ...(sound.indexes[0] as (typeof sound.indexes)[number]), name: 'GSI9' }];
    expect(differences({ indexes: extra })).to.deep.equal(['index GSI9: not in the catalogue ≠ GSI1_PK (S) / GSI1_SK (S)']);
    expect(differences({ ttl: { status: 'DISABLED', attribute: undefined } })).to.deep.equal(['ttl: ttl ≠ off']);
    expect(differences({ ttl: { status: 'ENABLED', attribute: 'expires' } })).to.deep.equal(['ttl: ttl ≠ expires']);
    expect(differences({ billing: 'PROVISIONED' })).to.deep.equal(['billing: PAY_PER_REQUEST ≠ PROVISIONED']);
    expect(differences({ encryption: undefined })).to.deep.equal(['encryption: KMS ≠ none of its own']);
  });

  it('sees it on a real table too', async () => {
    await engine().client.send(
      new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification: { Enabled: false, AttributeName: 'ttl' } }),
    );
    const found = await engine().environment.store.describeTable(name);
    expect(compareTable(omsTradingData, testConfig, found).map(({ what }) => what)).to.deep.equal(['ttl']);
    const orders = physicalName(marketOrders, testConfig);
    await engine().client.send(new DeleteTableCommand({ TableName: orders }));
    const gone = await engine().environment.store.describeTable(orders);
    expect(compareTable(marketOrders, testConfig, gone)).to.deep.equal([
      { table: orders, what: 'table', expected: 'ACTIVE', found: 'missing' },
    ]);
  });
});
