/** A runner as a process of its own: node --import tsx migrate-process.ts ENDPOINT LEASE_MS WRITE_UNITS. Exits as the command does. */
import { CapacityGates } from '../../engine/run/capacity/capacity-gate.ts';
import { TablewrightError } from '../../tables/model/error.ts';
import { migrate, migrateEnvironment } from './migrate-engine.ts';
import { testConfig } from './test-engine.ts';
import { indexColours, toyTables } from './toy-table.ts';

const [, , endpoint = '', leaseMs = '', units = ''] = process.argv;
const gates = {
  read: new CapacityGates({ unlimited: true }),
  write: new CapacityGates({ unitsPerSecond: Number(units) }),
};
const environment = migrateEnvironment(
  { endpoint, config: testConfig },
  {
    tables: toyTables,
    tuning: { leaseMs: Number(leaseMs), heartbeatMs: Number(leaseMs) / 5 },
    overrides: {
      gates,
      actor: { who: 'child', host: `child:${process.pid}` },
      emit: (event) => {
        if (event.kind === 'step-started') process.stdout.write(`${event.pass}\n`);
      },
    },
  },
);
try {
  const report = await migrate(environment, [indexColours]);
  process.stdout.write(`${report.outcome}\n`);
  process.exit(0);
} catch (error) {
  const code = error instanceof TablewrightError ? error.code : String(error);
  process.stdout.write(`${code}\n`);
  process.exit(error instanceof TablewrightError ? error.exitCode : 1);
}
