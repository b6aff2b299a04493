import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import { runnerMachine } from '../../tables/model/runner/machine.ts';
import type { AwsPlace } from '../../tables/model/stack/aws-place.ts';
import { runnerRoles } from '../../tables/model/stack/config/runner.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import { stackTags } from '../../tables/model/stack/tags.ts';
import { serviceTrust } from '../access/service-trust.ts';
import { type CreatedPolicy, under } from '../access/stack-access.ts';
import type { Owned } from '../owned.ts';
import { bundleOf } from '../schedule/bundle.ts';
import { runnerAlarms } from './runner-alarms.ts';
import { machinePolicy, workerLogPolicy } from './runner-grants.ts';
import { runnerNames } from './runner-names.ts';

export interface RunnerArgs {
  readonly config: StackConfig;
  readonly place: AwsPlace;
  /** The project's folder; the path of the bundle is taken from there. */
  readonly root: string;
  readonly policies: readonly CreatedPolicy[];
  readonly boundaryArn: pulumi.Input<string> | undefined;
  /** None in an ephemeral stack. */
  readonly key: aws.kms.Key | undefined;
  readonly topicArn: pulumi.Input<string> | undefined;
  readonly owned: Owned;
}

/** What runs migrations by many workers: a function, the state machine that invokes it, their logs and alarms. */
export function createRunner(args: RunnerArgs): void {
  const { config, place, topicArn, owned } = args;
  if (!config.runner.enabled) return;
  const worker = createWorker(args);
  createMachine(args, worker);
  if (topicArn === undefined) return;
  for (const { id, ...alarm } of runnerAlarms(config, place)) {
    new aws.cloudwatch.MetricAlarm(id, { ...alarm, alarmActions: [topicArn], okActions: [topicArn] }, owned);
  }
}

function createWorker(args: RunnerArgs): aws.lambda.Function {
  const { config, place, root, policies, boundaryArn, owned } = args;
  const { memoryMb, timeoutSeconds, reservedConcurrency } = config.runner;
  const { name, workerRole, workerLogs } = runnerNames(config);
  const tags = { ...stackTags(config) };
  const id = runnerRoles.worker;
  const trusted = {
    name: workerRole,
    assumeRolePolicy: serviceTrust(`lambda.${place.dnsSuffix}`),
    tags,
    ...under(boundaryArn),
  };
  const role = new aws.iam.Role(id, trusted, owned);
  new aws.iam.RolePolicy(id, { role: role.name, name: 'logs', policy: workerLogPolicy(args) }, { parent: role });
  const attached = policies
    .filter(({ spec }) => spec.purpose === 'migration-runner')
    .map(({ spec, resource }) => {
      const held = { role: role.name, policyArn: resource.arn };
      return new aws.iam.RolePolicyAttachment(`${id}-${spec.id}`, held, { parent: role });
    });
  const logs = createLogs(args, id, workerLogs);
  return new aws.lambda.Function(
    id,
    {
      name,
      runtime: 'nodejs22.x',
      architectures: ['arm64'],
      handler: 'index.handler',
      code: bundleOf(root, config),
      role: role.arn,
      timeout: timeoutSeconds,
      memorySize: memoryMb,
      // An execution goes on with the version that it began with.
      publish: true,
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
      environment: { variables: { TABLEWRIGHT_STACK: config.stack } },
      tags,
    },
    { ...owned, dependsOn: [logs, ...attached] },
  );
}

function createMachine(args: RunnerArgs, worker: aws.lambda.Function): void {
  const { config, place, boundaryArn, owned } = args;
  const { name, machineRole, machineLogs } = runnerNames(config);
  const tags = { ...stackTags(config) };
  const id = runnerRoles.machine;
  const trust = serviceTrust(`states.${place.dnsSuffix}`, place);
  const role = new aws.iam.Role(id, { name: machineRole, assumeRolePolicy: trust, tags, ...under(boundaryArn) }, owned);
  const may = new aws.iam.RolePolicy(id, { role: role.name, name: 'run', policy: machinePolicy(args) }, { parent: role });
  const logs = createLogs(args, id, machineLogs);
  new aws.sfn.StateMachine(
    'runner',
    {
      name,
      type: 'STANDARD',
      roleArn: role.arn,
      definition: worker.qualifiedArn.apply((arn) => JSON.stringify(runnerMachine(arn))),
      // Without what goes in and out: the ledger has it, and nobody has to guard it twice.
      loggingConfiguration: { level: 'ERROR', includeExecutionData: false, logDestination: logs.arn.apply((arn) => `${arn}:*`) },
      tags,
    },
    { ...owned, dependsOn: [may] },
  );
}

function createLogs({ config, key, owned }: RunnerArgs, id: string, name: string): aws.cloudwatch.LogGroup {
  const args = { name, retentionInDays: config.runner.logDays, tags: { ...stackTags(config) } };
  return new aws.cloudwatch.LogGroup(id, { ...args, ...(key === undefined ? {} : { kmsKeyId: key.arn }) }, owned);
}
