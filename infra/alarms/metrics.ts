import type { StackName } from '../../tables/model/stack/aws-place.ts';
import { metricNamespace } from '../../tables/model/stack/drift-metric.ts';

/**
 * The DynamoDB metrics that the stack watches, each with the dimensions under which CloudWatch keeps it. CloudWatch does
 * not add up over a dimension that is left out, and says nothing: an alarm on any other set would never go off. So the
 * only way to name a metric here is with its whole set
 * (Developer Guide, "DynamoDB Metrics and dimensions").
 */
export const namespace = 'AWS/DynamoDB';

export interface Metric {
  /** DynamoDB's when left out. */
  readonly namespace?: string;
  readonly metricName: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

export const readOperations = ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems', 'ExecuteStatement'] as const;
export const itemWrites = ['PutItem', 'UpdateItem', 'DeleteItem'] as const;
export const bulkWrites = ['BatchWriteItem', 'TransactWriteItems', 'BatchExecuteStatement'] as const;
export const writeOperations = [...itemWrites, ...bulkWrites, 'ExecuteTransaction'] as const;

export type WatchedOperation = (typeof readOperations)[number] | (typeof writeOperations)[number];

type OperationMetric = 'SystemErrors' | 'ThrottledRequests' | 'SuccessfulRequestLatency';

type CapacityMetric =
  | 'ReadThrottleEvents'
  | 'WriteThrottleEvents'
  | 'ConsumedReadCapacityUnits'
  | 'ConsumedWriteCapacityUnits'
  | 'ReadMaxOnDemandThroughputThrottleEvents'
  | 'WriteMaxOnDemandThroughputThrottleEvents'
  | 'ReadKeyRangeThroughputThrottleEvents'
  | 'WriteKeyRangeThroughputThrottleEvents';

type TableMetric = 'TimeToLiveDeletedItemCount' | 'ConditionalCheckFailedRequests' | 'TransactionConflict';

type AccountMetric = 'UserErrors' | 'AccountProvisionedReadCapacityUtilization' | 'AccountProvisionedWriteCapacityUtilization';

export function ofOperation(metricName: OperationMetric, table: string, operation: WatchedOperation): Metric {
  return { metricName, dimensions: { TableName: table, Operation: operation } };
}

/** A table's value leaves its indexes out; each has its own. */
export function ofCapacity(metricName: CapacityMetric, table: string, index?: string): Metric {
  return { metricName, dimensions: { TableName: table, ...(index === undefined ? {} : { GlobalSecondaryIndexName: index }) } };
}

export function ofTable(metricName: TableMetric, table: string): Metric {
  return { metricName, dimensions: { TableName: table } };
}

export function ofAccount(metricName: AccountMetric): Metric {
  return { metricName, dimensions: {} };
}

/** What a function of the stack failed at (Lambda Developer Guide, "Types of metrics for Lambda functions"). */
export function ofFunction(metricName: 'Errors' | 'Throttles', functionName: string): Metric {
  return { namespace: 'AWS/Lambda', metricName, dimensions: { FunctionName: functionName } };
}

/** How executions of a state machine end (Step Functions Developer Guide, "Monitoring Step Functions metrics using CloudWatch"). */
export function ofMachine(metricName: 'ExecutionsFailed' | 'ExecutionsTimedOut', machineArn: string): Metric {
  return { namespace: 'AWS/States', metricName, dimensions: { StateMachineArn: machineArn } };
}

/** What the toolkit counts itself. */
export function ofToolkit(metricName: string, config: StackName): Metric {
  return { namespace: metricNamespace(config), metricName, dimensions: { Stack: config.stack } };
}
