import { physicalName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import {
  type Metric,
  namespace,
  ofAccount,
  ofCapacity,
  ofOperation,
  ofTable,
  readOperations,
  writeOperations,
} from './metrics.ts';

interface Widget {
  readonly type: 'text' | 'metric';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** A dashboard is 24 columns wide (CloudWatch API reference, "Dashboard body structure and syntax"). */
const widgetWidth = 4;
const widgetHeight = 6;
const titleHeight = 1;

/** The body of a system's dashboard: a row for each table, from load to errors. */
export function dashboardBody(tables: readonly Table[], config: StackConfig): { readonly widgets: readonly Widget[] } {
  const rowHeight = titleHeight + widgetHeight;
  return { widgets: tables.flatMap((table, row) => tableRow(table, config, row * rowHeight)) };
}

function tableRow(table: Table, config: StackConfig, y: number): readonly Widget[] {
  const name = physicalName(table, config);
  const parts = [undefined, ...table.indexes.map((index) => index.name)];
  const charts = [
    chart('Consumed capacity', 'Sum', [
      ...parts.map((index) => ofCapacity('ConsumedReadCapacityUnits', name, index)),
      ...parts.map((index) => ofCapacity('ConsumedWriteCapacityUnits', name, index)),
    ]),
    chart('Throttles', 'Sum', [
      ...parts.map((index) => ofCapacity('ReadThrottleEvents', name, index)),
      ...parts.map((index) => ofCapacity('WriteThrottleEvents', name, index)),
    ]),
    chart(
      'Latency, p99',
      'p99',
      [...readOperations, ...writeOperations].map((operation) => ofOperation('SuccessfulRequestLatency', name, operation)),
    ),
    chart(
      'Throttled requests',
      'Sum',
      [...readOperations, ...writeOperations].map((operation) => ofOperation('ThrottledRequests', name, operation)),
    ),
    // DynamoDB counts wrong requests for the account and region, not for a table.
    chart('Wrong requests of the account', 'Sum', [ofAccount('UserErrors')]),
    chart('Failures and expiry', 'Sum', [
      ...[...readOperations, ...writeOperations].map((operation) => ofOperation('SystemErrors', name, operation)),
      ofTable('ConditionalCheckFailedRequests', name),
      ofTable('TransactionConflict', name),
      ...(table.ttl === undefined ? [] : [ofTable('TimeToLiveDeletedItemCount', name)]),
    ]),
  ];
  const title: Widget = {
    type: 'text',
    x: 0,
    y,
    width: widgetWidth * charts.length,
    height: titleHeight,
    properties: { markdown: `## ${name}\n${table.description}` },
  };
  const placed = charts.map((properties, column): Widget => {
    const shown = { ...properties, region: config.region };
    return {
      type: 'metric',
      x: column * widgetWidth,
      y: y + titleHeight,
      width: widgetWidth,
      height: widgetHeight,
      properties: shown,
    };
  });
  return [title, ...placed];
}

function chart(title: string, stat: string, metrics: readonly Metric[]): Readonly<Record<string, unknown>> {
  return { title, view: 'timeSeries', stat, period: 300, metrics: metrics.map(metricRow) };
}

/** How a dashboard names a metric: namespace, name, then each dimension and its value. */
function metricRow({ metricName, dimensions }: Metric): readonly string[] {
  return [namespace, metricName, ...Object.entries(dimensions).flat()];
}
