import { backups, both, heldAgain, letGo, made, ofKey, type SettingChange, vaultHeld } from './change.ts';

const none = both();
const backtest = 'backtest';

/** What an ephemeral stack is without. */
const without = made(
  'cloudwatch.Dashboard ×2',
  'cloudwatch.MetricAlarm ×29',
  'kms.Alias ×1',
  'kms.Key ×1',
  'sns.Topic ×1',
  'sns.TopicPolicy ×1',
);
const encrypted = [
  'update dynamodb.Table ×3: serverSideEncryption',
  'update iam.Policy ×7: policy',
  'update s3.BucketServerSideEncryptionConfiguration ×1: rules',
];
const tagged = [
  'update cloudwatch.MetricAlarm ×29: tags',
  'update dynamodb.Table ×3: tags',
  'update iam.Policy ×10: tags',
  'update kms.Key ×1: tags',
  'update s3.Bucket ×1: tags',
  'update sns.Topic ×1: tags',
];

export const stackChanges: readonly SettingChange[] = [
  {
    keys: ['production'],
    stack: 'dev',
    to: { production: true },
    there: [
      ...made(...backups, 'cloudwatch.MetricAlarm ×1').there,
      'delete iam.Policy ×1',
      'update dynamodb.Table ×3: deletionProtectionEnabled',
      ofKey,
      'update s3.Bucket ×1: forceDestroy',
    ],
    // From production with protection lifted, which is the deployment between.
    back: ['create iam.Policy ×1', ...made(...backups, 'cloudwatch.MetricAlarm ×1').back, ofKey],
    betweenBack: letGo({ production: true }, /^backup\.Vault backups: .* cannot be deleted because it is protected$/),
  },
  {
    keys: ['ephemeral'],
    stack: 'dev',
    to: { ephemeral: true },
    there: [...without.back, ...encrypted],
    back: [...without.there, ...encrypted],
  },
  { keys: ['environment'], stack: 'dev', to: { environment: 'production' }, ...both(...tagged) },
  {
    keys: ['contributorInsights'],
    stack: 'dev',
    to: { contributorInsights: 'throttled' },
    ...made('dynamodb.ContributorInsights ×6'),
  },
  { keys: ['account'], stack: 'dev', to: { account: '111122223333' }, ...none },
  {
    keys: ['systems'],
    stack: 'prod',
    to: { systems: [backtest, 'oms'] },
    there: [
      'create cloudwatch.Dashboard ×1',
      'create cloudwatch.MetricAlarm ×12',
      'create dynamodb.Table ×1',
      'create iam.Policy ×2',
      'update backup.Selection ×1: resources',
      'update iam.Policy ×7: policy',
    ],
    back: [
      'delete cloudwatch.Dashboard ×1',
      'delete cloudwatch.MetricAlarm ×12',
      'delete dynamodb.Table ×1',
      'delete iam.Policy ×2',
      'update backup.Selection ×1: resources',
      'update iam.Policy ×7: policy',
      ...heldAgain(2),
      vaultHeld,
    ],
    betweenBack: letGo({ systems: [backtest, 'oms'] }, /^dynamodb\.Table oms_\w+: .* cannot be deleted because it is protected$/),
  },
  {
    keys: ['nameSuffix.outsideProd'],
    stack: 'dev',
    to: { nameSuffix: { outsideProd: '-x' } },
    // Tables of another name are other tables: docs/infrastructure.md says so.
    ...both(
      'replace dynamodb.Table ×3: name',
      'update cloudwatch.Dashboard ×2: dashboardBody',
      'update cloudwatch.MetricAlarm ×2: alarmDescription, metricQueries',
      'update cloudwatch.MetricAlarm ×24: alarmDescription, dimensions',
      'update iam.Policy ×10: policy',
    ),
  },
  {
    keys: ['nameSuffix.always'],
    stack: 'dev',
    from: { systems: ['oms'] },
    to: { systems: ['oms'], nameSuffix: { always: '_x' } },
    ...both(
      'replace dynamodb.Table ×1: name',
      'update cloudwatch.Dashboard ×1: dashboardBody',
      'update cloudwatch.MetricAlarm ×8: alarmDescription, dimensions',
      'update iam.Policy ×10: policy',
    ),
  },
  {
    keys: ['protect'],
    stack: 'prod',
    to: { protect: false },
    ...both(
      'update backup.Vault ×1: forceDestroy',
      'update dynamodb.Table ×3: deletionProtectionEnabled',
      'update s3.Bucket ×2: forceDestroy',
    ),
  },
  {
    keys: ['tags'],
    stack: 'dev',
    to: { tags: { team: 'desk' } },
    ...both(...tagged),
  },
  { keys: ['budgets.read', 'budgets.write'], stack: 'dev', to: { budgets: { read: 1, write: 1 } }, ...none },
  // The runner may look at an alarm that is not the stack's own.
  { keys: ['pauseOnAlarms'], stack: 'dev', to: { pauseOnAlarms: ['checkout'] }, ...both('update iam.Policy ×1: policy') },
  { keys: ['priceRegion'], stack: 'dev', to: { priceRegion: 'eu-west-1' }, ...none },
];
