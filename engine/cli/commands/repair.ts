import { type MendedRecord, type RepairReport, repairLedger } from '../../run/ledger/repair-ledger.ts';
import { confirmProduction } from '../confirm-production.ts';
import type { Action } from '../context.ts';
import { openMigrations } from '../migrate/open-migrations.ts';
import type spec from './repair.spec.js';

const repair: Action<typeof spec> = async (context, { yes }) => {
  await using command = await openMigrations(context);
  const { environment, sources, stack } = command;
  await confirmProduction(context, stack.config, yes, 'repair of the ledger');
  const report = await repairLedger(environment, sources, context.signal);
  context.output.result(report, () => describe(report));
  return report.left.length === 0 ? 0 : 1;
};

function describe({ damaged, repaired, strange, left }: RepairReport): string {
  const lines = [...damaged.flatMap(describeRecord), ...repaired.map(({ id, what }) => `${id}: ${what}`)];
  return [
    ...(lines.length === 0 ? ['Nothing to repair.'] : lines),
    ...strange.map((key) => `? ${key}: no record of the ledger; left as it is`),
    ...left.map((problem) => `! ${problem}`),
    ...(left.length === 0 ? [] : ["→ Run 'tablewright migrate --accept' to run what is out of order all the same."]),
  ].join('\n');
}

function describeRecord({ key, record, problems, outcome, means }: MendedRecord): readonly string[] {
  const fate = outcome === 'changed' ? 'left alone, somebody wrote it in this moment' : `${outcome}: ${means}`;
  return [`${key} (${record}): ${fate}`, ...problems.map((problem) => `  was damaged: ${problem}`)];
}

export default repair;
