import { TablewrightError } from '../../../tables/model/error.ts';
import { catalogueOf, type Project } from '../../../tables/model/project.ts';
import { type Job, jobs } from '../../../tables/model/stack/config/schedules.ts';
import { commands } from '../commands/all.js';
import archive from '../commands/archive.ts';
import doctor from '../commands/doctor.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { Output } from '../output.ts';
import { readCommand } from '../spec/read-command.js';

/** What Lambda tells a function about its call (Lambda Developer Guide, "Using the Lambda context object"). */
export interface CallContext {
  getRemainingTimeInMillis(): number;
}

export interface JobResult {
  readonly job: Job;
  /** Of the command, where that is no failure: 1 of drift says that there is some. */
  readonly code: number;
}

/** Time to end in: a request under way is finished, what was done is kept, and the log gets its last line. */
const marginMs = 10_000;

interface Work {
  readonly words: readonly string[];
  readonly action: (context: Context, given: never) => Promise<number>;
  /** Exit codes that say something and are no failure. */
  readonly tells: readonly number[];
}

/** What each job is; a further one takes its line here and its function in the stack. */
const works: Readonly<Record<Job, Work>> = {
  archive: { words: ['archive'], action: archive, tells: [] },
  drift: { words: ['doctor', '--metric'], action: doctor, tells: [exitCodes.failed] },
};

/**
 * The one function of the bundle. The event says which job, the environment which stack. It stops in time before Lambda would kill
 * it; what is not done then, and every failure, is an error, so that the schedule tries again and the alarm hears of it.
 */
export function lambdaHandler(project: Project): (event: unknown, call: CallContext) => Promise<JobResult> {
  return async (event, call) => {
    const { env } = process;
    const job = jobOf(event);
    const { words, action, tells } = works[job];
    const stack = env.TABLEWRIGHT_STACK ?? '';
    const reading = readCommand([...words, '--stack', stack, '--json'], commands, env);
    if (reading.kind !== 'run') throw new TablewrightError('BAD_CONFIG', `TABLEWRIGHT_STACK: expected the stack, found ${stack}`);
    const root = env.LAMBDA_TASK_ROOT ?? process.cwd();
    const signal = AbortSignal.timeout(Math.max(1, call.getRemainingTimeInMillis() - marginMs));
    const context: Context = {
      common: reading.common,
      output: new Output({ json: true, quiet: false, write: print, writeError: print }),
      signal,
      cwd: root,
      env,
      root,
      project,
      catalogue: catalogueOf(project),
    };
    const code = await action(context, reading.given as never);
    if (code === exitCodes.done || tells.includes(code)) return { job, code };
    const why = code === exitCodes.interrupted ? 'the time was up; the next call goes on' : `it ended with code ${code}`;
    throw new TablewrightError('CHECK_FAILED', `${job}: ${why}`);
  };
}

function jobOf(event: unknown): Job {
  const wanted = (event as { readonly job?: unknown } | null)?.job;
  const job = jobs.find((one) => one === wanted);
  if (job !== undefined) return job;
  throw new TablewrightError('BAD_ARGUMENT', `event: expected a job of ${jobs.join(', ')}, found ${JSON.stringify(wanted)}`);
}

const print = (text: string): void => void process.stdout.write(text);
