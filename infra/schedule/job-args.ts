import { type AwsPlace, functionArn, logGroupArn, resourceName, type StackName } from '../../tables/model/stack/aws-place.ts';
import type { Purpose } from '../../tables/model/stack/config/access.ts';
import { enabledJobs, type Job } from '../../tables/model/stack/config/schedules.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import { serviceTrust } from '../access/service-trust.ts';
import { policyDocument } from '../access/statement.ts';

/** A function of the stack, what it may do and when it runs. */
export interface JobArgs {
  readonly job: Job;
  readonly name: string;
  readonly purpose: Purpose;
  readonly schedule: string;
  readonly timeout: number;
  readonly memorySize: number;
  readonly environment: Readonly<Record<string, string>>;
  /** What EventBridge hands over. */
  readonly input: string;
  readonly functionTrust: string;
  /** What the function itself needs beside the policy of its purpose. */
  readonly logs: string;
  readonly scheduleTrust: string;
  readonly invoke: string;
  readonly logGroup: string;
}

/** Under whose policy each job runs. */
const purposes: Readonly<Record<Job, Purpose>> = { archive: 'exporter', drift: 'inspector' };

/** The name of a job's function, and of its schedule. */
export const functionName = (config: StackName, job: Job): string => resourceName(config, job);

/** The role that a job's function runs under, and that by which it is called. */
export const functionRole = (config: StackName, job: Job): string => resourceName(config, job);
export const scheduleRole = (config: StackName, job: Job): string => resourceName(config, job, 'schedule');

/** How long the functions' logs are kept. */
export const logDays = 30;

export function jobArgs(config: StackConfig, place: AwsPlace): readonly JobArgs[] {
  return enabledJobs(config).map((job) => {
    const name = functionName(config, job);
    const { schedule, timeoutSeconds, memoryMb } = config.schedules[job];
    const logGroup = `/aws/lambda/${name}`;
    return {
      job,
      name,
      purpose: purposes[job],
      schedule,
      timeout: timeoutSeconds,
      memorySize: memoryMb,
      environment: { TABLEWRIGHT_STACK: config.stack },
      input: JSON.stringify({ job }),
      functionTrust: serviceTrust(`lambda.${place.dnsSuffix}`),
      logs: policyDocument([
        {
          Sid: 'Logs',
          Effect: 'Allow',
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: [`${logGroupArn(place, logGroup)}:*`],
        },
      ]),
      scheduleTrust: serviceTrust(`scheduler.${place.dnsSuffix}`, place),
      invoke: policyDocument([
        { Sid: 'Invoke', Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource: functionArn(place, name) },
      ]),
      logGroup,
    };
  });
}
