import * as z from 'zod';

/** What the runner's state machine can be told to do; each is the command of that name. */
export const remoteCommands = ['migrate', 'verify', 'rollback', 'retry'] as const;
export type RemoteCommand = (typeof remoteCommands)[number];

/**
 * A Distributed Map takes its units inline: 20,000 numbers stay well below the 256 KiB that pass between two states (Step Functions
 * Developer Guide, "Service quotas").
 */
export const maxUnits = 20_000;

const units = z.number().nonnegative();

/** The input of an execution: what is to be done, within which budget, and by which code. It never changes while it runs. */
export const orderSchema = z.strictObject({
  command: z.enum(remoteCommands),
  request: z.strictObject({
    /** Up to this migration (migrate), or back to it (rollback). */
    to: z.string().optional(),
    /** The one migration that verify or retry is about. */
    id: z.string().optional(),
    phase: z.enum(['before-deploy', 'after-deploy']).optional(),
    accept: z.boolean(),
    acceptGaps: z.boolean(),
    includeExpired: z.boolean(),
    /** Hold still while an alarm of the stack rings. */
    pauseOnAlarm: z.boolean().optional(),
  }),
  /** Every migration of the project as the caller has it; a function that holds others refuses. */
  migrations: z.array(z.strictObject({ id: z.string(), checksum: z.string() })),
  /** The published version of the function. */
  version: z.string(),
  /** Workers at once, at most. */
  workers: z.number().int().positive(),
  /** Units per second of all workers together; 0 stands for no limit. */
  budget: z.strictObject({ read: units, write: units }),
  /** Who asked for it; goes to the ledger. */
  who: z.string(),
  commit: z.string().optional(),
});
export type Order = z.output<typeof orderSchema>;

/** One pass over the units of a step; plain data, so that a worker needs nothing else. */
export const passOrderSchema = z.strictObject({
  migration: z.string(),
  generation: z.number().int(),
  step: z.number().int(),
  pass: z.enum(['apply', 'verify', 'rollback']),
  segments: z.number().int(),
  /** Of the lock. */
  token: z.number().int(),
  /** Of a rollback: its journals are only looked at, before anything of any of them is undone. */
  survey: z.boolean().optional(),
  /** At once, of all that were asked for. */
  workers: z.number().int().positive(),
  /** Units per second of one worker; 0 stands for no limit. */
  share: z.strictObject({ read: units, write: units }),
});
export type PassOrder = z.output<typeof passOrderSchema>;

/** What Step Functions says of the execution (`$$.Execution`). */
export const executionSchema = z.looseObject({
  Id: z.string(),
  Name: z.string(),
  /** Above 0 when somebody has redriven it, which is refused: going on is always a new execution with a new token. */
  RedriveCount: z.number().int().optional(),
});

/** What the state machine hands to the function. */
export const taskSchema = z.discriminatedUnion('task', [
  z.strictObject({ task: z.literal('next'), execution: executionSchema, order: orderSchema }),
  z.strictObject({ task: z.literal('inline'), execution: executionSchema, order: orderSchema }),
  z.strictObject({
    task: z.literal('unit'),
    execution: executionSchema,
    order: orderSchema,
    pass: passOrderSchema,
    unit: z.number().int(),
  }),
  z.strictObject({ task: z.literal('end'), execution: executionSchema, order: orderSchema, cause: z.unknown() }),
]);
export type RunnerTask = z.output<typeof taskSchema>;
export type TaskOf<T extends RunnerTask['task']> = Extract<RunnerTask, { readonly task: T }>;

/** What `next` answers: what the state machine does now. */
export type NextAnswer =
  | { readonly kind: 'pass'; readonly pass: PassOrder; readonly units: readonly number[]; readonly workers: number }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'inline' }
  /** Everything asked for is done, or it was stopped in order; the lock is given back. */
  | { readonly kind: 'done'; readonly outcome: 'done' | 'interrupted' }
  /** The execution ends as failed, with this; the lock is given back. */
  | { readonly kind: 'failed'; readonly error: string; readonly cause: string };

/** What an execution ends with. It is kept where its lock was: an answer that is lost is asked for again. */
export type EndAnswer = Extract<NextAnswer, { readonly kind: 'done' | 'failed' }>;

export function isEndAnswer(value: unknown): value is EndAnswer {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, outcome, error, cause } = value as Readonly<Record<string, unknown>>;
  if (kind === 'done') return outcome === 'done' || outcome === 'interrupted';
  return kind === 'failed' && typeof error === 'string' && typeof cause === 'string';
}

/** What a worker answers: its unit is at its end (or is not to be gone on with), or its time was up before that. */
export interface UnitAnswer {
  readonly done: boolean;
}
