import { expect } from 'chai';
import { mathAlarm, metricsPerAlarm } from '../../infra/alarms/alarm.ts';
import { dashboardBody } from '../../infra/alarms/dashboard.ts';
import { ofTable } from '../../infra/alarms/metrics.ts';
import { stackAlarms } from '../../infra/alarms/stack-alarms.ts';
import { tableAlarms } from '../../infra/alarms/table-alarms.ts';
import { alarmDefaults } from '../../tables/model/stack/config/alarms.ts';
import type { Table } from '../../tables/model/table.ts';
import { tables } from '../support/project.ts';
import { configOf, type Settings } from './support/stack-file.ts';
import { thrown } from './support/thrown.ts';

function table(name: string): Table {
  const found = tables.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`the catalogue has no ${name}`);
  return found;
}

const alarmsOf = (name: string, changes: Settings = {}) => tableAlarms(table(name), configOf('prod', changes));
const alarm = (name: string, id: string, changes?: Settings) => {
  const found = alarmsOf(name, changes).find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`${name} has no alarm ${id}`);
  return found;
};

describe('the alarms of a table', () => {
  it('watch throttles of the table and of each index, over 10 in two periods of 300 s', () => {
    const { dimensions, metricName, threshold, period, evaluationPeriods, statistic, name } = alarm(
      'oms_trading_data',
      'oms_trading_data-GSI2-write-throttles',
    );
    expect({ dimensions, metricName, threshold, period, evaluationPeriods, statistic, name }).to.deep.equal({
      dimensions: { TableName: 'oms_trading_data_prod', GlobalSecondaryIndexName: 'GSI2' },
      metricName: 'WriteThrottleEvents',
      threshold: 10,
      period: 300,
      evaluationPeriods: 2,
      statistic: 'Sum',
      name: 'tablewright-prod-oms_trading_data-GSI2-write-throttles',
    });
  });

  it('watch system errors over all operations together, over 5 in one period: three reads and three writes are six', () => {
    const { metricQueries, threshold, evaluationPeriods } = alarm('orders', 'orders-system-errors');
    expect({ metricQueries, threshold, evaluationPeriods }).to.deep.equal({
      metricQueries: [
        {
          id: 'outcome',
          expression: `SELECT SUM(SystemErrors) FROM SCHEMA("AWS/DynamoDB", Operation, TableName) WHERE TableName = 'orders'`,
          period: 300,
          label: 'system errors',
          returnData: true,
        },
      ],
      threshold: 5,
      evaluationPeriods: 1,
    });
  });

  it('watch for partitions that are used too much, of tables and indexes', () => {
    for (const way of ['Read', 'Write']) {
      const own = alarm('orders', `orders-orders_by_owner-${way.toLowerCase()}-key-range-throttles`);
      expect(own).to.deep.include({
        metricName: `${way}KeyRangeThroughputThrottleEvents`,
        dimensions: { TableName: 'orders', GlobalSecondaryIndexName: 'orders_by_owner' },
        threshold: 10,
      });
    }
  });

  it('watch the slowest hundredth of reads, over 100 ms', () => {
    const { metricQueries = [], threshold } = alarm('crypto-backtest-results', 'crypto-backtest-results-read-latency');
    expect(threshold).to.equal(100);
    expect(metricQueries[0]?.expression).to.equal('MAX([FILL(m0, 0), FILL(m1, 0), FILL(m2, 0), FILL(m3, 0)])');
    expect(metricQueries.slice(1).map(({ metric }) => `${metric?.metricName} ${metric?.stat}`)).to.deep.equal(
      Array(4).fill('SuccessfulRequestLatency p99'),
    );
  });

  it('watch the share of failed writes, over 1 %, counted in requests', () => {
    const { metricQueries = [], threshold } = alarm('trades', 'trades-item-write-failures');
    expect(threshold).to.equal(1);
    expect(metricQueries[0]?.expression).to.equal(
      'IF((FILL(e0, 0) + FILL(e1, 0) + FILL(e2, 0) + FILL(t0, 0) + FILL(t1, 0) + FILL(t2, 0) + FILL(s0, 0) + FILL(s1, 0) + FILL(s2, 0)) > 0, 100 * (FILL(e0, 0) + FILL(e1, 0) + FILL(e2, 0) + FILL(t0, 0) + FILL(t1, 0) + FILL(t2, 0)) / (FILL(e0, 0) + FILL(e1, 0) + FILL(e2, 0) + FILL(t0, 0) + FILL(t1, 0) + FILL(t2, 0) + FILL(s0, 0) + FILL(s1, 0) + FILL(s2, 0)), 0)',
    );
    expect(metricQueries.at(-1)?.metric).to.include({ metricName: 'SuccessfulRequestLatency', stat: 'SampleCount' });
  });

  const ttlWindows = (changes?: Settings) =>
    tables.flatMap(({ name }) =>
      alarmsOf(name, changes)
        .filter(({ id }) => id.endsWith('ttl-deletions'))
        .map(({ evaluationPeriods, metricQueries }) => `${name} ${evaluationPeriods} × ${metricQueries?.[1]?.metric?.period}`),
    );

  it('watch TTL where the week that an alarm sees holds the retention and DynamoDB’s two days', () => {
    expect(ttlWindows()).to.deep.equal([
      'crypto-active-coins 3 × 86400',
      'crypto-backtest-results 3 × 86400',
      'crypto-trading-positions 3 × 86400',
    ]);
  });

  it('watch TTL everywhere from the day that the stack’s file gives, and never on a table without TTL', () => {
    const from = '2027-03-01';
    expect(ttlWindows({ 'tablewright:alarms': { ttlDeletions: { from } } })).to.deep.equal([
      'oms_trading_data 7 × 86400',
      'control 7 × 86400',
      'crypto-active-coins 3 × 86400',
      'crypto-backtest-results 3 × 86400',
      'crypto-scan-history 7 × 86400',
      'crypto-trading-positions 3 × 86400',
    ]);
    const own = { 'tablewright:tables': { control: { alarms: { ttlDeletions: { from, threshold: 4 } } } } };
    const { metricQueries } = alarm('control', 'control-ttl-deletions', own);
    expect(metricQueries?.[0]?.expression).to.equal(
      `IF(EPOCH(written) >= ${Date.UTC(2027, 2, 1) / 1_000} AND FILL(written, 0) > 0 AND FILL(deleted, 0) < 4, 1, 0)`,
    );
  });

  it('never ring because a table is new: a window that is too short needs a day', () => {
    const problems = (settings: Settings) => thrown(() => configOf('prod', settings)).problems;
    const own = (name: string, ttlDeletions: Settings) => ({ 'tablewright:tables': { [name]: { alarms: { ttlDeletions } } } });
    const place = (name: string) =>
      `tablewright:tables.${name}.alarms.ttlDeletions: expected from, the day from which items of ${name} must have expired:`;
    expect(problems(own('oms_trading_data', { enabled: true }))).to.deep.equal([
      `${place('oms_trading_data')} a new table loses nothing for 92 days, and the alarm sees 7`,
    ]);
    expect(problems(own('control', { enabled: true }))).to.deep.equal([
      `${place('control')} only the application knows how long items of control live`,
    ]);
    expect(problems(own('crypto-active-coins', { periods: 2 }))).to.deep.equal([
      `${place('crypto-active-coins')} a new table loses nothing for 3 days, and the alarm sees 2`,
    ]);
    expect(problems({ 'tablewright:alarms': { ttlDeletions: { enabled: true } } })).to.have.lengthOf(3);
    expect(problems(own('control', { from: '2027-02-30' }))).to.deep.equal([
      'tablewright:tables.control.alarms.ttlDeletions.from: expected a day like 2026-12-31, found 2027-02-30',
    ]);
  });

  it('watch the on-demand maximum only where there is one', () => {
    const billing = { mode: 'on-demand', maximum: { read: 70, write: 80 } };
    const found = alarmsOf('oms_config', { 'tablewright:tables': { oms_config: { billing } } }).filter(({ id }) =>
      id.endsWith('maximum'),
    );
    expect(found.map(({ metricName, dimensions, threshold }) => ({ metricName, dimensions, threshold }))).to.deep.equal(
      [{ TableName: 'oms_config_prod' }, { TableName: 'oms_config_prod', GlobalSecondaryIndexName: 'GSI1' }].flatMap(
        (dimensions) => [
          { metricName: 'ReadMaxOnDemandThroughputThrottleEvents', dimensions, threshold: 0 },
          { metricName: 'WriteMaxOnDemandThroughputThrottleEvents', dimensions, threshold: 0 },
        ],
      ),
    );
    expect(alarmsOf('oms_config').filter(({ id }) => id.endsWith('maximum'))).to.deep.equal([]);
  });

  it('take thresholds from the table, then the stack, then the sources', () => {
    const changes = {
      'tablewright:alarms': { readThrottles: { threshold: 50, periods: 3 } },
      'tablewright:tables': { orders: { alarms: { readThrottles: { threshold: 7 } } } },
    };
    const read = (name: string) => {
      const { threshold, evaluationPeriods } = alarm(name, `${name}-read-throttles`, changes);
      return [threshold, evaluationPeriods];
    };
    expect(read('orders')).to.deep.equal([7, 3]);
    expect(read('trades')).to.deep.equal([50, 3]);
    expect(alarmDefaults.readThrottles).to.include({ threshold: 10, periods: 2 });
  });

  it('can be switched off, one kind for one table or all for the stack', () => {
    const off = { 'tablewright:tables': { orders: { alarms: { readLatency: { enabled: false } } } } };
    expect(alarmsOf('orders', off).map(({ id }) => id)).not.to.include('orders-read-latency');
    expect(alarmsOf('trades', off).map(({ id }) => id)).to.include('trades-read-latency');
    const silent = configOf('prod', { 'tablewright:alarms': { enabled: false } });
    expect([...tables.flatMap((each) => tableAlarms(each, silent)), ...stackAlarms(silent)]).to.deep.equal([]);
  });

  it('cannot be built on more metrics than CloudWatch takes', () => {
    const series = Array.from({ length: metricsPerAlarm + 1 }, (_, at) => {
      return { id: `m${at}`, stat: 'Sum', ...ofTable('TransactionConflict', 'orders') } as const;
    });
    const name = { id: 'x', name: 'x', description: 'x', tags: {} };
    expect(() => mathAlarm(name, alarmDefaults.systemErrors, { series, expression: 'm0', label: 'x' })).to.throw(
      RangeError,
      'alarm x: 11 metrics, an alarm takes at most 10',
    );
  });
});

