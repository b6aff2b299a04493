import { isDeepStrictEqual } from 'node:util';
import { type ReadEnvironment, readAll } from '../../engine/run/read/read-pattern.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../tables/model/canonical.ts';
import type { Pattern } from '../../tables/model/pattern.ts';

export interface Figure {
  readonly pattern: string;
  /** Records of the table. */
  readonly size: number;
  readonly way: 'scan' | 'query';
  readonly records: number;
  /** The median of all rounds, in milliseconds. */
  readonly latencyMs: number;
  readonly units: number;
}

export interface Rounds {
  readonly scan: number;
  readonly query: number;
}

/** One pattern both ways. The answers must be the same, or the figures would compare different things. */
export async function measure(
  environment: ReadEnvironment,
  pattern: Pattern,
  params: Readonly<Record<string, string>>,
  size: number,
  rounds: Rounds,
): Promise<readonly Figure[]> {
  const scan = await repeat(rounds.scan, () => readAll(environment, pattern, params, { state: 'scan' }));
  const query = await repeat(rounds.query, () => readAll(environment, pattern, params));
  const ids = (items: readonly Item[]) => items.map(canonicalItem).toSorted();
  if (scan.items.length === 0) throw new Error(`${pattern.name} finds nothing`);
  if (pattern.limit === undefined && !isDeepStrictEqual(ids(scan.items), ids(query.items))) {
    throw new Error(`${pattern.name} gives different answers`);
  }
  return (
    [
      ['scan', scan],
      ['query', query],
    ] as const
  ).map(([way, { items, units, latencyMs }]) => ({
    pattern: pattern.name,
    size,
    way,
    records: items.length,
    latencyMs,
    units,
  }));
}

async function repeat(
  rounds: number,
  read: () => Promise<{ readonly items: readonly Item[]; readonly units: number }>,
): Promise<{ readonly items: readonly Item[]; readonly units: number; readonly latencyMs: number }> {
  let answer = await read();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now();
    answer = await read();
    times.push(performance.now() - startedMs);
  }
  return {
    items: answer.items,
    units: answer.units,
    latencyMs: times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0,
  };
}
