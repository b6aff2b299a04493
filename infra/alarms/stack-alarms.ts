import { resourceName } from '../../tables/model/stack/aws-place.ts';
import { type AlarmValues, alarmDefaults, resolveAlarm, type StackAlarmKind } from '../../tables/model/stack/config/alarms.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import { stackTags } from '../../tables/model/stack/tags.ts';
import { type AlarmArgs, type AlarmName, metricAlarm } from './alarm.ts';
import { ofAccount } from './metrics.ts';

/** Alarms on what DynamoDB counts for the whole account and region, once per stack. */
export function stackAlarms(config: StackConfig): readonly AlarmArgs[] {
  if (!config.alarms.enabled) return [];
  const named = (what: string, description: string): AlarmName => {
    return { id: what, name: resourceName(config.stack, what), description, tags: stackTags(config) };
  };
  const when = (kind: StackAlarmKind, make: (values: AlarmValues) => readonly AlarmArgs[]) => {
    const values = resolveAlarm(alarmDefaults[kind], config.alarms[kind]);
    return values.enabled ? make(values) : [];
  };
  return [
    ...when('accountLimits', (values) => [
      metricAlarm(
        named('account-reads', `The account uses more than ${values.threshold} % of its provisioned read capacity`),
        values,
        ofAccount('AccountProvisionedReadCapacityUtilization'),
        'Maximum',
      ),
      metricAlarm(
        named('account-writes', `The account uses more than ${values.threshold} % of its provisioned write capacity`),
        values,
        ofAccount('AccountProvisionedWriteCapacityUtilization'),
        'Maximum',
      ),
    ]),
    ...when('userErrors', (values) => [
      metricAlarm(named('user-errors', 'DynamoDB refuses requests of this account as wrong'), values, ofAccount('UserErrors')),
    ]),
  ];
}
