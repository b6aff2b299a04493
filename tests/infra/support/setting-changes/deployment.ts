import type { Settings } from '../stack-file.ts';
import { anyFile, backups, both, heldAgain, letGo, made, ofKey, type SettingChange, taken, vaultHeld } from './change.ts';

const role = (settings: object = {}): Settings => ({
  roles: { api: { policies: ['application-read'], services: ['lambda.amazonaws.com'], ...settings } },
});
const logs = (settings: object): Settings => ({ exportBucket: { accessLogs: { enabled: true, ...settings } } });
const named: Settings = { exportBucket: { name: 'desk-exports', accessLogs: { enabled: true } } };
const bucketHeld = /^s3\.Bucket [\w-]+: .* cannot be deleted because it is protected$/;
const backtest = 'backtest';
const vaultArn = 'arn:aws:backup:eu-west-1:444455556666:backup-vault:far';
const drift = (settings: object): Settings => ({
  schedules: { bundle: anyFile, drift: { enabled: true, ...settings } },
});
const runner = (settings: object): Settings => ({
  schedules: { bundle: anyFile },
  runner: { enabled: true, ...settings },
});
/** What each job has. */
const job = [
  'cloudwatch.LogGroup ×1',
  'iam.Role ×2',
  'iam.RolePolicy ×2',
  'iam.RolePolicyAttachment ×1',
  'lambda.Function ×1',
  'scheduler.Schedule ×1',
];
const runnerParts = [
  'cloudwatch.LogGroup ×2',
  'cloudwatch.MetricAlarm ×4',
  'iam.Role ×2',
  'iam.RolePolicy ×2',
  'iam.RolePolicyAttachment ×1',
  'lambda.Function ×1',
  'sfn.StateMachine ×1',
];
const deployer = ['iam.Policy ×4', 'iam.Role ×1', 'iam.RolePolicyAttachment ×3'];
const bounded = 'update iam.Role ×1: permissionsBoundary';
const ci = {
  provider: 'arn:aws:iam::111122223333:oidc-provider/token.actions.githubusercontent.com',
  migrate: ['repo:desk/trading:ref:refs/heads/main'],
};

const logBucket = [
  's3.Bucket ×1',
  's3.BucketLifecycleConfiguration ×1',
  's3.BucketLogging ×1',
  's3.BucketOwnershipControls ×1',
  's3.BucketPolicy ×1',
  's3.BucketPublicAccessBlock ×1',
  's3.BucketServerSideEncryptionConfiguration ×1',
  's3.BucketVersioning ×1',
];

