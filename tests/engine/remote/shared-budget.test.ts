import { availableParallelism, loadavg } from 'node:os';
import { expect } from 'chai';
import { CapacityGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { runUnit } from '../../../engine/run/remote/run-unit.ts';
import type { RunnerTask, TaskOf } from '../../../tables/model/runner/order.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { busiestSecond } from '../../support/busiest-second.ts';
import { type CapacityProxy, type Consumption, openCapacityProxy } from '../../support/capacity-proxy.ts';
import { driveExecution, invokeHere } from '../../support/drive-execution.ts';
import { migrateEnvironment, sourceOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, resetToys, someThings, things, toyTables } from '../../support/toy-table.ts';

const workers = 8;
const budget = 800;
const items = 12_000;
const never = new AbortController().signal;

/** From its first write to the answer to its last. */
interface Busy {
  readonly fromMs: number;
  readonly toMs: number;
}

describe('a budget that eight workers share', function () {
  this.timeout(240_000);
  const engine = useEngine(toyTables);
  let proxy: CapacityProxy | undefined;

  after(async () => {
    await proxy?.close();
  });

  it('is held by their sum in every second, and used while all of them are at work', async () => {
    await resetToys(engine(), someThings(items));
    const isQuiet = (loadavg()[0] ?? 0) < availableParallelism() / 2;
    proxy = await openCapacityProxy(engine().endpoint);
    const { endpoint } = proxy;
    const tuning = { pageItems: 100, batchesInFlight: 16, heartbeatMs: 1_000 };
    const environment = (write?: number) => {
      const limit = write === undefined ? ({ unlimited: true } as const) : { unitsPerSecond: write };
      const gates = { read: new CapacityGates({ unlimited: true }), write: new CapacityGates(limit) };
      return migrateEnvironment(engine(), { endpoint, tables: toyTables, tuning, overrides: { gates } });
    };
    const sources = [sourceOf(indexColours)];
    const here = invokeHere({ sources, environment });
    const busy: Busy[] = [];
    /** As the function does: the share of the pass is the limit of the invocation. */
    const work = async (task: TaskOf<'unit'>) => {
      const limited = environment(task.pass.share.write);
      let fromMs = Number.POSITIVE_INFINITY;
      let toMs = 0;
      const execute: typeof limited.data.execute = async (table, statements) => {
        fromMs = Math.min(fromMs, performance.now());
        const outcome = await limited.data.execute(table, statements);
        toMs = performance.now();
        return outcome;
      };
      const answer = await runUnit({ ...limited, data: { ...limited.data, execute } }, sources, task, never);
      if (task.pass.pass === 'apply') busy.push({ fromMs, toMs });
      return answer;
    };
    const invoke = (task: RunnerTask) => (task.task === 'unit' ? work(task) : here(task));
    const order = { workers, budget: { read: 0, write: budget } };
    const { answer } = await driveExecution({ sources, environment, invoke, name: 'budget', order });
    expect(answer).to.deep.equal({ kind: 'done', outcome: 'done' });
    const table = physicalName(things, engine().config);
    const written = proxy.take().filter((one) => one.table === table && one.kind === 'write');
    const together = intervals(busy);
    const seconds = together.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / 1_000;
    const used = unitsIn(written, together);
    const figures = `busiest second ${busiestSecond(written).toFixed(0)}, ${(used / seconds).toFixed(0)} a second while all are busy (${seconds.toFixed(1)} s)`;
    console.info(`      ${figures} of ${budget}`);
    expect(seconds, 'all of them were at work together').to.be.above(3);
    expect(busiestSecond(written), figures).to.be.at.most(1.1 * budget);
    // Nine tenths where the machine has time for it; where others use it, no more than that it goes on. In time that is no machine's:
    // plan-pass.test.ts.
    expect(used / seconds, figures).to.be.at.least((isQuiet ? 0.9 : 0.5) * budget);
  });
});

/** When all of the workers were at work at once. */
function intervals(busy: readonly Busy[]): readonly Busy[] {
  const moments = busy
    .flatMap(({ fromMs, toMs }) => [
      { atMs: fromMs, by: 1 },
      { atMs: toMs, by: -1 },
    ])
    .toSorted((a, b) => a.atMs - b.atMs);
  const found: Busy[] = [];
  let atWork = 0;
  for (const [at, { atMs, by }] of moments.entries()) {
    atWork += by;
    const next = moments[at + 1];
    if (atWork === workers && next !== undefined) found.push({ fromMs: atMs, toMs: next.atMs });
  }
  return found;
}

function unitsIn(written: readonly Consumption[], together: readonly Busy[]): number {
  return written
    .filter(({ atMs }) => together.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs))
    .reduce((sum, { units }) => sum + units, 0);
}
