import * as z from 'zod';
import { choiceSetting, flagSetting, textLike, whole } from './values.ts';

const days = whole({ min: 1, of: 'days' });

/** S3 moves nothing to an infrequent-access class before this age (S3 User Guide, "Lifecycle transition constraints"). */
const daysBeforeInfrequentAccess = 30;

/** Statistics and aggregates are kept for ever; only their storage class may change. */
export const statisticsPrefix = 'statistics/';
/** Where the input of a bulk put is staged, and DynamoDB reports what it did not write. */
export const bulkPrefix = 'bulk/';

const storageClasses = ['STANDARD_IA', 'ONEZONE_IA', 'INTELLIGENT_TIERING', 'GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE'] as const;

const lifecycleSchema = z
  .strictObject({
    prefix: textLike(/^[\w.-][\w./-]*\/$/, 'a folder that ends with a slash, like exports/'),
    transition: z.strictObject({ days: whole({ min: 0, of: 'days' }), storageClass: choiceSetting(storageClasses) }).optional(),
    /** Left out: objects under the prefix never expire. */
    expireDays: days.optional(),
  })
  .superRefine(({ prefix, transition, expireDays }, context) => {
    const problem = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (prefix.startsWith(statisticsPrefix) && expireDays !== undefined) {
      problem(['expireDays'], `expected none, because statistics are kept for ever, found ${expireDays}`);
    }
    if (transition?.storageClass.endsWith('_IA') && transition.days < daysBeforeInfrequentAccess) {
      problem(
        ['transition', 'days'],
        `expected at least ${daysBeforeInfrequentAccess} for ${transition.storageClass}, found ${transition.days}`,
      );
    }
    if (transition !== undefined && expireDays !== undefined && expireDays <= transition.days) {
      problem(['expireDays'], `expected more than transition.days (${transition.days}), found ${expireDays}`);
    }
  });

export type Lifecycle = z.output<typeof lifecycleSchema>;

const usualLifecycle: Lifecycle[] = [
  { prefix: 'exports/', transition: { days: 30, storageClass: 'STANDARD_IA' }, expireDays: 365 },
  { prefix: 'imports/', expireDays: 30 },
  // A bulk put takes hours and removes its input itself; its token holds for eight (StartBulkPutItems, `ClientToken`).
  { prefix: bulkPrefix, expireDays: 7 },
  { prefix: 'dead-letters/', expireDays: 90 },
  { prefix: statisticsPrefix, transition: { days: 90, storageClass: 'GLACIER_IR' } },
];

const accessLogsSchema = z.strictObject({ enabled: flagSetting.default(false), expireDays: days.default(90) });

export const exportBucketSchema = z.strictObject({
  /** Bucket names are one space for all of AWS; the usual one carries the account and the region. */
  name: textLike(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, '3 to 63 lower-case letters, digits, dots and hyphens').optional(),
  lifecycle: z.array(lifecycleSchema).default(usualLifecycle),
  /** How long a replaced or deleted object can still be had, outside statistics. */
  noncurrentDays: days.default(30),
  abortUploadDays: days.default(7),
  accessLogs: accessLogsSchema.default(accessLogsSchema.parse({})),
});

export type ExportBucketSettings = z.output<typeof exportBucketSchema>;
