import { alarmType, ofType, type Registered, tableType } from './registered.ts';

const operations = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'Scan',
  'TransactGetItems',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactWriteItems',
  'ExecuteStatement',
  'BatchExecuteStatement',
  'ExecuteTransaction',
];

/** The dimension sets under which CloudWatch keeps each metric, from AWS's documentation and the project's notes. */
const perOperation = ['Operation,TableName'];
const perTableOrIndex = ['TableName', 'GlobalSecondaryIndexName,TableName'];
const existing: Readonly<Record<string, readonly string[]>> = {
  ThrottledRequests: perOperation,
  SystemErrors: perOperation,
  SuccessfulRequestLatency: perOperation,
  UserErrors: [''],
  AccountProvisionedReadCapacityUtilization: [''],
  AccountProvisionedWriteCapacityUtilization: [''],
  ReadThrottleEvents: perTableOrIndex,
  WriteThrottleEvents: perTableOrIndex,
  ConsumedReadCapacityUnits: perTableOrIndex,
  ConsumedWriteCapacityUnits: perTableOrIndex,
  ReadKeyRangeThroughputThrottleEvents: perTableOrIndex,
  WriteKeyRangeThroughputThrottleEvents: perTableOrIndex,
  ReadMaxOnDemandThroughputThrottleEvents: perTableOrIndex,
  WriteMaxOnDemandThroughputThrottleEvents: perTableOrIndex,
  ConditionalCheckFailedRequests: ['TableName'],
  TransactionConflict: ['TableName'],
  TimeToLiveDeletedItemCount: ['TableName'],
};

/** Of other services, and the toolkit's own (Lambda and Step Functions Developer Guides, on metrics). */
const known: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'AWS/DynamoDB': existing,
  'AWS/Lambda': { Errors: ['FunctionName'], Throttles: ['FunctionName'] },
  'AWS/States': { ExecutionsFailed: ['StateMachineArn'], ExecutionsTimedOut: ['StateMachineArn'] },
  tablewright: { Differences: ['Stack'] },
};

interface UsedMetric {
  readonly namespace?: string;
  readonly metricName?: string;
  readonly dimensions?: Readonly<Record<string, string>>;
  readonly period?: number;
}

interface Query {
  readonly id: string;
  readonly expression?: string;
  readonly period?: number;
  readonly returnData?: boolean;
  readonly metric?: UsedMetric;
}

/** What keeps a registered alarm from ever going off or from reaching anybody. */
export function alarmProblems(resources: readonly Registered[]): readonly string[] {
  const indexes = new Map(
    ofType(resources, tableType).map(({ inputs }) => [
      String(inputs.name),
      ((inputs.globalSecondaryIndexes ?? []) as readonly { name: string }[]).map(({ name }) => name),
    ]),
  );
  const alarms = ofType(resources, alarmType);
  return [
    ...alarms.flatMap((alarm) => [
      ...usedMetrics(alarm).flatMap((metric) => metricProblems(alarm, metric, indexes)),
      ...shapeProblems(alarm),
    ]),
    ...missingThrottles(alarms, indexes),
  ];
}

function queriesOf({ inputs }: Registered): readonly Query[] {
  return (inputs.metricQueries ?? []) as readonly Query[];
}

function usedMetrics(alarm: Registered): readonly UsedMetric[] {
  const queries = queriesOf(alarm);
  if (queries.length === 0) return [alarm.inputs as UsedMetric];
  return queries.flatMap(({ metric }) => (metric === undefined ? [] : [metric]));
}

