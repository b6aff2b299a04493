import type { ChildProcess } from 'node:child_process';
import { forkCompiled } from '../fork-compiled.ts';
import type { Measured } from './contender-process.ts';
import { best, type Result } from './result.ts';
import { runContender, withEngine } from './run-contender.ts';
import type { SlowOrders } from './slow-orders.ts';
import type { SlowFigures } from './slow-process.ts';

/** DynamoDB answers within some 8 ms. */
export const answerMs = 8;
/** Updates in flight that the peers are tried with, which choose none by themselves; the best counts. */
const inFlight: Readonly<Record<string, readonly number[]>> = { umzug: [50, 100, 200], onetable: [50, 100, 200] };

/** Everybody on a table whose answers take a while, in turns. */
export async function measureLatency(
  say: (text: string) => void,
  contenders: readonly string[],
  count: number,
  rounds: number,
): Promise<readonly Result[]> {
  const runs: Result[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const contender of contenders) {
      for (const connections of inFlight[contender] ?? [undefined]) {
        const shown = connections === undefined ? '' : `, ${connections} in flight`;
        say(`${contender}, ${count} items, answers after ${answerMs} ms${shown}, round ${round} of ${rounds}`);
        runs.push(await runOnce(contender, count, connections));
      }
    }
  }
  return contenders.map((contender) => best(runs.filter((run) => run.contender === contender)));
}

/** The engine behind it holds the ledger and no order. */
function runOnce(contender: string, count: number, connections: number | undefined): Promise<Result> {
  return withEngine(contender, 0, async (_, { endpoint: target, table }) => {
    const child = forkCompiled('backfill/slow-process.ts');
    try {
      const order: SlowOrders = { target, table, count, answerMs };
      const endpoint = await askSlowTable<string>(child, order);
      const before = await askSlowTable<SlowFigures>(child, {});
      const measured: Measured = await runContender(contender, { endpoint, table, count, connections, slow: true });
      const { indexed: found, cpuMicros } = await askSlowTable<SlowFigures>(child, {});
      const serverMicrosPerItem = (cpuMicros - before.cpuMicros) / count;
      return { ...measured, contender, items: count, setting: connections, found, serverMicrosPerItem };
    } finally {
      if (child.connected) child.disconnect();
    }
  });
}

/** What the slow table answers. */
export function askSlowTable<T>(child: ChildProcess, message: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`the slow table ended with code ${code}`));
    child.once('exit', ended);
    child.once('message', (answer) => {
      child.off('exit', ended);
      resolve(answer as T);
    });
    child.send(message);
  });
}