describe('the alarms of a stack', () => {
  it('watch the account’s limits and wrong requests once, without dimensions', () => {
    expect(
      stackAlarms(configOf('prod')).map(({ metricName, dimensions, threshold, statistic }) => {
        return { metricName, dimensions, threshold, statistic };
      }),
    ).to.deep.equal([
      { metricName: 'AccountProvisionedReadCapacityUtilization', dimensions: {}, threshold: 80, statistic: 'Maximum' },
      { metricName: 'AccountProvisionedWriteCapacityUtilization', dimensions: {}, threshold: 80, statistic: 'Maximum' },
      { metricName: 'UserErrors', dimensions: {}, threshold: 10, statistic: 'Sum' },
      // Backups that failed, by a query.
      { metricName: undefined, dimensions: undefined, threshold: 0, statistic: undefined },
    ]);
  });
});

describe('a dashboard', () => {
  it('shows a row for each table of the system, indexes included, on a grid without overlap', () => {
    const markets = tables.filter(({ system }) => system === 'markets');
    const { widgets } = dashboardBody(markets, configOf('prod'));
    expect(widgets.filter(({ type }) => type === 'text')).to.have.lengthOf(5);
    expect(widgets).to.have.lengthOf(35);
    const cells = widgets.flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, at) => `${x + (at % width)}/${y + Math.floor(at / width)}`),
    );
    expect(new Set(cells).size).to.equal(cells.length);
    expect(JSON.stringify(widgets)).to.include('["AWS/DynamoDB","UserErrors"]');
    expect(JSON.stringify(widgets)).to.include('["AWS/DynamoDB","ThrottledRequests","TableName","trades","Operation","Query"]');
    expect(JSON.stringify(widgets)).to.include(
      '["AWS/DynamoDB","ReadThrottleEvents","TableName","trades","GlobalSecondaryIndexName","trades_by_position"]',
    );
  });
});
