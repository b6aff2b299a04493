import type { Store } from '../../engine/core/store/store.ts';
import { sha256 } from '../../engine/local/sha256.ts';
import { unlimitedGates } from '../../engine/run/capacity/capacity-gate.ts';
import { sleep } from '../../engine/run/capacity/clock.ts';
import type { ReadEnvironment } from '../../engine/run/read/read-pattern.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';

/** What reading needs on a test's store: no budgets, and the time and chance of this process. */
export function readEnvironmentOn(store: Store, tables: readonly Table[], config: StackConfig): ReadEnvironment {
  const gates = { gates: unlimitedGates(), writeGates: unlimitedGates() };
  return { store, tables, names: config, ...gates, sleep, random: Math.random, digest: sha256 };
}
