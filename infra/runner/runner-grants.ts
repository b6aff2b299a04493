import { executionArn, runnerMachineArn } from '../../tables/model/runner/names.ts';
import { anyArn, functionArn, logGroupArn, resourceName } from '../../tables/model/stack/aws-place.ts';
import { allow, type Scope } from '../access/scope.ts';
import { type PolicyStatement, policyDocument } from '../access/statement.ts';
import { runnerNames } from './runner-names.ts';

type Where = Pick<Scope, 'config' | 'place'>;

const states = (...actions: readonly string[]) => actions.map((action) => `states:${action}`);

/**
 * A state machine's log is delivered by the log service, which cannot be told of which group (Step Functions Developer Guide, "IAM policies for
 * logging to CloudWatch Logs"): the one thing that the runner may do on everything.
 */
const logDelivery = [
  'logs:CreateLogDelivery',
  'logs:DeleteLogDelivery',
  'logs:DescribeLogGroups',
  'logs:DescribeResourcePolicies',
  'logs:GetLogDelivery',
  'logs:ListLogDeliveries',
  'logs:PutResourcePolicy',
  'logs:UpdateLogDelivery',
] as const;

/** Executions of the machine, and those of its map's children (Step Functions Developer Guide, "IAM policies for Distributed Map states"). */
const executionsOf = ({ config, place }: Where): readonly string[] => {
  const { name } = runnerNames(config);
  return [executionArn(place, config, '*'), anyArn(place, 'states', `execution:${name}/*`)];
};

/** For those who run migrations: starts executions of the stack's runner and watches them; it is a record of the ledger that stops one. */
export function useOfRunner({ config, place }: Where): readonly PolicyStatement[] {
  if (!config.runner.enabled) return [];
  return [
    ...allow('Runner', states('DescribeStateMachine', 'ListExecutions', 'StartExecution'), [runnerMachineArn(place, config)]),
    ...allow('Executions', states('DescribeExecution'), [executionArn(place, config, '*')]),
  ];
}

/**
 * What the machine does: invokes published versions of its function, and starts itself for every unit. Not the newest version alone: an execution
 * goes on with the one that it began with, also when another is deployed meanwhile.
 */
export function machinePolicy({ config, place }: Where): string {
  return policyDocument([
    ...allow('Invoke', ['lambda:InvokeFunction'], [`${functionArn(place, runnerNames(config).name)}:*`]),
    ...allow('Units', states('StartExecution'), [runnerMachineArn(place, config)]),
    ...allow('Executions', states('DescribeExecution', 'StopExecution'), executionsOf({ config, place })),
    ...allow('LogDelivery', logDelivery, ['*']),
  ]);
}

/** What the function needs beside the policy of those who run migrations. */
export function workerLogPolicy({ config, place }: Where): string {
  const group = `${logGroupArn(place, runnerNames(config).workerLogs)}:*`;
  return policyDocument([...allow('Logs', ['logs:CreateLogStream', 'logs:PutLogEvents'], [group])]);
}

/** The most that roles of the runner may ever do, beside what every role of the stack may. */
export function boundaryOfRunner({ config, place }: Where): readonly PolicyStatement[] {
  if (!config.runner.enabled) return [];
  return [
    ...allow('Runner', ['states:*'], [runnerMachineArn(place, config), ...executionsOf({ config, place })]),
    ...allow('LogDelivery', logDelivery, ['*']),
  ];
}

/** What deploying the runner takes, beside functions and their logs. */
export function deployOfRunner({ config, place }: Where): readonly PolicyStatement[] {
  if (!config.runner.enabled) return [];
  const own = resourceName(config);
  return [
    ...allow('Machines', ['states:*'], [anyArn(place, 'states', `stateMachine:${own}-*`)]),
    ...allow('MachineLogs', ['logs:*'], [logGroupArn(place, `/aws/vendedlogs/states/${own}-*`)]),
    // Of no machine in particular: what is to be checked is not made yet (Service Authorization Reference, "AWS Step Functions").
    ...allow('Definitions', ['states:ValidateStateMachineDefinition'], ['*']),
  ];
}
