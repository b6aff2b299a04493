import * as z from 'zod';
import { flagSetting, textLike, textSetting, whole } from './values.ts';

/**
 * Six fields; of the day of the month and the day of the week one must be `?` (EventBridge User Guide, "Cron expressions";
 * EventBridge Scheduler User Guide, "Schedule types").
 */
export const cronForm = /^cron\(\S+ \S+ (\? \S+ [^\s?]+|[^\s?]+ \S+ \?) \S+\)$/;

/** EventBridge Scheduler takes both kinds. */
const schedule = textLike(
  new RegExp(`^rate\\([1-9]\\d* (minute|hour|day)s?\\)$|${cronForm.source}`),
  'a schedule like rate(6 hours) or cron(0 5 * * ? *)',
);

/** A function runs 15 minutes at most, with 128 to 10,240 MB (Lambda Developer Guide, "Lambda quotas"). */
export const functionTimeout = whole({ min: 30, max: 900, of: 'seconds' });
export const functionMemory = whole({ min: 128, max: 10_240, of: 'MB' });

const job = (usual: string) =>
  z.strictObject({
    enabled: flagSetting.default(false),
    schedule: schedule.default(usual),
    timeoutSeconds: functionTimeout.default(900),
    memoryMb: functionMemory.default(512),
  });

const archive = job('rate(6 hours)');
const drift = job('rate(1 day)');

export const schedulesSchema = z.strictObject({
  /** The zip of `tablewright bundle`, from the project's folder. */
  bundle: textSetting.default('tablewright.zip'),
  /** The statistics of scans go to S3; their results live for 24 hours. */
  archive: archive.default(archive.parse({})),
  /** What the stack has is compared with the catalogue. */
  drift: drift.default(drift.parse({})),
});

export type ScheduleSettings = z.output<typeof schedulesSchema>;

/** What runs by itself. */
export const jobs = ['archive', 'drift'] as const;
export type Job = (typeof jobs)[number];

export function enabledJobs({ schedules }: { readonly schedules: ScheduleSettings }): readonly Job[] {
  return jobs.filter((job) => schedules[job].enabled);
}
