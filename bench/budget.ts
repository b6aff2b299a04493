import { dynamoClient } from '../engine/aws/clients.ts';
import { dynamoStore } from '../engine/aws/store/dynamo-store.ts';
import { batchWriteStore } from '../engine/aws/write/batch-write-store.ts';
import type { BatchStore } from '../engine/core/write/batch-outcome.ts';
import type { WriteTable } from '../engine/core/write/write-request.ts';
import { openDynamo } from '../engine/local/local-engine.ts';
import { CapacityGates } from '../engine/run/capacity/capacity-gate.ts';
import { ensureTable } from '../engine/run/tables/ensure-tables.ts';
import { writeAll } from '../engine/run/write/write-all.ts';
import { omsTradingData } from '../tables/catalogue.ts';
import { parseStackConfig, physicalName } from '../tables/model/stack/stack-config.ts';
import { tables } from '../tests/support/project.ts';
import { region } from './load/contender.ts';
import { orderItem } from './load/items.ts';

export interface BudgetFigures {
  readonly unitsPerSecond: number;
  readonly seconds: number;
  /** Units consumed, index writes included, as a share of what the budget allows. */
  readonly used: number;
  /** The fullest one-second window, as a share of the budget. */
  readonly busiestSecond: number;
  readonly indexUnits: number;
}

interface Answer {
  readonly atMs: number;
  readonly units: number;
}

const budgets = [200, 1_000, 2_000];

/** The most units in any one-second window, by when their answers came. */
function busiest(answers: readonly Answer[]): number {
  let most = 0;
  let sum = 0;
  let from = 0;
  for (const answer of answers) {
    sum += answer.units;
    while ((answers[from]?.atMs ?? 0) <= answer.atMs - 1_000) sum -= answers[from++]?.units ?? 0;
    most = Math.max(most, sum);
  }
  return most;
}

function* orders(table: string, from: number): Generator<{ table: string; put: ReturnType<typeof orderItem> }> {
  for (let n = from; ; n += 1) {
    const item = orderItem(n);
    const time = item.created_at ?? { S: '' };
    const index = { GSI1_PK: { S: `PRODUCT#${n % 50}` }, GSI1_SK: time, GSI3_PK: { S: `ORDER#${n}` }, GSI3_SK: time };
    yield { table, put: { ...item, ...index } };
  }
}

async function runOnce(endpoint: string, table: WriteTable, unitsPerSecond: number, runSeconds: number): Promise<BudgetFigures> {
  const client = dynamoClient({ region, endpoint, maxAttempts: 1 });
  const inner = batchWriteStore(client);
  const answers: Answer[] = [];
  let written = 0;
  const store: BatchStore = {
    async send(target, requests) {
      const outcome = await inner.send(target, requests);
      const units = outcome.kind === 'answered' ? (outcome.consumed ?? 0) : 0;
      answers.push({ atMs: performance.now(), units });
      written += requests.length;
      return outcome;
    },
  };
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), runSeconds * 1_000);
  const gates = new CapacityGates({ unitsPerSecond });
  const deadLetters = { write: () => Promise.reject(new Error('a dead letter')) };
  const result = await writeAll(orders(table.name, unitsPerSecond * 1_000), {
    store,
    tables: [table],
    gates,
    deadLetters,
    signal: abort.signal,
  });
  clearTimeout(timer);
  client.destroy();
  const consumed = result.tables[0]?.consumedUnits ?? 0;
  return {
    unitsPerSecond,
    seconds: runSeconds,
    used: consumed / (unitsPerSecond * runSeconds),
    busiestSecond: busiest(answers) / unitsPerSecond,
    indexUnits: consumed - written,
  };
}

/** A budget held for a while on a table with three indexes, two of which every item is in. */
export async function measureBudget(say: (text: string) => void, runSeconds: number): Promise<readonly BudgetFigures[]> {
  const engine = await openDynamo({ data: { kind: 'memory' } });
  try {
    const config = parseStackConfig('bench', {}, tables);
    const client = dynamoClient({ region, endpoint: engine.endpoint });
    const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
    await ensureTable({ store: dynamoStore(client), config, sleep }, omsTradingData);
    client.destroy();
    const { key, indexes } = omsTradingData;
    const figures: BudgetFigures[] = [];
    for (const budget of budgets) {
      say(`budget of ${budget} units/s for ${runSeconds} s`);
      const table = { name: physicalName(omsTradingData, config), key, indexes };
      figures.push(await runOnce(engine.endpoint, table, budget, runSeconds));
    }
    return figures;
  } finally {
    await engine.release();
  }
}

export function printBudget(figures: readonly BudgetFigures[]): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return figures
    .map(
      ({ unitsPerSecond, seconds, used, busiestSecond, indexUnits }) =>
        `budget ${unitsPerSecond} units/s over ${seconds} s: ${percent(used)} used, busiest second ${percent(busiestSecond)}, ` +
        `${indexUnits} of the units by indexes`,
    )
    .join('\n');
}
