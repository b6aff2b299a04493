/**
 * What a stack costs before any request or stored byte, in US dollars a month, from AWS's list prices for us-east-1. They come from
 * no bill: check them on AWS's price pages.
 */
export const standingPricesAsOf = '2026-11';

export const standingPrices = {
  /** CloudWatch: an alarm by each metric that it reads; a query by each that it finds. */
  alarmMetric: 0.1,
  dashboard: 3,
  /** KMS: a customer's key. */
  key: 1,
  /** DynamoDB: a unit of provisioned capacity, by the hour. */
  readUnitHour: 0.00013,
  writeUnitHour: 0.00065,
} as const;

/** As AWS counts a month. */
const hoursPerMonth = 730;

/** Auto scaling makes four alarms for each capacity that it moves. */
const alarmsPerScaling = 4;

/** Operations that DynamoDB counts system errors by: as many metrics can a query over one table find. */
const operationsPerTable = 13;

export const costParts = ['keys', 'alarms', 'dashboards', 'reads', 'writes', 'scaling'] as const;

export type CostPart = (typeof costParts)[number];

/** By part; a change may be negative. */
export type StandingCost = Readonly<Record<CostPart, number>>;

export interface PricedResource {
  readonly type: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

export interface PricedChange {
  readonly before: PricedResource | undefined;
  readonly after: PricedResource | undefined;
}

/** What changes of resources mean for the price; a stack's own price is that of its creation. */
export function standingCost(changes: readonly PricedChange[]): StandingCost {
  const sum = (part: CostPart) =>
    changes.reduce((total, { before, after }) => total + costOf(after, part) - costOf(before, part), 0);
  return Object.fromEntries(costParts.map((part) => [part, sum(part)])) as Record<CostPart, number>;
}

export function totalOf(cost: StandingCost): number {
  return costParts.reduce((sum, part) => sum + cost[part], 0);
}

function costOf(resource: PricedResource | undefined, part: CostPart): number {
  if (resource === undefined) return 0;
  const { type, inputs } = resource;
  if (part === 'keys') return type === 'aws:kms/key:Key' ? standingPrices.key : 0;
  if (part === 'dashboards') return type === 'aws:cloudwatch/dashboard:Dashboard' ? standingPrices.dashboard : 0;
  if (part === 'alarms')
    return type === 'aws:cloudwatch/metricAlarm:MetricAlarm' ? metricsOf(inputs) * standingPrices.alarmMetric : 0;
  if (part === 'scaling') {
    return type === 'aws:appautoscaling/target:Target' ? alarmsPerScaling * standingPrices.alarmMetric : 0;
  }
  if (type !== 'aws:dynamodb/table:Table' || inputs.billingMode !== 'PROVISIONED') return 0;
  const units = part === 'reads' ? unitsOf(inputs, 'readCapacity') : unitsOf(inputs, 'writeCapacity');
  return units * hoursPerMonth * (part === 'reads' ? standingPrices.readUnitHour : standingPrices.writeUnitHour);
}

/** The metrics that an alarm reads. */
export function metricsOf(inputs: Readonly<Record<string, unknown>>): number {
  const queries = inputs.metricQueries as readonly { readonly metric?: unknown; readonly expression?: string }[] | undefined;
  if (queries === undefined || queries.length === 0) return 1;
  if (queries.some(({ expression }) => expression?.startsWith('SELECT SUM(SystemErrors)'))) return operationsPerTable;
  return Math.max(1, queries.filter(({ metric }) => metric !== undefined).length);
}

function unitsOf(inputs: Readonly<Record<string, unknown>>, way: 'readCapacity' | 'writeCapacity'): number {
  const indexes = (inputs.globalSecondaryIndexes ?? []) as readonly Readonly<Record<string, unknown>>[];
  return [inputs, ...indexes].reduce((sum, part) => sum + Number(part[way] ?? 0), 0);
}
