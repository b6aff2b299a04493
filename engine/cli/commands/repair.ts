import { repairLedger } from '../../run/ledger/repair-ledger.ts';
import { confirmProduction } from '../confirm-production.ts';
import type { Action } from '../context.ts';
import { openMigrations } from '../migrate/open-migrations.ts';
import type spec from './repair.spec.js';

const repair: Action<typeof spec> = async (context, { yes }) => {
  await using command = await openMigrations(context);
  const { environment, sources, stack } = command;
  await confirmProduction(context, stack.config, yes, 'repair of the ledger');
  const { repaired, left } = await repairLedger(environment, sources, context.signal);
  context.output.result({ repaired, left }, () =>
    [
      ...(repaired.length === 0 ? ['Nothing to repair.'] : repaired.map(({ id, what }) => `${id}: ${what}`)),
      ...left.map((problem) => `! ${problem}`),
      ...(left.length === 0 ? [] : ["→ Run 'tablewright migrate --accept' to run what is out of order all the same."]),
    ].join('\n'),
  );
  return left.length === 0 ? 0 : 1;
};

export default repair;
