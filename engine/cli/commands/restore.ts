import { TablewrightError } from '../../../tables/model/error.ts';
import type { RestoreRequest } from '../../core/transfer/native-store.ts';
import { restoreTable } from '../../run/transfer/native/restore-table.ts';
import type { CommandFunction, CommandOptions } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { interruptedExitCode } from '../run-command.ts';
import { findTable } from '../transfer/find-table.ts';
import { nativeEnvironment } from '../transfer/native-environment.ts';
import { showCommand } from '../transfer/show.ts';
import { describeSettled } from '../transfer/show-settled.ts';

const restore: CommandFunction = (context, [name], options) =>
  withStack(context, {}, async (stack) => {
    const { table, tableName } = findTable(stack, String(name));
    const target = String(options.as);
    const environment = nativeEnvironment(context, stack, options.pollMs as number | undefined);
    const result = await restoreTable(environment, { table, tableName: target }, requestOf(tableName, target, options));
    environment.progress.stop();
    if (result.outcome === 'aborted') {
      const { fromBackup, toTime, as } = options;
      const again = showCommand(['restore', table.name], { fromBackup, toTime, as }, stack.name);
      context.output.error(
        { error: 'INTERRUPTED', table: target, next: again },
        `Interrupted; DynamoDB goes on restoring ${target}.\n→ Wait for it and put back what it loses with: ${again}`,
      );
      return interruptedExitCode;
    }
    const { settled } = result;
    const own = target === tableName;
    const rest = own
      ? `Its alarms and autoscaling hang on its name; 'npx pulumi refresh -s ${stack.name}' and 'pulumi up' make sure of them.`
      : 'A restore has no alarms and no autoscaling: Pulumi makes those for tables of the stack, not for this copy.';
    context.output.result({ event: 'restored', table: target, source: tableName, ...settled }, () =>
      [`Restored ${tableName} into ${target}.`, ...describeSettled(target, settled), rest].join('\n'),
    );
    return settled.differences.length === 0 ? 0 : 1;
  });

function requestOf(source: string, target: string, { fromBackup, toTime }: CommandOptions): RestoreRequest {
  if ((fromBackup === undefined) === (toTime === undefined)) {
    throw new TablewrightError('BAD_ARGUMENT', 'expected one of --from-backup ARN and --to-time TIME', {
      next: "'tablewright backup list' and 'tablewright pitr status' show what can be restored; --to-time latest takes the last moment.",
    });
  }
  if (fromBackup !== undefined) return { from: 'backup', backupArn: String(fromBackup), target };
  const time = String(toTime);
  if (time !== 'latest' && Number.isNaN(Date.parse(time))) {
    throw new TablewrightError(
      'BAD_ARGUMENT',
      `--to-time: expected a time such as 2026-11-14T10:00:00Z or latest, found ${time}`,
      {
        next: "'tablewright pitr status' shows what can be restored.",
      },
    );
  }
  return { from: 'time', source, target, time: time === 'latest' ? undefined : time };
}

export default restore;
