import { type AwsPlace, anyArn, resourceName, type StackName } from '../stack/aws-place.ts';

/** The state machine and the function of a stack that runs migrations by many workers bear this name, each in its own service. */
export function runnerMachineName(config: StackName): string {
  return resourceName(config, 'runner');
}

type Place = Omit<AwsPlace, 'dnsSuffix'>;

/** Known from its name: nobody has to be asked, and no role of the machine waits for the machine. */
export function runnerMachineArn(place: Place, config: StackName): string {
  return anyArn(place, 'states', `stateMachine:${runnerMachineName(config)}`);
}

/** An execution's ARN has the machine's name in it (Step Functions Developer Guide, "Resource types defined by AWS Step Functions"). */
export function executionArn(place: Place, config: StackName, execution: string): string {
  return anyArn(place, 'states', `execution:${runnerMachineName(config)}:${execution}`);
}

/** The name of an execution, by its ARN; undefined for whoever else holds a lock. */
export function executionNameOf(holder: string): string | undefined {
  return /^arn:[^:]+:states:[^:]*:[^:]*:execution:[^:]+:([^:]+)$/.exec(holder)?.[1];
}

/** In the place of a region, in the ARNs of executions that run on somebody's own machine. */
export const localRegion = 'local';
