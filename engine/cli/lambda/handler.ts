import { TablewrightError } from '../../../tables/model/error.ts';
import type { Project } from '../../../tables/model/project.ts';
import { type Job, jobs } from '../../../tables/model/stack/config/schedules.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { tellFailure } from '../../core/remote/told-failure.ts';
import archive from '../commands/archive.ts';
import doctor from '../commands/doctor.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { beforeDeadline, type CallContext, functionContext } from './function-context.ts';
import { runTask } from './run-task.ts';

export interface JobResult {
  readonly job: Job;
  /** Of the command, where that is no failure: 1 of drift says that there is some. */
  readonly code: number;
}

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
 * The one function of the bundle. The event says which job or which task of the state machine, the environment which stack. It stops in time
 * before Lambda would kill it. Of a job, what is not done then, and every failure, is an error, so that the schedule tries again and the
 * alarm hears of it.
 */
export function lambdaHandler(
  project: Project,
  migrations: readonly MigrationSource[],
): (event: unknown, call: CallContext) => Promise<unknown> {
  return async (event, call) => {
    try {
      return await (isTask(event) ? runTask({ project, migrations }, event, call) : runJob(project, event, call));
    } catch (error) {
      throw error instanceof TablewrightError ? byCode(error) : error;
    }
  };
}

/** Lambda and Step Functions know an error by its name. */
function byCode(error: TablewrightError): Error {
  const { error: name, cause: message } = tellFailure(error);
  return Object.assign(new Error(message, { cause: error }), { name });
}

const isTask = (event: unknown): boolean => typeof event === 'object' && event !== null && 'task' in event;

async function runJob(project: Project, event: unknown, call: CallContext): Promise<JobResult> {
  const job = jobOf(event);
  const { words, action, tells } = works[job];
  const code = await beforeDeadline(call, async (signal) => {
    const { context, given } = functionContext(project, words, signal);
    try {
      return await action(context, given as never);
    } catch (error) {
      // A request that is cut because the time is up says only that it was cut.
      if (signal.aborted && !(error instanceof TablewrightError)) return exitCodes.interrupted;
      throw error;
    }
  });
  if (code === exitCodes.done || tells.includes(code)) return { job, code };
  const why = code === exitCodes.interrupted ? 'the time was up; the next call goes on' : `it ended with code ${code}`;
  throw new TablewrightError('CHECK_FAILED', `${job}: ${why}`);
}

function jobOf(event: unknown): Job {
  const wanted = (event as { readonly job?: unknown } | null)?.job;
  const job = jobs.find((one) => one === wanted);
  if (job !== undefined) return job;
  throw new TablewrightError('BAD_ARGUMENT', `event: expected a job of ${jobs.join(', ')}, found ${JSON.stringify(wanted)}`);
}
