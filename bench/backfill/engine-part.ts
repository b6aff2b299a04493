import type { Measured } from './contender-process.ts';
import { copyOf } from './copy-table.ts';
import { best, type Result } from './result.ts';
import { runContender, withEngine } from './run-contender.ts';
import { countIndexed } from './table.ts';

/** Connections that the limit is tried with; the best counts. The others choose by themselves, or were tried beforehand. */
const rawConnections = [1, 2, 4, 8];

/** Everybody on the embedded engine, in turns. */
export async function measureEngine(
  say: (text: string) => void,
  contenders: readonly string[],
  count: number,
  rounds: number,
): Promise<readonly Result[]> {
  const runs: Result[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const contender of contenders) {
      for (const connections of contender === 'raw' ? rawConnections : [undefined]) {
        const shown = connections === undefined ? '' : `, ${connections} connections`;
        say(`${contender}, ${count} items${shown}, round ${round} of ${rounds}`);
        runs.push(await runOnce(contender, count, connections));
      }
    }
  }
  return contenders.map((contender) => best(runs.filter((run) => run.contender === contender)));
}

function runOnce(contender: string, count: number, connections: number | undefined): Promise<Result> {
  return withEngine(contender, count, async (client, job) => {
    const measured: Measured = await runContender(contender, { ...job, connections });
    const found = await countIndexed(client, contender === 'copy-table' ? copyOf(job.table) : job.table);
    return { ...measured, contender, items: count, setting: connections, found };
  });
}
