import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { standingPricesAsOf } from '../../../tables/model/stack/standing-cost.ts';
import type { Table } from '../../../tables/model/table.ts';
import { warmTable } from '../../aws/migrate/warm-table.ts';
import { planWarming, type Warming } from '../../core/migrate/plan-warming.ts';
import { showCost, showNumber } from '../../core/show/numbers.ts';
import { describeAll, warmTables } from '../../run/migrate/warm-tables.ts';
import type { Context } from '../context.ts';
import type { OpenStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';

const namesOf = (stack: OpenStack, tables: readonly Table[]): readonly string[] =>
  tables.map((table) => physicalName(table, stack.config));

/** What `--warm` would raise, and its price. */
export async function planWarm(
  { signal }: Context,
  stack: OpenStack,
  tables: readonly Table[],
  units: number,
): Promise<readonly Warming[]> {
  return planWarming(await describeAll(stack, namesOf(stack, tables), signal), units);
}

/** Raises it, and says so. */
export async function raiseWarm(context: Context, stack: OpenStack, tables: readonly Table[], units: number): Promise<void> {
  const { signal, output } = context;
  const environment = {
    store: stack.store,
    sleep,
    warm: (request: Parameters<typeof warmTable>[1]) => warmTable(stack.client, request, signal),
  };
  const raised = await warmTables(environment, namesOf(stack, tables), units, signal);
  for (const line of warmLines(raised, units)) output.note({ event: 'warm', units, raised }, line);
}

/** What a plan says by itself, where the budget is more than tables take at once. */
export function neededWarmth(warmings: readonly Warming[], units: number): readonly string[] {
  if (warmings.length === 0) return [];
  return [
    `The budget is more than these tables take at once, so what is beyond is throttled until they have grown; 'migrate --warm ${units}' raises that first.`,
    ...warmLines(warmings, units),
  ];
}

export function warmLines(warmings: readonly Warming[], units: number): readonly string[] {
  if (warmings.length === 0)
    return [`Warm throughput: every table takes ${showNumber(units)} write units a second, as far as its server says.`];
  const total = warmings.reduce((sum, { cost }) => sum + cost, 0);
  const parts = warmings.map(({ table, index, from, to }) => {
    const part = index === undefined ? table : `${table} ${index}`;
    return `${part} from ${showNumber(from)} to ${showNumber(to)} write units a second`;
  });
  return [
    `Warm throughput: ${parts.join('; ')}. Once about ${showCost(total)}, if a unit costs once what a provisioned one costs an hour (us-east-1, ${standingPricesAsOf}).`,
  ];
}
