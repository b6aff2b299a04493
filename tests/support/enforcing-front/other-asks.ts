import type { DeployedAccess } from './access.ts';
import { type Ask, ask, type Json } from './ask.ts';

export function logsAsks(
  { region, account }: DeployedAccess,
  operation: string,
  { logGroupName, logStreamName }: Json,
): readonly Ask[] {
  const group = `arn:aws:logs:${region}:${account}:log-group:${String(logGroupName)}`;
  return [ask(`logs:${operation}`, logStreamName === undefined ? group : `${group}:log-stream:${String(logStreamName)}`)];
}

/** Alarms are asked for by their names; whoever gives none asks for all of the account's. A metric is told by its namespace. */
export function cloudwatchAsks({ region, account }: DeployedAccess, operation: string, input: Json): readonly Ask[] {
  if (operation === 'PutMetricData') {
    return [ask('cloudwatch:PutMetricData', '*', { 'cloudwatch:namespace': String(input.Namespace) })];
  }
  if (operation !== 'DescribeAlarms') throw new Error(`the front does not know how CloudWatch authorises ${operation}`);
  const names = (input.AlarmNames as readonly string[] | undefined) ?? ['whatever alarm the account has'];
  return names.map((name) => ask('cloudwatch:DescribeAlarms', `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`));
}

/** Lists, so of nothing in particular (Service Authorization Reference, "AWS Application Auto Scaling"). */
export function scalingAsks(operation: string): readonly Ask[] {
  return [ask(`application-autoscaling:${operation}`, '*')];
}

/** Of the machine or of an execution (Service Authorization Reference, "AWS Step Functions"). */
export function statesAsks(operation: string, { stateMachineArn, executionArn }: Json): readonly Ask[] {
  return [ask(`states:${operation}`, String(executionArn ?? stateMachineArn))];
}

/** Lambda cannot limit this list (Service Authorization Reference, "AWS Lambda"). */
export function lambdaAsks(request: string): readonly Ask[] {
  if (/^GET \/2015-03-31\/event-source-mappings\/?(\?|$)/.test(request)) return [ask('lambda:ListEventSourceMappings', '*')];
  throw new Error(`the front does not know how Lambda authorises ${request}`);
}
