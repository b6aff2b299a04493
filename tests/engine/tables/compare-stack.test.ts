import { expect } from 'chai';
import type { TableDescription } from '../../../engine/core/store/store.ts';
import { compareStack } from '../../../engine/core/tables/compare-stack.ts';
import { isMissing } from '../../../engine/core/tables/compare-table.ts';
import { omsConfig, omsTradingData } from '../../../tables/catalogue.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';

describe('a stack against the catalogue', () => {
  const tables = [omsConfig, omsTradingData] as const;
  const engine = useEngine(tables);
  const pairs = (change: Partial<TableDescription>[]) =>
    Promise.all(
      tables.map(async (table, at) => {
        const found = await engine().environment.store.describeTable(physicalName(table, testConfig));
        return { table, found: found && { ...found, encryption: 'KMS', ...change[at] } };
      }),
    );
  const whats = ({ differences }: ReturnType<typeof compareStack>) => differences.map(({ table, what }) => `${table}: ${what}`);

  it('leaves out what the server cannot do, and says so apart', async () => {
    const off = { ttl: { status: 'DISABLED', attribute: undefined } };
    const without = await pairs([{}, off]);
    expect(whats(compareStack(without, testConfig, new Set()))).to.deep.equal(['oms_trading_data_test: ttl']);
    const lacking = compareStack(without, testConfig, new Set(['TTL', 'tags']));
    expect(lacking.differences).to.deep.equal([]);
    expect([...lacking.lacks]).to.deep.equal(['TTL', 'tags']);
  });

  it('takes encryption for a difference on AWS, and where another table of the server has it', async () => {
    const none = { encryption: undefined };
    const bare = await pairs([none, none]);
    expect(whats(compareStack(bare, testConfig, undefined))).to.have.length(2);
    const server = compareStack(bare, testConfig, new Set());
    expect([server.differences, [...server.lacks]]).to.deep.equal([[], ['encryption']]);
    expect(whats(compareStack(await pairs([{}, none]), testConfig, new Set()))).to.deep.equal([
      'oms_trading_data_test: encryption',
    ]);
    expect([...compareStack([{ table: omsConfig, found: undefined }], testConfig, new Set()).lacks]).to.deep.equal([]);
  });

  it('tells what is only missing from what is otherwise', async () => {
    const [config, trading] = await pairs([]);
    if (config?.found === undefined || trading?.found === undefined) throw new Error('the tables are there');
    const { differences } = compareStack(
      [
        { table: omsConfig, found: undefined },
        {
          table: omsTradingData,
          found: { ...trading.found, indexes: trading.found.indexes.slice(1), ttl: { status: 'DISABLED', attribute: undefined } },
        },
      ],
      testConfig,
      new Set(),
    );
    expect(differences.map(({ what }) => what)).to.deep.equal(['table', 'index GSI1', 'ttl']);
    expect(differences.every(isMissing)).to.equal(true);
    const other = compareStack(
      [{ table: omsTradingData, found: { ...trading.found, ttl: { status: 'ENABLED', attribute: 'expires' } } }],
      testConfig,
      new Set(),
    );
    expect(other.differences.map(isMissing)).to.deep.equal([false]);
  });
});
