import * as z from 'zod';
import { rolesSchema } from './access.ts';
import { alarmsSchema, tableAlarmsSchema } from './alarms.ts';
import { billingSchema, units } from './billing.ts';
import { ciSchema } from './ci.ts';
import { runnerSchema } from './runner.ts';
import { cronForm, schedulesSchema } from './schedules.ts';
import { exportBucketSchema } from './storage.ts';
import { choiceSetting, flagSetting, shown, textLike, textSetting, whole } from './values.ts';

/** What a stream may carry of each change (CreateTable, `StreamViewType`). */
const streamViews = ['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES'] as const;
const tableClasses = ['STANDARD', 'STANDARD_INFREQUENT_ACCESS'] as const;

/** What a table name may hold; a suffix is a part of one (CreateTable, `TableName`). */
const suffix = textLike(/^[\w.-]*$/, 'letters, digits, underscores, dots and hyphens');

/** Tags that the stack sets itself; resources are found by them. */
export const ownTags = ['Environment', 'Service', 'Table'] as const;

/** A resource holds 50 tags; the stack's own are among them ("Tag naming limits and requirements"). */
export const mostTags = 50 - ownTags.length;

/** What a tag may hold in every service; some take more, IAM takes no more (TagRole, `Tag`). */
const tagText = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;
const tagForm = 'letters, digits, spaces and _ . : / = + - @';

const tagsBeside = (kept: readonly string[]) =>
  z.record(z.string(), textSetting).superRefine((given, context) => {
    const problem = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    for (const [name, value] of Object.entries(given)) {
      if (kept.includes(name)) {
        problem([name], 'expected another name, because the stack sets this tag itself');
      } else if (name.toLowerCase().startsWith('aws:')) {
        problem([name], 'expected a name that does not begin with aws:, which AWS keeps for itself');
      } else if (name === '' || name.length > 128 || !tagText.test(name)) {
        problem([name], `expected a name of 1 to 128 ${tagForm}, found ${shown(name)}`);
      }
      if (value.length > 256 || !tagText.test(value)) problem([name], `expected up to 256 ${tagForm}, found ${shown(value)}`);
    }
    const count = Object.keys(given).filter((name) => !ownTags.some((own) => own === name)).length;
    if (count > mostTags) problem([], `expected at most ${mostTags} tags beside the stack's own, found ${count}`);
  });

const stackTags = tagsBeside(ownTags);

/** What serves whom is the owner's to say: tables that exist may have another word for it than the catalogue's system. */
const tableTags = tagsBeside(ownTags.filter((name) => name !== 'Service'));

/** What Contributor Insights counts (UpdateContributorInsights, `ContributorInsightsMode`); `off` for one table of a stack that has it. */
const insightModes = ['accessed-and-throttled', 'throttled', 'off'] as const;

/** The least that DynamoDB takes for a warm throughput (UpdateTable, `WarmThroughput`). */
export const leastWarm = { read: 12_000, write: 4_000 } as const;

const warmUnits = {
  read: whole({ min: leastWarm.read, of: 'units' }).optional(),
  write: whole({ min: leastWarm.write, of: 'units' }).optional(),
};

const warmSchema = z.strictObject({ ...warmUnits, indexes: z.record(z.string(), z.strictObject(warmUnits)).default({}) });

/** How far back a table can be restored: 1 to 35 days (UpdateContinuousBackups, `RecoveryPeriodInDays`). */
const recoveryDays = whole({ min: 1, max: 35, of: 'days' });

