import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { showBytes } from '../../core/show/numbers.ts';
import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { renderTable } from '../show/table.ts';
import { findTable } from '../transfer/find-table.ts';
import { nativeEnvironment } from '../transfer/native-environment.ts';
import type spec from './backup-list.spec.js';

const listBackups: Action<typeof spec> = (context, { table: name }) =>
  withStack(context, {}, async (stack) => {
    const { native } = nativeEnvironment(context, stack);
    const wanted = name === undefined ? undefined : findTable(stack, name).tableName;
    const own = new Set(stack.tables.map((table) => physicalName(table, stack.config)));
    const found = (await native.backups(wanted, context.signal)).filter((backup) => own.has(backup.table));
    const rows = found.map((backup) => [
      backup.table,
      backup.name,
      backup.status,
      backup.type,
      backup.createdAt.slice(0, 19),
      backup.bytes === undefined ? '–' : showBytes(backup.bytes),
      backup.arn,
    ]);
    context.output.result(found, () =>
      rows.length === 0
        ? `No backups${wanted === undefined ? '' : ` of ${wanted}`}.`
        : renderTable(['table', 'name', 'status', 'type', 'created', 'size', 'arn'], rows),
    );
    return 0;
  });

export default listBackups;
