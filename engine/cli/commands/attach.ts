import { TablewrightError } from '../../../tables/model/error.ts';
import { orderSchema } from '../../../tables/model/runner/order.ts';
import { rollbackReportOf, runReportOf, verifyReportOf } from '../../run/remote/execution-report.ts';
import type { Action, Context } from '../context.ts';
import { concludeMigrate } from '../migrate/conclude-migrate.ts';
import { concludeRollback } from '../migrate/conclude-rollback.ts';
import { concludeVerify } from '../migrate/conclude-verify.ts';
import { type MigrationCommand, openMigrations } from '../migrate/open-migrations.ts';
import { openAwsRunner } from '../remote/aws-runner.ts';
import { type Ended, follow } from '../remote/run-by-workers.ts';
import type { Runner } from '../remote/runner.ts';
import type spec from './attach.spec.js';

const attach: Action<typeof spec> = async (context) => {
  await using command = await openMigrations(context);
  await using runner = await openAwsRunner(context, command.stack, 'attach');
  const latest = await runner.executions.latest(context.signal);
  if (latest === undefined) throw await nothingThere(runner, command.stack.name, context.signal);
  // What it had begun before is not known here: what has begun by now goes on.
  const end = await follow(context, command, runner, { ...latest, resumed: () => true });
  return typeof end === 'number' ? end : await conclude(context, command, end);
};

/** As the command that began it. */
async function conclude(context: Context, command: MigrationCommand, end: Ended): Promise<number> {
  const order = orderSchema.parse(JSON.parse(end.execution.input));
  if (order.command === 'verify') return concludeVerify(context, await verifyReportOf(command.environment, end));
  if (order.command === 'rollback') return concludeRollback(context, await rollbackReportOf(command.environment, end));
  return await concludeMigrate(context, command, await runReportOf(command.environment, end, []), order.request.phase);
}

async function nothingThere({ executions, machineName }: Runner, stack: string, signal: AbortSignal): Promise<TablewrightError> {
  if ((await executions.runner(signal)) === undefined) {
    return new TablewrightError('RUNNER_MISSING', `attach: the state machine ${machineName} is not there`, {
      next: 'Deploy the runner (tablewright:runner in the stack’s file, docs/infrastructure.md); a run on this machine is shown where it was started.',
    });
  }
  return new TablewrightError('UNKNOWN_NAME', `attach: the stack ${stack} has no execution`, {
    next: `Start one: 'tablewright migrate --stack ${stack} --on aws'.`,
  });
}

export default attach;