const tableSchema = z.strictObject({
  /** The documented name without its suffix, where the tables that exist have another. */
  baseName: textLike(/^[\w.-]{3,200}$/, 'a table name of 3 to 200 letters, digits, underscores, dots and hyphens').optional(),
  pitr: z.strictObject({ enabled: flagSetting.optional(), recoveryDays: recoveryDays.optional() }).optional(),
  /** Whether the plan of the stack backs it up. */
  backups: flagSetting.optional(),
  contributorInsights: choiceSetting(insightModes).optional(),
  /** Raised when the table is made; DynamoDB never lowers it, and later deployments leave it alone. */
  warm: warmSchema.optional(),
  tags: tableTags.optional(),
  billing: billingSchema.optional(),
  stream: choiceSetting(streamViews).optional(),
  tableClass: choiceSetting(tableClasses).optional(),
  alarms: tableAlarmsSchema.optional(),
});

/** KMS keeps a key that was scheduled for deletion 7 to 30 days (ScheduleKeyDeletion), and rotates every 90 to 2560. */
const keySchema = z.strictObject({
  deletionWindowDays: whole({ min: 7, max: 30, of: 'days' }).default(30),
  rotationDays: whole({ min: 90, max: 2_560, of: 'days' }).default(365),
});

/** A backup in cold storage stays there 90 days at least (AWS Backup, `MoveToColdStorageAfterDays`). */
const coldStorageDays = 90;

const vaultArn = textLike(/^arn:aws[\w-]*:backup:[\w-]+:\d{12}:backup-vault:[\w-]{2,50}$/, 'the ARN of a backup vault');

/** Governance mode: who may, can still lift it (PutBackupVaultLockConfiguration without `ChangeableForDays`). */
const lockSchema = z.strictObject({
  minDays: whole({ min: 1, of: 'days' }),
  maxDays: whole({ min: 1, of: 'days' }).optional(),
});

/** How long backups are kept unless a stack's file says otherwise. */
const usualBackupDays = 35;

/** How long a backup is kept: what the file says, or the usual, or what cold storage asks for. */
export function backupDays(given: {
  readonly deleteAfterDays?: number | undefined;
  readonly coldStorageAfterDays?: number | undefined;
}): number {
  const { deleteAfterDays, coldStorageAfterDays } = given;
  const coldDays = coldStorageAfterDays === undefined ? 0 : coldStorageAfterDays + coldStorageDays;
  return deleteAfterDays ?? Math.max(usualBackupDays, coldDays);
}

const backupsSchema = z
  .strictObject({
    /** On in production stacks when left out. */
    enabled: flagSetting.optional(),
    /** AWS Backup takes no rate (BackupRule, `ScheduleExpression`). */
    schedule: textLike(cronForm, 'a schedule like cron(0 5 * * ? *), the only kind that AWS Backup takes').default(
      'cron(0 5 * * ? *)',
    ),
    /** 35 when left out, or as long as cold storage asks for. */
    deleteAfterDays: whole({ min: 1, of: 'days' }).optional(),
    /** Needs AWS Backup's advanced features for DynamoDB in the account. */
    coldStorageAfterDays: whole({ min: 1, of: 'days' }).optional(),
    /** Where each backup is copied to as well: the vault of another region or account. */
    copyTo: z.strictObject({ vaultArn, deleteAfterDays: whole({ min: 1, of: 'days' }).optional() }).optional(),
    lock: lockSchema.optional(),
  })
  .superRefine(({ lock, ...given }, context) => {
    const days = backupDays(given);
    if (lock === undefined || (days >= lock.minDays && days <= (lock.maxDays ?? days))) return;
    const most = lock.maxDays === undefined ? '' : ` and at most ${lock.maxDays}`;
    context.addIssue({
      code: 'custom',
      path: ['lock'],
      message: `expected deleteAfterDays of at least ${lock.minDays}${most}, as the lock asks, found ${days}`,
    });
  })
  .superRefine(({ deleteAfterDays, coldStorageAfterDays }, context) => {
    if (coldStorageAfterDays === undefined || deleteAfterDays === undefined) return;
    const least = coldStorageAfterDays + coldStorageDays;
    if (deleteAfterDays >= least) return;
    context.addIssue({
      code: 'custom',
      path: ['deleteAfterDays'],
      message: `expected at least ${least}, ${coldStorageDays} days after coldStorageAfterDays, found ${deleteAfterDays}`,
    });
  });

