import { runnerMachineName } from '../../tables/model/runner/names.ts';
import { type AwsPlace, logGroupArn, resourceName } from '../../tables/model/stack/aws-place.ts';
import { runnerRoles } from '../../tables/model/stack/config/runner.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';

/** What the runner is called in each service. */
export function runnerNames(config: StackConfig) {
  const name = runnerMachineName(config);
  return {
    name,
    workerRole: resourceName(config, runnerRoles.worker),
    machineRole: resourceName(config, runnerRoles.machine),
    workerLogs: `/aws/lambda/${name}`,
    // Names that begin so do not count against the length of the log service's own policy (Step Functions Developer Guide, "Logging").
    machineLogs: `/aws/vendedlogs/states/${name}`,
  };
}

/** Where there is a runner. */
export function runnerLogGroupArns(config: StackConfig, place: AwsPlace): readonly string[] {
  if (!config.runner.enabled) return [];
  const { workerLogs, machineLogs } = runnerNames(config);
  return [workerLogs, machineLogs].map((group) => logGroupArn(place, group));
}
