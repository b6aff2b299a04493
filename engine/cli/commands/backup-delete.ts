import { TablewrightError } from '../../../tables/model/error.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { nativeEnvironment } from '../transfer/native-environment.ts';
import type spec from './backup-delete.spec.js';

const deleteBackup: Action<typeof spec> = (context, { arn, yes }) =>
  withStack(context, {}, async (stack) => {
    const { native } = nativeEnvironment(context, stack);
    const found = await native.backup(arn, context.signal);
    const own = stack.tables.some((table) => physicalName(table, stack.config) === found?.table);
    if (found === undefined || !own) {
      const what =
        found === undefined ? 'there is no such backup' : `it is of ${found.table}, which is no table of stack ${stack.name}`;
      throw new TablewrightError('UNKNOWN_NAME', `${arn}: ${what}`, {
        next: "'tablewright backup list' shows what there is.",
      });
    }
    if (stack.config.production && !yes) {
      throw new TablewrightError(
        'REFUSED_IN_PRODUCTION',
        `${found.name} is a backup of ${found.table} in production; deleted, it is gone`,
        {
          next: `Add --yes to delete it all the same.`,
        },
      );
    }
    await native.deleteBackup(found.arn, context.signal);
    context.output.result({ event: 'backup-deleted', ...found }, () => `Deleted backup ${found.name} of ${found.table}.`);
    return 0;
  });

export default deleteBackup;