const pitrSchema = z.strictObject({
  /** On in production stacks when left out. */
  enabled: flagSetting.optional(),
  recoveryDays: recoveryDays.default(35),
});

/** Capacity that the migration runner may use, in units per second per table, index writes included. */
const budgetsSchema = z.strictObject({ read: units.default(500), write: units.default(500) });

/** The runner's policy names each of them; a composite alarm stands for more. */
const mostAlarms = 10;

/** CloudWatch takes up to 255 characters (PutMetricAlarm, `AlarmName`); in a policy `*` and `?` would stand for others, too. */
const pauseOnAlarms = z
  .array(textLike(/^[^*?\p{Cc}]{1,255}$/u, 'the name of an alarm, up to 255 characters without * and ?'))
  .min(1, { error: 'expected the names of alarms, found none' })
  .max(mostAlarms, { error: ({ input }) => `expected at most ${mostAlarms} alarms, found ${(input as unknown[]).length}` });

/** The `tablewright:` keys of a stack file. */
export const stackConfigSchema = z.strictObject({
  /** Production stacks are guarded: no seeding, confirmation asked, tables protected. */
  production: flagSetting.default(false),
  /** A stack for a test or a pull request: nothing that outlives it, nothing that watches it. */
  ephemeral: flagSetting.default(false),
  /** The AWS account that this stack lives in; a caller from another one is refused. */
  account: textLike(/^\d{12}$/, 'the 12 digits of an AWS account, in quotes').optional(),
  /** Which systems to deploy; all of the catalogue's when left out. The ledger always is. */
  systems: z.array(textSetting).optional(),
  /** Replaces the suffix of table names: `_dev` for OMS tables, `-dev` for the others. */
  nameSuffix: z.strictObject({ always: suffix.optional(), outsideProd: suffix.optional() }).default({}),
  /** Keeps Pulumi and DynamoDB from deleting tables, key and bucket; on in production stacks when left out. */
  protect: flagSetting.optional(),
  pitr: pitrSchema.default(pitrSchema.parse({})),
  /** For every table that has no billing of its own below. */
  billing: billingSchema.optional(),
  /** Settings of single tables, by the name in the catalogue. */
  tables: z.record(z.string(), tableSchema).default({}),
  tags: stackTags.default({}),
  /** What the tag Environment says; the stack's name when left out. */
  environment: textLike(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,256}$/u, `1 to 256 ${tagForm}`).optional(),
  /** Which keys of tables and indexes are used or throttled most; of every table without its own. */
  contributorInsights: choiceSetting(insightModes).default('off'),
  /** What runs by itself, in functions of the stack. */
  schedules: schedulesSchema.default(schedulesSchema.parse({})),
  /** Migrations by many workers: a function and a state machine. */
  runner: runnerSchema.default(runnerSchema.parse({})),
  /** Roles that a pipeline takes by OpenID Connect. */
  ci: ciSchema.optional(),
  budgets: budgetsSchema.default(budgetsSchema.parse({})),
  /** Alarms, by name, that `migrate --pause-on-alarm` holds still for; the stack's own throttle alarms when left out. */
  pauseOnAlarms: pauseOnAlarms.optional(),
  /** Whose prices an estimate uses; the stack's own region when left out. */
  priceRegion: textSetting.optional(),
  alarms: alarmsSchema.default(alarmsSchema.parse({})),
  dashboards: flagSetting.default(true),
  exportBucket: exportBucketSchema.default(exportBucketSchema.parse({})),
  roles: rolesSchema.default({}),
  backups: backupsSchema.default(backupsSchema.parse({})),
  key: keySchema.default(keySchema.parse({})),
});

export type GivenSettings = z.output<typeof stackConfigSchema>;
