import { TablewrightError } from '../../../tables/model/error.ts';
import { describeIssue } from '../../../tables/model/item.ts';
import type { Project } from '../../../tables/model/project.ts';
import { type RunnerTask, taskSchema } from '../../../tables/model/runner/order.ts';
import { checkMigrationSet, type MigrationSource } from '../../core/migrate/migration-set.ts';
import type { MigrateEnvironment } from '../../run/migrate/environment.ts';
import { endExecution } from '../../run/remote/end-execution.ts';
import { nextTask } from '../../run/remote/next-task.ts';
import { runInline } from '../../run/remote/run-inline.ts';
import { runUnit } from '../../run/remote/run-unit.ts';
import { deployed, openLedger } from '../migrate/open-migrations.ts';
import { refuseOtherVersion } from './check-code.ts';
import { beforeDeadline, type CallContext, functionContext } from './function-context.ts';

/** A project and its migrations, as the bundle holds them. */
export interface BundledProject {
  readonly project: Project;
  readonly migrations: readonly MigrationSource[];
}

/** Carries out what the state machine hands over. */
export async function runTask(bundle: BundledProject, event: unknown, call: CallContext): Promise<unknown> {
  const task = readTask(event);
  refuseOtherVersion(task, process.env.AWS_LAMBDA_FUNCTION_VERSION);
  return beforeDeadline(call, (signal) => carryOut(bundle, task, signal));
}

function readTask(event: unknown): RunnerTask {
  const read = taskSchema.safeParse(event);
  if (read.success) return read.data;
  throw new TablewrightError('BAD_ARGUMENT', 'event: expected a task of the runner', {
    problems: read.error.issues.map(describeIssue),
  });
}

async function carryOut({ project, migrations }: BundledProject, task: RunnerTask, signal: AbortSignal): Promise<unknown> {
  const { context } = functionContext(project, ['status'], signal);
  const sources = checkMigrationSet(migrations, context.catalogue);
  const { read, write } = task.task === 'unit' ? task.pass.share : task.order.budget;
  const { includeExpired, pauseOnAlarm = false } = task.order.request;
  const budgets = { rate: limit(write), readRate: limit(read), includeExpired, pauseOnAlarm };
  await using opened = await openLedger(context, budgets);
  const environment = { ...opened.environment, actor: actorOf(task) };
  return await answer(environment, deployed(sources, opened.stack), task, signal);
}

async function answer(
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  task: RunnerTask,
  signal: AbortSignal,
): Promise<unknown> {
  if (task.task === 'next') return nextTask(environment, sources, task, signal);
  if (task.task === 'unit') return runUnit(environment, sources, task, signal);
  if (task.task === 'end') return endExecution(environment, sources, task);
  await runInline(environment, sources, task, signal);
  return {};
}

/** 0 stands for no limit. */
const limit = (units: number): number => (units === 0 ? Number.POSITIVE_INFINITY : units);

/** Whoever asked for the execution; where it runs is its name and the log stream of the worker. */
function actorOf({ execution, order }: RunnerTask): MigrateEnvironment['actor'] {
  const where = process.env.AWS_LAMBDA_LOG_STREAM_NAME;
  return { who: order.who, host: where === undefined ? execution.Name : `${execution.Name} ${where}`, commit: order.commit };
}
