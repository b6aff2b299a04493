import { physicalName, pitrOf } from '../../../tables/model/stack/stack-config.ts';
import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { renderTable } from '../show/table.ts';
import { findTable } from '../transfer/find-table.ts';
import { nativeEnvironment } from '../transfer/native-environment.ts';
import type spec from './pitr-status.spec.js';

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
      earliest ?? '–',
      latest ?? '–',
      enabled === wanted ? 'ok' : `the stack says ${wanted ? 'on' : 'off'}`,
    ]);
    context.output.result(found, () => renderTable(['table', 'pitr', 'days', 'from', 'to', ''], rows));
    return found.every(({ enabled, wanted }) => enabled === wanted) ? 0 : 1;
  });

export default pitrStatus;
