import { restoreSuffix } from '../../../tables/model/stack/made-table-names.ts';
import { poll } from '../../run/transfer/native/native-environment.ts';
import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { showCommand } from '../show/command-line.ts';
import { findTable } from '../transfer/find-table.ts';
import { nativeEnvironment } from '../transfer/native-environment.ts';
import type spec from './backup-create.spec.js';

const createBackup: Action<typeof spec> = (context, given) =>
  withStack(context, {}, async (stack) => {
    const { table, tableName } = findTable(stack, given.table);
    const environment = nativeEnvironment(context, stack, given.pollMs);
    const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
    const started = await environment.native.createBackup(tableName, given.name ?? `${tableName}-${time}`, context.signal);
    // Until it is AVAILABLE nothing can be restored from it.
    const made = await poll(environment, async () => {
      const found = await environment.native.backup(started.arn, context.signal);
      return found?.status === 'CREATING' ? undefined : (found ?? started);
    });
    environment.progress.stop();
    const backup = made ?? started;
    context.output.result({ event: 'backup', ...backup }, () =>
      [
        `Backup ${backup.name} of ${tableName}: ${backup.status}.`,
        backup.arn,
        `→ Restore it with: ${showCommand(context, ['restore', table.name], { fromBackup: backup.arn, as: `${tableName}${restoreSuffix}` })}`,
      ].join('\n'),
    );
    return backup.status === 'AVAILABLE' || backup.status === 'CREATING' ? 0 : 1;
  });

export default createBackup;