function metricProblems(
  { name }: Registered,
  { namespace = '', metricName = '', dimensions = {} }: UsedMetric,
  tables: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const set = Object.keys(dimensions).toSorted().join();
  const sets = (known[namespace] ?? existing)[metricName] ?? [];
  const { TableName: table, GlobalSecondaryIndexName: index, Operation: operation } = dimensions;
  return [
    ...(namespace in known ? [] : [`${name}: namespace ${namespace}`]),
    ...(sets.includes(set) ? [] : [`${name}: no metric ${metricName} by (${set})`]),
    ...(table === undefined || tables.has(table) ? [] : [`${name}: no table ${table}`]),
    ...(index === undefined || tables.get(table ?? '')?.includes(index) ? [] : [`${name}: no index ${index} of ${table}`]),
    ...(operation === undefined || operations.includes(operation) ? [] : [`${name}: no operation ${operation}`]),
  ];
}

function shapeProblems(alarm: Registered): readonly string[] {
  const { name, inputs } = alarm;
  const queries = queriesOf(alarm);
  const metrics = queries.filter(({ metric }) => metric !== undefined);
  const outcome = queries.filter(({ returnData }) => returnData === true);
  const period = Number(inputs.period ?? metrics[0]?.metric?.period ?? queries[0]?.period);
  const ids = new Set(metrics.map(({ id }) => id));
  const expression = outcome[0]?.expression ?? '';
  const isQuery = expression.startsWith('SELECT ');
  const used = new Set(isQuery ? [] : (expression.match(/\b[a-z]\w*\b/g) ?? []));
  const problem = (holds: boolean, text: string) => (holds ? [] : [`${name}: ${text}`]);
  return [
    ...problem(
      ['comparisonOperator', 'evaluationPeriods', 'threshold'].every((key) => inputs[key] !== undefined),
      'lacks a condition',
    ),
    ...problem(inputs.treatMissingData === 'notBreaching', 'goes off when nothing happens'),
    ...problem(metrics.length <= 10, `uses ${metrics.length} metrics`),
    ...problem(!isQuery || period * Number(inputs.evaluationPeriods) <= 10_800, 'looks back too far for a query'),
    ...problem(!isQuery || isSound(expression), `asks ${expression}`),
    ...problem(queries.length === 0 || outcome.length === 1, `has ${outcome.length} outcomes`),
    ...problem(
      [...used].every((id) => ids.has(id)) && [...ids].every((id) => used.has(id)),
      'calculates with other series than it reads',
    ),
    ...problem(period * Number(inputs.evaluationPeriods) <= (period < 3_600 ? 86_400 : 604_800), 'looks back too far'),
    ...problem(hasTopic(inputs.alarmActions) && hasTopic(inputs.okActions), 'tells nobody'),
  ];
}

/** Metrics Insights answers an unknown schema or dimension with nothing: only these are asked. */
function isSound(query: string): boolean {
  return [
    /^SELECT SUM\(SystemErrors\) FROM SCHEMA\("AWS\/DynamoDB", Operation, TableName\) WHERE TableName = '[\w.-]+'$/,
    /^SELECT SUM\(NumberOf(Backup|Copy)JobsFailed\) FROM "AWS\/Backup" WHERE BackupVaultName = '[\w-]+'$/,
  ].some((form) => form.test(query));
}

function hasTopic(actions: unknown): boolean {
  return Array.isArray(actions) && actions.length === 1 && String(actions[0]).startsWith('arn:aws:sns:');
}

/** Every table and every index must be watched for throttling, reads and writes apart. */
function missingThrottles(alarms: readonly Registered[], tables: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const watched = new Set(
    alarms.map(({ inputs }) => {
      const { TableName, GlobalSecondaryIndexName } = (inputs.dimensions ?? {}) as Readonly<Record<string, string>>;
      return [inputs.metricName, TableName, GlobalSecondaryIndexName].join(' ');
    }),
  );
  return [...tables].flatMap(([table, indexes]) =>
    [undefined, ...indexes].flatMap((index) =>
      ['ReadThrottleEvents', 'WriteThrottleEvents']
        .filter((metric) => !watched.has([metric, table, index].join(' ')))
        .map((metric) => `nobody watches ${metric} of ${[table, index].filter(Boolean).join(' ')}`),
    ),
  );
}