/** The bucket, roles, backups and the key. */
export const deploymentChanges: readonly SettingChange[] = [
  {
    keys: ['exportBucket.name'],
    stack: 'prod',
    from: logs({}),
    to: named,
    // Another bucket, and its exports stay behind: docs/infrastructure.md says so.
    ...both(
      'replace s3.Bucket ×2: bucket, forceDestroy',
      'replace s3.BucketLifecycleConfiguration ×2: bucket',
      'replace s3.BucketLogging ×1: bucket, targetBucket',
      'replace s3.BucketOwnershipControls ×2: bucket',
      'replace s3.BucketPolicy ×2: bucket, policy',
      'replace s3.BucketPublicAccessBlock ×2: bucket',
      'replace s3.BucketServerSideEncryptionConfiguration ×2: bucket',
      'replace s3.BucketVersioning ×2: bucket',
      'update dynamodb.Table ×3: deletionProtectionEnabled',
      'update iam.Policy ×4: policy',
      vaultHeld,
    ),
    betweenThere: letGo(logs({}), bucketHeld),
    betweenBack: letGo(named, bucketHeld),
  },
  {
    keys: ['exportBucket.lifecycle'],
    stack: 'dev',
    to: { exportBucket: { lifecycle: [] } },
    ...both('update s3.BucketLifecycleConfiguration ×1: rules'),
  },
  {
    keys: ['exportBucket.noncurrentDays'],
    stack: 'dev',
    to: { exportBucket: { noncurrentDays: 3 } },
    ...both('update s3.BucketLifecycleConfiguration ×1: rules'),
  },
  {
    keys: ['exportBucket.abortUploadDays'],
    stack: 'dev',
    to: { exportBucket: { abortUploadDays: 3 } },
    ...both('update s3.BucketLifecycleConfiguration ×1: rules'),
  },
  {
    keys: ['exportBucket.accessLogs.enabled'],
    stack: 'prod',
    from: logs({}),
    to: logs({ enabled: false }),
    there: [...taken(...logBucket).there, ...heldAgain(1), vaultHeld],
    back: taken(...logBucket).back,
    betweenThere: letGo(logs({}), /^s3\.Bucket export-logs: .* cannot be deleted because it is protected$/),
  },
  {
    keys: ['exportBucket.accessLogs.expireDays'],
    stack: 'prod',
    from: logs({}),
    to: logs({ expireDays: 3 }),
    ...both('update s3.BucketLifecycleConfiguration ×1: rules'),
  },
  {
    keys: ['roles.<name>.policies'],
    stack: 'dev',
    to: role(),
    there: [...made('iam.Role ×1', 'iam.RolePolicyAttachment ×1').there, ofKey],
    back: [...made('iam.Role ×1', 'iam.RolePolicyAttachment ×1').back, ofKey],
  },
  {
    keys: ['roles.<name>.policies'],
    stack: 'dev',
    from: role(),
    to: role({ policies: ['exporter'] }),
    ...both('create iam.RolePolicyAttachment ×1', 'delete iam.RolePolicyAttachment ×1'),
  },
  {
    keys: ['roles.<name>.systems'],
    stack: 'dev',
    from: { systems: [backtest, 'oms'], ...role() },
    to: { systems: [backtest, 'oms'], ...role({ systems: ['oms'] }) },
    ...taken('iam.RolePolicyAttachment ×1'),
  },
  {
    keys: ['roles.<name>.principals'],
    stack: 'dev',
    from: role(),
    to: role({ principals: ['arn:aws:iam::111122223333:root'] }),
    ...both('update iam.Role ×1: assumeRolePolicy'),
  },
  {
    keys: ['roles.<name>.services'],
    stack: 'dev',
    from: role(),
    to: role({ services: ['ec2.amazonaws.com'] }),
    ...both('update iam.Role ×1: assumeRolePolicy'),
  },
  {
    keys: ['backups.enabled'],
    stack: 'prod',
    to: { backups: { enabled: false } },
    there: [...made(...backups, 'cloudwatch.MetricAlarm ×1').back, ofKey, ...heldAgain(2)],
    back: [...made(...backups, 'cloudwatch.MetricAlarm ×1').there, ofKey],
    betweenThere: letGo({}, /^backup\.Vault backups: .* cannot be deleted because it is protected$/),
  },
  {
    keys: ['backups.schedule'],
    stack: 'prod',
    to: { backups: { schedule: 'cron(0 6 * * ? *)' } },
    ...both('update backup.Plan ×1: rules'),
  },
  {
    keys: ['backups.deleteAfterDays'],
    stack: 'prod',
    to: { backups: { deleteAfterDays: 7 } },
    ...both('update backup.Plan ×1: rules'),
  },
  {
    keys: ['backups.coldStorageAfterDays'],
    stack: 'prod',
    to: { backups: { coldStorageAfterDays: 30 } },
    ...both('update backup.Plan ×1: rules'),
  },
  {
    keys: ['backups.copyTo.vaultArn'],
    stack: 'prod',
    to: { backups: { copyTo: { vaultArn } } },
    there: ['create cloudwatch.MetricAlarm ×1', 'update backup.Plan ×1: rules'],
    back: ['delete cloudwatch.MetricAlarm ×1', 'update backup.Plan ×1: rules'],
  },
  {
    keys: ['backups.copyTo.deleteAfterDays'],
    stack: 'prod',
    from: { backups: { copyTo: { vaultArn } } },
    to: { backups: { copyTo: { vaultArn, deleteAfterDays: 90 } } },
    ...both('update backup.Plan ×1: rules'),
  },
  {
    keys: ['backups.lock.minDays', 'backups.lock.maxDays'],
    stack: 'prod',
    to: { backups: { lock: { minDays: 7, maxDays: 90 } } },
    ...made('backup.VaultLockConfiguration ×1'),
  },
  {
    keys: ['schedules.archive.enabled', 'schedules.bundle'],
    stack: 'dev',
    to: { schedules: { bundle: anyFile, archive: { enabled: true } } },
    ...made('cloudwatch.MetricAlarm ×1', ...job),
  },
  {
    keys: ['schedules.drift.enabled'],
    stack: 'dev',
    to: drift({}),
    ...made('cloudwatch.MetricAlarm ×2', ...job),
  },
  {
    keys: ['schedules.<job>.schedule'],
    stack: 'dev',
    from: drift({}),
    to: drift({ schedule: 'rate(2 hours)' }),
    ...both('update scheduler.Schedule ×1: scheduleExpression'),
  },
  {
    keys: ['schedules.<job>.timeoutSeconds', 'schedules.<job>.memoryMb'],
    stack: 'dev',
    from: drift({}),
    to: drift({ timeoutSeconds: 60, memoryMb: 256 }),
    ...both('update lambda.Function ×1: memorySize, timeout'),
  },
  {
    keys: ['runner.enabled'],
    stack: 'dev',
    to: runner({}),
    there: [...made(...runnerParts).there, ofKey, 'update iam.Policy ×1: policy'],
    back: [...made(...runnerParts).back, ofKey, 'update iam.Policy ×1: policy'],
  },
  {
    keys: ['runner.memoryMb', 'runner.timeoutSeconds', 'runner.reservedConcurrency'],
    stack: 'dev',
    from: runner({}),
    to: runner({ memoryMb: 3_008, timeoutSeconds: 600, reservedConcurrency: 50 }),
    ...both('update lambda.Function ×1: memorySize, reservedConcurrentExecutions, timeout'),
  },
  {
    keys: ['runner.logDays'],
    stack: 'dev',
    from: runner({}),
    to: runner({ logDays: 90 }),
    ...both('update cloudwatch.LogGroup ×2: retentionInDays'),
  },
  { keys: ['ci.provider', 'ci.migrate'], stack: 'dev', to: { ci }, ...made('iam.Role ×1', 'iam.RolePolicyAttachment ×1') },
  {
    keys: ['ci.audience'],
    stack: 'dev',
    from: { ci },
    to: { ci: { ...ci, audience: 'https://desk.example' } },
    ...both('update iam.Role ×1: assumeRolePolicy'),
  },
  {
    keys: ['ci.deploy'],
    stack: 'dev',
    from: { ci },
    to: { ci: { ...ci, deploy: ['repo:desk/trading:environment:dev'] } },
    there: [...made(...deployer).there, bounded],
    back: [...made(...deployer).back, bounded],
  },
  {
    keys: ['key.deletionWindowDays'],
    stack: 'prod',
    to: { key: { deletionWindowDays: 9 } },
    ...both('update kms.Key ×1: deletionWindowInDays'),
  },
  {
    keys: ['key.rotationDays'],
    stack: 'prod',
    to: { key: { rotationDays: 90 } },
    ...both('update kms.Key ×1: rotationPeriodInDays'),
  },
];
