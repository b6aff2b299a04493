import { physicalName, pitrOf } from '../../../tables/model/stack/stack-config.ts';
import { showMinute } from '../../core/show/times.ts';
import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { type Column, renderTable } from '../show/table.ts';
import { findTable } from '../transfer/find-table.ts';
import { nativeEnvironment } from '../transfer/native-environment.ts';
import type spec from './pitr-status.spec.js';

const columns: readonly Column[] = [
  { title: 'table' },
  { title: 'pitr', rank: 0 },
  { title: 'days', rank: 3, right: true },
  { title: 'from (UTC)', rank: 2 },
  { title: 'to (UTC)', rank: 2 },
  { title: '', rank: 1, least: 2 },
];

const pitrStatus: Action<typeof spec> = (context, { table: name }) =>
  withStack(context, {}, async (stack) => {
    const { native } = nativeEnvironment(context, stack);
    const tables = name === undefined ? stack.tables : [findTable(stack, name).table];
    const found = [];
    for (const one of tables) {
      const table = physicalName(one, stack.config);
      found.push({ table, ...(await native.pitr(table, context.signal)), wanted: pitrOf(one, stack.config).enabled });
    }
    const rows = found.map(({ table, enabled, recoveryDays, earliest, latest, wanted }) => [
      table,
      enabled ? 'on' : 'off',
      enabled ? String(recoveryDays ?? '–') : '–',
      showMinute(earliest ?? '–'),
      showMinute(latest ?? '–'),
      enabled === wanted ? 'ok' : `the stack says ${wanted ? 'on' : 'off'}`,
    ]);
    context.output.result({ tables: found }, (page) => renderTable(page, columns, rows));
    return found.every(({ enabled, wanted }) => enabled === wanted) ? 0 : 1;
  });

export default pitrStatus;
