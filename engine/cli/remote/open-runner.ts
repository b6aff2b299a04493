import { TablewrightError } from '../../../tables/model/error.ts';
import { runnerMachineArn, runnerMachineName } from '../../../tables/model/runner/names.ts';
import { partitionOf } from '../../../tables/model/stack/aws-place.ts';
import { callerAccount } from '../../aws/caller-account.ts';
import { isAmazon } from '../../aws/clients.ts';
import { type SFNClient, sfnClient } from '../../aws/command-clients.ts';
import { stepFunctions } from '../../aws/remote/step-functions.ts';
import type { Executions } from '../../core/remote/executions.ts';
import type { Context } from '../context.ts';
import { localStack } from '../local-stack.ts';
import type { OpenStack } from '../open-stack.ts';

/** What runs migrations on AWS for a stack. */
export interface Runner extends Disposable {
  readonly executions: Executions;
  readonly machineName: string;
}

/** A server on this machine has no accounts. */
const noAccount = '000000000000';

export async function openRunner(context: Context, stack: OpenStack): Promise<Runner> {
  const { config, patience } = stack;
  const { region } = config;
  const endpoint = context.common.endpoints.sfn?.url;
  refuseElsewhere(stack, endpoint);
  const account = config.account ?? (await callerAccount(region, endpoint, patience)) ?? noAccount;
  let client: Promise<SFNClient> | undefined;
  const open = (): Promise<SFNClient> => {
    client ??= sfnClient({ region, endpoint, patience });
    return client;
  };
  const machineArn = runnerMachineArn({ partition: partitionOf(region), region, account }, config);
  return {
    executions: stepFunctions(open, machineArn),
    machineName: runnerMachineName(config),
    [Symbol.dispose]: () => void client?.then((made) => made.destroy()),
  };
}

/** Workers on AWS know nothing of tables elsewhere. */
function refuseElsewhere({ name, endpoint }: OpenStack, ofStepFunctions: string | undefined): void {
  if (name !== localStack && (endpoint === undefined || isAmazon(endpoint) || ofStepFunctions !== undefined)) return;
  const where = name === localStack ? 'the local stack has' : `the server at ${endpoint} has`;
  throw new TablewrightError('BAD_ARGUMENT', `--on aws: ${where} no runner on AWS`, {
    next: 'Leave --on out, or name a stack on AWS (--stack). AWS_ENDPOINT_URL_SFN names another Step Functions.',
  });
}
