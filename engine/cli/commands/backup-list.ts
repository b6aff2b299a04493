import { showBytes } from '../../core/show/numbers.ts';
import { showMinute } from '../../core/show/times.ts';
import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { type Column, renderTable } from '../show/table.ts';
import { findTable } from '../transfer/find-table.ts';
import { nativeEnvironment } from '../transfer/native-environment.ts';
import { ownBackups } from '../transfer/own-backups.ts';
import type spec from './backup-list.spec.js';

/** The ARN is what other commands take; on a narrow terminal --json gives it whole. */
const columns: readonly Column[] = [
  { title: 'table' },
  { title: 'name', rank: 1, least: 16 },
  { title: 'status', rank: 0 },
  { title: 'type', rank: 4 },
  { title: 'created (UTC)', rank: 2 },
  { title: 'size', rank: 3, right: true },
  { title: 'arn', rank: 5 },
];

const listBackups: Action<typeof spec> = (context, { table: name }) =>
  withStack(context, {}, async (stack) => {
    const wanted = name === undefined ? undefined : findTable(stack, name).tableName;
    const found = await ownBackups(nativeEnvironment(context, stack), stack, wanted);
    const rows = found.map((backup) => [
      backup.table,
      backup.name,
      backup.status,
      backup.type,
      showMinute(backup.createdAt),
      backup.bytes === undefined ? '–' : showBytes(backup.bytes),
      backup.arn,
    ]);
    context.output.result({ backups: found }, (page) =>
      rows.length === 0 ? `No backups${wanted === undefined ? '' : ` of ${wanted}`}.` : renderTable(page, columns, rows),
    );
    return 0;
  });

export default listBackups;
