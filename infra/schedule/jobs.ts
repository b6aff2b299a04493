import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { AwsPlace } from '../../tables/model/stack/aws-place.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import { stackTags } from '../../tables/model/stack/tags.ts';
import { type CreatedPolicy, under } from '../access/stack-access.ts';
import type { Owned } from '../owned.ts';
import { bundleOf } from './bundle.ts';
import { functionRole, type JobArgs, jobArgs, logDays, scheduleRole } from './job-args.ts';

export interface JobsArgs {
  readonly config: StackConfig;
  readonly place: AwsPlace;
  /** The project's folder; the path of the bundle is taken from there. */
  readonly root: string;
  readonly policies: readonly CreatedPolicy[];
  readonly boundaryArn: pulumi.Input<string> | undefined;
  readonly owned: Owned;
}

/** The functions of the stack, all from one zip, and the schedules that invoke them. */
export function createJobs(args: JobsArgs): void {
  const jobs = jobArgs(args.config, args.place);
  if (jobs.length === 0) return;
  const bundle = bundleOf(args.root, args.config);
  for (const job of jobs) createJob(job, args, bundle);
}

function createJob(job: JobArgs, { config, policies, boundaryArn, owned }: JobsArgs, code: pulumi.asset.Archive): void {
  const tags = { ...stackTags(config) };
  const trusted = { name: functionRole(config, job.job), assumeRolePolicy: job.functionTrust, tags, ...under(boundaryArn) };
  const role = new aws.iam.Role(job.job, trusted, owned);
  new aws.iam.RolePolicy(job.job, { role: role.name, name: 'logs', policy: job.logs }, { parent: role });
  const held = policies.filter(({ spec }) => spec.purpose === job.purpose);
  const attached = held.map(({ spec, resource }) => {
    const args = { role: role.name, policyArn: resource.arn };
    return new aws.iam.RolePolicyAttachment(`${job.job}-${spec.id}`, args, { parent: role });
  });
  const logs = new aws.cloudwatch.LogGroup(job.job, { name: job.logGroup, retentionInDays: logDays, tags }, owned);
  const invoked = new aws.lambda.Function(
    job.job,
    {
      name: job.name,
      runtime: 'nodejs22.x',
      architectures: ['arm64'],
      handler: 'index.handler',
      code,
      role: role.arn,
      timeout: job.timeout,
      memorySize: job.memorySize,
      environment: { variables: { ...job.environment } },
      tags,
    },
    { ...owned, dependsOn: [logs, ...attached] },
  );
  const scheduler = `${job.job}-schedule`;
  const calling = { name: scheduleRole(config, job.job), assumeRolePolicy: job.scheduleTrust, tags, ...under(boundaryArn) };
  const caller = new aws.iam.Role(scheduler, calling, owned);
  const may = new aws.iam.RolePolicy(scheduler, { role: caller.name, name: 'invoke', policy: job.invoke }, { parent: caller });
  new aws.scheduler.Schedule(
    job.job,
    {
      name: job.name,
      scheduleExpression: job.schedule,
      flexibleTimeWindow: { mode: 'OFF' },
      target: { arn: invoked.arn, roleArn: caller.arn, input: job.input, retryPolicy: { maximumRetryAttempts: 2 } },
    },
    { ...owned, dependsOn: [may] },
  );
}
