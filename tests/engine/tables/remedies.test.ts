import { expect } from 'chai';
import type { TableDescription } from '../../../engine/core/store/store.ts';
import { compareTable } from '../../../engine/core/tables/compare-table.ts';
import { compareTags } from '../../../engine/core/tables/compare-tags.ts';
import { backtestResults } from '../../../tables/backtest/results.ts';
import { control } from '../../../tables/markets/control.ts';
import { parseStackConfig, physicalName, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { plainSettings } from '../../support/plain-settings.ts';
import { tables } from '../../support/project.ts';

const configOf = (settings: object): StackConfig => parseStackConfig('qa', { 'aws:region': 'eu-west-1', ...settings }, tables);

/** The table as a deployment left it, with other things. */
function deployed(table: Table, config: StackConfig, change: Partial<TableDescription>): TableDescription {
  const { hash, range } = table.key;
  const capacity = { read: 0, write: 0 };
  return {
    name: physicalName(table, config),
    status: 'ACTIVE',
    key: [
      { AttributeName: hash.name, KeyType: 'HASH' },
      ...(range === undefined ? [] : [{ AttributeName: range.name, KeyType: 'RANGE' as const }]),
    ],
    attributes: { [hash.name]: hash.type, ...(range === undefined ? {} : { [range.name]: range.type }) },
    billing: 'PAY_PER_REQUEST',
    capacity,
    encryption: 'KMS',
    itemCount: 0,
    bytes: 0,
    ttl: { status: 'ENABLED', attribute: table.ttl },
    indexes: [],
    settings: plainSettings,
    ...change,
  };
}

const remedyOf = (table: Table, config: StackConfig, what: string, change: Partial<TableDescription> = {}) =>
  compareTable(table, config, deployed(table, config, change)).find((difference) => difference.what === what)?.remedy;

const set = (path: string, value: string) => `npx pulumi config set --path 'tablewright:${path}' ${value} -s qa`;
const rm = (path: string) => `npx pulumi config rm --path 'tablewright:${path}' -s qa`;
const up = 'npx pulumi up -s qa';

describe('a difference that one deployment does not make go', () => {
  it('is a scaled table on demand: two deployments, the setting where the billing stands', () => {
    const scaled = { mode: 'provisioned', read: 5, write: 5, max: { read: 9 } };
    const ofStack = remedyOf(backtestResults, configOf({ 'tablewright:billing': scaled }), 'billing');
    expect(ofStack?.why).to.match(/^a table that scales turns to provisioned in two deployments;/);
    expect(ofStack?.commands).to.deep.equal([set('billing.drift', 'correct'), up, rm('billing.drift'), up]);
    const own = configOf({ 'tablewright:tables': { 'crypto-backtest-results': { billing: scaled } } });
    const path = 'tables["crypto-backtest-results"].billing';
    expect(remedyOf(backtestResults, own, 'billing')?.commands).to.deep.equal([
      set(`${path}.drift`, 'correct'),
      up,
      rm(`${path}.drift`),
      up,
    ]);
  });

  it('is one that the catalogue has scale: its billing is written down for the one deployment', () => {
    const path = 'tables["crypto-backtest-results"].billing';
    const production = configOf({ 'tablewright:production': true });
    expect(remedyOf(backtestResults, production, 'billing')?.commands).to.deep.equal([
      set(`${path}.mode`, 'provisioned'),
      set(`${path}.read`, '10'),
      set(`${path}.write`, '20'),
      set(`${path}.max.read`, '100'),
      set(`${path}.max.write`, '200'),
      set(`${path}.drift`, 'correct'),
      up,
      rm(path),
      up,
    ]);
  });

  it('is none where nothing scales, where the capacity is written anyway, and on the way back to on-demand', () => {
    const fixed = { mode: 'provisioned', read: 5, write: 5 };
    for (const billing of [fixed, { ...fixed, max: { read: 9 }, drift: 'correct' }]) {
      const config = configOf({ 'tablewright:billing': billing });
      expect(compareTable(backtestResults, config, deployed(backtestResults, config, {})).map(({ what }) => what)).to.include(
        'billing',
      );
      expect(remedyOf(backtestResults, config, 'billing')).to.equal(undefined);
    }
    expect(remedyOf(backtestResults, configOf({}), 'billing', { billing: 'PROVISIONED' })).to.equal(undefined);
  });

  it('is a TTL on another attribute: off first, an hour later on; a TTL that is off takes one deployment', () => {
    const moved = remedyOf(control, configOf({}), 'ttl', { ttl: { status: 'ENABLED', attribute: 'expires' } });
    expect(moved?.why).to.contain('an hour later');
    expect(moved?.commands).to.deep.equal([
      "aws dynamodb update-time-to-live --region eu-west-1 --table-name control-qa --time-to-live-specification 'Enabled=false,AttributeName=expires'",
      'npx pulumi up --refresh -s qa',
    ]);
    expect(remedyOf(control, configOf({}), 'ttl', { ttl: { status: 'DISABLED', attribute: undefined } })).to.equal(undefined);
  });

  it('is a table with another key: a deployment would replace it', () => {
    const key = [{ AttributeName: 'id', KeyType: 'HASH' as const }];
    expect(remedyOf(control, configOf({}), 'key', { key })?.why).to.match(/^a deployment would replace the table, and its items/);
  });
});

describe('the tags of a deployed table', () => {
  const config = configOf({ 'tablewright:tags': { team: 'desk' } });
  const sound = { Environment: 'qa', Service: 'markets', Table: 'control', team: 'desk' };

  it('are as they should be, whatever else hangs on the table', () => {
    expect(compareTags(control, config, { ...sound, 'aws:cloudformation:stack-name': 'x' })).to.deep.equal([]);
  });

  it('are named where they are missing or others', () => {
    const { team: _, ...rest } = sound;
    expect(compareTags(control, config, { ...rest, Environment: 'prod' })).to.deep.equal([
      { table: 'control-qa', what: 'tags', expected: 'team=desk, Environment=qa', found: 'no team, Environment=prod' },
    ]);
  });
});
