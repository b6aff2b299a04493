import type { RestoreRequest } from '../../core/transfer/native-store.ts';
import { restoreTable } from '../../run/transfer/native/restore-table.ts';
import type { Action, Given } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { withStack } from '../open-stack.ts';
import { showCommand } from '../show/command-line.ts';
import { findTable } from '../transfer/find-table.ts';
import { nativeEnvironment } from '../transfer/native-environment.ts';
import { describeSettled } from '../transfer/show-settled.ts';
import type spec from './restore.spec.js';

const restore: Action<typeof spec> = (context, given) =>
  withStack(context, {}, async (stack) => {
    const { table, tableName } = findTable(stack, given.table);
    const target = given.as;
    const environment = nativeEnvironment(context, stack, given.pollMs);
    const result = await restoreTable(environment, { table, tableName: target }, requestOf(tableName, given));
    environment.progress.stop();
    if (result.outcome === 'interrupted') {
      const from = given.mode === 'backup' ? { fromBackup: given.fromBackup } : { toTime: given.toTime };
      const again = showCommand(context, ['restore', table.name], { ...from, as: target });
      context.output.error(
        { error: 'INTERRUPTED', table: target, next: again },
        `Interrupted; DynamoDB goes on restoring ${target}.\n→ Wait for it and put back what it loses with: ${again}`,
      );
      return exitCodes.interrupted;
    }
    const { settled } = result;
    const own = target === tableName;
    const rest = own
      ? `Its alarms and autoscaling hang on its name; 'npx pulumi refresh -s ${stack.name}' and 'pulumi up' make sure of them.`
      : 'A restore has no alarms and no autoscaling: Pulumi makes those for tables of the stack, not for this copy.';
    context.output.result({ event: 'restored', table: target, source: tableName, ...settled }, (page) =>
      [`Restored ${tableName} into ${target}.`, ...describeSettled(page, target, settled), rest].join('\n'),
    );
    return settled.differences.length === 0 ? 0 : 1;
  });

function requestOf(source: string, given: Given<typeof spec>): RestoreRequest {
  const target = given.as;
  if (given.mode === 'backup') return { from: 'backup', backupArn: given.fromBackup, target };
  return { from: 'time', source, target, time: given.toTime === 'latest' ? undefined : given.toTime.toISOString() };
}

export default restore;
