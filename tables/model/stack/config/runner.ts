import * as z from 'zod';
import { functionMemory, functionTimeout } from './schedules.ts';
import { flagSetting, shown, toNumber, whole } from './values.ts';

/** How long CloudWatch keeps a log: these numbers of days and no others (PutRetentionPolicy, `retentionInDays`). */
const logRetentions: readonly unknown[] = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1_096, 1_827, 2_192, 2_557, 2_922, 3_288, 3_653,
];

const error = ({ input }: { readonly input?: unknown }) =>
  `expected one of ${logRetentions.join(', ')} days, found ${shown(input)}`;
const logDays = z.preprocess(
  toNumber,
  z.number({ error }).refine((days) => logRetentions.includes(days), { error }),
);

/** What runs migrations by many workers on AWS; its code is the zip of `schedules.bundle`. */
export const runnerSchema = z.strictObject({
  enabled: flagSetting.default(false),
  /** With 1,769 MB a function has a processor of its own (Lambda Developer Guide, "Configure Lambda function memory"). */
  memoryMb: functionMemory.default(1_769),
  /** Of one worker; what is not done then is gone on with by the next. */
  timeoutSeconds: functionTimeout.default(900),
  /** Workers that the account keeps for it, and the most that run at once; it shares the account's when left out. */
  reservedConcurrency: whole({ min: 1, of: 'workers' }).optional(),
  logDays: logDays.default(30),
});

/** Roles that the runner has, and that no other of the stack may be called. */
export const runnerRoles = { worker: 'runner', machine: 'runner-machine' } as const;
