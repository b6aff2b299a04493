import { expect } from 'chai';
import type { WarmRequest } from '../../../engine/core/migrate/plan-warming.ts';
import { planWarming } from '../../../engine/core/migrate/plan-warming.ts';
import type { TableDescription } from '../../../engine/core/store/store.ts';
import { warmTables } from '../../../engine/run/migrate/warm-tables.ts';
import { plainSettings } from '../../support/plain-settings.ts';

const signal = new AbortController().signal;

function table(name: string, write: number | undefined, index?: number): TableDescription {
  const capacity = { read: 0, write: 0 };
  return {
    name,
    status: 'ACTIVE',
    key: [],
    attributes: {},
    billing: 'PAY_PER_REQUEST',
    capacity,
    encryption: 'KMS',
    itemCount: 0,
    bytes: 0,
    ttl: { status: 'DISABLED', attribute: undefined },
    indexes:
      index === undefined
        ? []
        : [
            {
              name: 'by_owner',
              status: 'ACTIVE',
              key: [],
              projection: { ProjectionType: 'ALL' },
              capacity,
              warm: { write: index },
            },
          ],
    settings: { ...plainSettings, warm: write === undefined ? undefined : { write } },
  };
}

describe('warm throughput before a backfill', () => {
  it('is raised where it is below what is wanted, indexes included, at the difference’s price', () => {
    expect(planWarming([table('orders', 4_000, 6_000), table('trades', 20_000)], 10_000)).to.deep.equal([
      { table: 'orders', index: undefined, from: 4_000, to: 10_000, cost: 6_000 * 0.00065 },
      { table: 'orders', index: 'by_owner', from: 6_000, to: 10_000, cost: 4_000 * 0.00065 },
    ]);
  });

  it('leaves provisioned tables alone, and those whose server says nothing', () => {
    expect(
      planWarming([{ ...table('orders', 4_000), billing: 'PROVISIONED' }, table('trades', undefined)], 10_000),
    ).to.deep.equal([]);
  });

  it('is asked for once a table, waited for, and asked again changes nothing', async () => {
    const sent: WarmRequest[] = [];
    let now = table('orders', 4_000, 4_000);
    let looks = 0;
    const environment = {
      store: {
        describeTable: async () => {
          looks += 1;
          // It is there two looks after it was asked for.
          if (sent.length > 0 && looks === 4) now = table('orders', 9_000, 9_000);
          return sent.length > 0 && looks < 4 ? { ...now, status: 'UPDATING' } : now;
        },
      },
      warm: async (request: WarmRequest) => void sent.push(request),
      sleep: async () => undefined,
    };
    await warmTables(environment, ['orders', 'orders'], 9_000, signal);
    expect(sent).to.deep.equal([
      {
        TableName: 'orders',
        WarmThroughput: { WriteUnitsPerSecond: 9_000 },
        GlobalSecondaryIndexUpdates: [{ Update: { IndexName: 'by_owner', WarmThroughput: { WriteUnitsPerSecond: 9_000 } } }],
      },
    ]);
    expect(await warmTables(environment, ['orders'], 9_000, signal)).to.deep.equal([]);
    expect(sent).to.have.length(1);
  });
});
