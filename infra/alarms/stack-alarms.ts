import { resourceName } from '../../tables/model/stack/aws-place.ts';
import { type AlarmValues, alarmDefaults, resolveAlarm, type StackAlarmKind } from '../../tables/model/stack/config/alarms.ts';
import { enabledJobs, type Job } from '../../tables/model/stack/config/schedules.ts';
import { driftMetric } from '../../tables/model/stack/drift-metric.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import { stackTags } from '../../tables/model/stack/tags.ts';
import { backupsName } from '../backup-plan.ts';
import { type AlarmArgs, type AlarmName, metricAlarm, queryAlarm } from './alarm.ts';
import { ofAccount, ofFunction, ofToolkit } from './metrics.ts';

/** Alarms on what DynamoDB counts for the whole account and region, once per stack. */
export function stackAlarms(config: StackConfig): readonly AlarmArgs[] {
  if (!config.alarms.enabled) return [];
  const named = (what: string, description: string): AlarmName => {
    return { id: what, name: resourceName(config, what), description, tags: stackTags(config) };
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
    ...(config.backups.enabled ? when('backupFailures', (values) => backupFailures(config, named, values)) : []),
    ...(config.schedules.drift.enabled
      ? when('drift', (values) => [
          metricAlarm(
            named('drift', 'The stack is not what the catalogue says; tablewright doctor tells where'),
            values,
            ofToolkit(driftMetric, config),
            'Maximum',
          ),
        ])
      : []),
    ...enabledJobs(config).map((job) => functionErrors(config, named, job)),
  ];
}

type Named = (what: string, description: string) => AlarmName;

/**
 * By the vault, under whatever further dimensions AWS counts: it keeps these metrics by BackupVaultName, and by that and ResourceType
 * (CloudWatch User Guide, "Supported metrics", AWS/Backup), so one failure counts twice. A copy counts for the vault that it goes to
 * (AWS Backup Developer Guide, "AWS Backup metrics with Amazon CloudWatch").
 */
function backupFailures(config: StackConfig, named: Named, values: AlarmValues): readonly AlarmArgs[] {
  const { copyTo } = config.backups;
  const failed = (jobs: 'Backup' | 'Copy', vault: string) =>
    `SELECT SUM(NumberOf${jobs}JobsFailed) FROM "AWS/Backup" WHERE BackupVaultName = '${vault}'`;
  const own = backupsName(config);
  const backups = named('backup-failures', `AWS Backup failed to back up a table into ${own}`);
  const alarms = [queryAlarm(backups, values, { query: failed('Backup', own), label: 'failed backups' })];
  if (copyTo === undefined) return alarms;
  const vault = copyTo.vaultArn.slice(copyTo.vaultArn.lastIndexOf(':') + 1);
  const copies = named('copy-failures', `AWS Backup failed to copy a backup to ${vault}`);
  return [...alarms, queryAlarm(copies, values, { query: failed('Copy', vault), label: 'failed copies' })];
}

/** A function that fails is started again by its schedule; what failed every time is told. */
function functionErrors(config: StackConfig, named: Named, job: Job): AlarmArgs {
  const values = { enabled: true, threshold: 0, periodSeconds: 3_600, periods: 1 };
  return metricAlarm(
    named(`${job}-errors`, `The scheduled ${job} fails; its log says why`),
    values,
    ofFunction('Errors', resourceName(config, job)),
  );
}
