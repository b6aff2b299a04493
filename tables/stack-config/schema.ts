import { z } from 'zod';
import { rolesSchema } from './access.ts';
import { alarmsSchema, tableAlarmsSchema } from './alarms.ts';
import { billingSchema, readWrite } from './billing.ts';
import { exportBucketSchema } from './storage.ts';

/** What a stream may carry of each change (CreateTable, `StreamViewType`). */
const streamViews = ['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES'] as const;
const tableClasses = ['STANDARD', 'STANDARD_INFREQUENT_ACCESS'] as const;

/** What a table name may hold; a suffix is a part of one (CreateTable, `TableName`). */
const suffix = z.string().regex(/^[\w.-]*$/, {
  error: (issue) => `expected letters, digits, underscores, dots and hyphens, found ${String(issue.input)}`,
});

/** Tags that the stack sets itself; resources are found by them. */
export const ownTags = ['Environment', 'Service', 'Table'] as const;

const tags = z.record(z.string().min(1).max(128), z.string().max(256)).superRefine((given, context) => {
  for (const name of ownTags.filter((own) => own in given)) {
    context.addIssue({ code: 'custom', path: [name], message: 'expected another name, because the stack sets this tag itself' });
  }
});

const tableSchema = z.strictObject({
  billing: billingSchema.optional(),
  stream: z.enum(streamViews).optional(),
  tableClass: z.enum(tableClasses).optional(),
  alarms: tableAlarmsSchema.optional(),
});

/** KMS keeps a key that was scheduled for deletion 7 to 30 days (ScheduleKeyDeletion), and rotates every 90 to 2560. */
const keySchema = z.strictObject({
  deletionWindowDays: z.int().min(7).max(30).default(30),
  rotationDays: z.int().min(90).max(2_560).default(365),
});

/** A backup in cold storage stays there 90 days at least (AWS Backup, `MoveToColdStorageAfterDays`). */
const coldStorageDays = 90;

const backupsSchema = z
  .strictObject({
    /** On in production stacks when left out. */
    enabled: z.boolean().optional(),
    schedule: z
      .string()
      .regex(/^(cron|rate)\(.+\)$/, {
        error: (issue) => `expected a schedule like cron(0 5 * * ? *), found ${String(issue.input)}`,
      })
      .default('cron(0 5 * * ? *)'),
    deleteAfterDays: z.int().min(1).default(35),
    /** Needs AWS Backup's advanced features for DynamoDB in the account. */
    coldStorageAfterDays: z.int().min(1).optional(),
  })
  .superRefine(({ deleteAfterDays, coldStorageAfterDays }, context) => {
    if (coldStorageAfterDays === undefined || deleteAfterDays >= coldStorageAfterDays + coldStorageDays) return;
    const least = coldStorageAfterDays + coldStorageDays;
    context.addIssue({
      code: 'custom',
      path: ['deleteAfterDays'],
      message: `expected at least ${least}, ${coldStorageDays} days after coldStorageAfterDays, found ${deleteAfterDays}`,
    });
  });

function twelveDigits({ input }: { readonly input?: unknown }): string {
  return `expected the 12 digits of an AWS account, in quotes, found ${JSON.stringify(input)}`;
}

/** The `tablewright:` keys of a stack file. */
export const stackConfigSchema = z.strictObject({
  /** Production stacks are guarded: no seeding, confirmation asked, tables protected. */
  production: z.boolean().default(false),
  /** The AWS account that this stack lives in; a caller from another one is refused. */
  account: z
    .string({ error: twelveDigits })
    .regex(/^\d{12}$/, { error: twelveDigits })
    .optional(),
  /** Which systems to deploy; all of the catalogue's when left out. The ledger always is. */
  systems: z.array(z.string()).optional(),
  /** Replaces the suffix of table names: `_dev` for OMS tables, `-dev` for the others. */
  nameSuffix: z.strictObject({ always: suffix.optional(), outsideProd: suffix.optional() }).default({}),
  /** Keeps Pulumi and DynamoDB from deleting tables, key and bucket; on in production stacks when left out. */
  protect: z.boolean().optional(),
  /** How far back a table can be restored: 1 to 35 days (UpdateContinuousBackups, `RecoveryPeriodInDays`). */
  pitr: z.strictObject({ enabled: z.boolean(), recoveryDays: z.int().min(1).max(35).default(35) }).optional(),
  /** For every table that has no billing of its own below. */
  billing: billingSchema.optional(),
  /** Settings of single tables, by the name in the catalogue. */
  tables: z.record(z.string(), tableSchema).default({}),
  tags: tags.default({}),
  /** Capacity that the migration runner may use, in units per second per table, index writes included. */
  budgets: readWrite.default({ read: 500, write: 500 }),
  /** Whose prices an estimate uses; the stack's own region when left out. */
  priceRegion: z.string().optional(),
  alarms: alarmsSchema.default(alarmsSchema.parse({})),
  dashboards: z.boolean().default(true),
  exportBucket: exportBucketSchema.default(exportBucketSchema.parse({})),
  roles: rolesSchema.default({}),
  backups: backupsSchema.default(backupsSchema.parse({})),
  key: keySchema.default(keySchema.parse({})),
});

export type GivenSettings = z.output<typeof stackConfigSchema>;

/**
 * Keys that only the deployment reads. The command line has no passphrase, so it passes over a secret among them;
 * every other key shapes tables or guards them and must be plain.
 */
export const deploymentKeys = ['alarms', 'dashboards', 'exportBucket', 'roles', 'backups', 'key'] as const;
