import { TablewrightError } from '../../../tables/model/error.ts';
import { runnerMachineArn, runnerMachineName } from '../../../tables/model/runner/names.ts';
import { partitionOf } from '../../../tables/model/stack/aws-place.ts';
import { callerAccount } from '../../aws/caller-account.ts';
import { isAmazon } from '../../aws/clients.ts';
import { type SFNClient, sfnClient } from '../../aws/command-clients.ts';
import { stepFunctions } from '../../aws/remote/step-functions.ts';
import type { Context } from '../context.ts';
import { localStack } from '../local-stack.ts';
import type { OpenStack } from '../open-stack.ts';
import type { Runner } from './runner.ts';

/** A tenth of what an account runs at once unless more was asked for (Lambda Developer Guide, "Lambda quotas": 1,000). */
const defaultWorkers = 100;

/** A server on this machine has no accounts. */
const noAccount = '000000000000';

/** The stack's own runner, as it is deployed. */
export async function openAwsRunner(context: Context, stack: OpenStack, what = '--on aws'): Promise<Runner> {
  const { config, patience } = stack;
  const { region } = config;
  const endpoint = context.common.endpoints.sfn?.url;
  refuseElsewhere(stack, endpoint, what);
  const account = config.account ?? (await callerAccount(region, endpoint, patience)) ?? noAccount;
  let client: Promise<SFNClient> | undefined;
  const open = (): Promise<SFNClient> => {
    client ??= sfnClient({ region, endpoint, patience });
    return client;
  };
  const machineArn = runnerMachineArn({ partition: partitionOf(region), region, account }, config);
  const { reservedConcurrency } = config.runner;
  const next = `Give fewer, or raise reservedConcurrency (tablewright:runner in Pulumi.${config.stack}.yaml) and deploy.`;
  return {
    place: 'aws',
    executions: stepFunctions(open, machineArn),
    machineName: runnerMachineName(config),
    limit: reservedConcurrency === undefined ? undefined : { workers: reservedConcurrency, next },
    defaultWorkers: Math.min(defaultWorkers, reservedConcurrency ?? defaultWorkers),
    endsWithCommand: false,
    [Symbol.asyncDispose]: async () => (await client)?.destroy(),
  };
}

/** Workers on AWS know nothing of tables elsewhere. */
function refuseElsewhere({ name, endpoint }: OpenStack, ofStepFunctions: string | undefined, what: string): void {
  if (name !== localStack && (endpoint === undefined || isAmazon(endpoint) || ofStepFunctions !== undefined)) return;
  const where = name === localStack ? 'the local stack has' : `the server at ${endpoint} has`;
  throw new TablewrightError('BAD_ARGUMENT', `${what}: ${where} no runner on AWS`, {
    next: 'Take --on local, which runs the same workers on this machine, or name a stack on AWS (--stack). AWS_ENDPOINT_URL_SFN names another Step Functions.',
  });
}
