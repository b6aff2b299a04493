import { runnerMachineArn } from '../../tables/model/runner/names.ts';
import { type AwsPlace, resourceName } from '../../tables/model/stack/aws-place.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import { stackTags } from '../../tables/model/stack/tags.ts';
import { type AlarmArgs, metricAlarm } from '../alarms/alarm.ts';
import { type Metric, ofFunction, ofMachine } from '../alarms/metrics.ts';
import { runnerNames } from './runner-names.ts';

/** Executions that do not end well, and workers that fail or find no place. */
export function runnerAlarms(config: StackConfig, place: AwsPlace): readonly AlarmArgs[] {
  if (!config.runner.enabled || !config.alarms.enabled) return [];
  const { name } = runnerNames(config);
  const machine = runnerMachineArn(place, config);
  const alarm = (what: string, description: string, metric: Metric, periods = 1): AlarmArgs => {
    const named = { id: what, name: resourceName(config, what), description, tags: stackTags(config) };
    return metricAlarm(named, { enabled: true, threshold: 0, periodSeconds: 300, periods }, metric);
  };
  return [
    alarm(
      'runner-failures',
      'An execution of the runner failed; tablewright status says where it is',
      ofMachine('ExecutionsFailed', machine),
    ),
    alarm('runner-timeouts', 'An execution of the runner took too long', ofMachine('ExecutionsTimedOut', machine)),
    alarm('runner-errors', 'A worker of the runner failed; its log says why', ofFunction('Errors', name)),
    // Passes by itself where other functions need the account's concurrency for a while.
    alarm(
      'runner-throttles',
      'Workers of the runner find no place in the account’s concurrency',
      ofFunction('Throttles', name),
      3,
    ),
  ];
}
