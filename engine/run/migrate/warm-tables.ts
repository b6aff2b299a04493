import { planWarming, type Warming, type WarmRequest, warmRequests } from '../../core/migrate/plan-warming.ts';
import type { Store, TableDescription } from '../../core/store/store.ts';

export interface WarmEnvironment {
  readonly store: Pick<Store, 'describeTable'>;
  warm(request: WarmRequest, signal: AbortSignal): Promise<void>;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** DynamoDB takes minutes; asking more often hurries nobody. */
const pollMs = 5_000;

export async function describeAll(
  { store }: Pick<WarmEnvironment, 'store'>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly TableDescription[]> {
  const found: TableDescription[] = [];
  for (const name of new Set(names)) {
    const description = await store.describeTable(name, signal);
    if (description !== undefined) found.push(description);
  }
  return found;
}

/**
 * Raises what is below the wanted throughput, and waits until all of it is there. Asked again it changes nothing: DynamoDB keeps what it
 * reached. Killed in between, the next run waits for the rest.
 */
export async function warmTables(
  environment: WarmEnvironment,
  names: readonly string[],
  units: number,
  signal: AbortSignal,
): Promise<readonly Warming[]> {
  const needed = planWarming(await describeAll(environment, names, signal), units);
  for (const request of warmRequests(needed)) await environment.warm(request, signal);
  const waiting = needed.map(({ table }) => table);
  for (;;) {
    signal.throwIfAborted();
    const now = await describeAll(environment, waiting, signal);
    if (now.every(isSettled) && planWarming(now, units).length === 0) return needed;
    await environment.sleep(pollMs, signal);
  }
}

function isSettled({ status, indexes }: TableDescription): boolean {
  return status === 'ACTIVE' && indexes.every((index) => index.status === 'ACTIVE');
}
