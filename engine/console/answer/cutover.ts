import { TablewrightError } from '../../../tables/model/error.ts';
import { budgetedRead } from '../../cli/budget-of.ts';
import { findPattern } from '../../cli/pattern-arguments.ts';
import { checkParity } from '../../run/cutover/check-parity.ts';
import { loadStates } from '../../run/cutover/read-states.ts';
import { cutoverStatus } from '../../run/cutover/status.ts';
import { readAll } from '../../run/read/read-pattern.ts';
import type { ConsoleEnvironment } from '../console-environment.ts';
import type { CutoverEntry, ParityAnswer } from '../wire-types.ts';
import { isLocal } from './stack.ts';

/** Every pattern that was ever a Scan, with the proof that its state rests on. */
export async function cutoverAnswer({ stack, context }: ConsoleEnvironment): Promise<readonly CutoverEntry[]> {
  const { signal } = context;
  const [found, states] = await Promise.all([cutoverStatus(stack.read, signal), loadStates(stack.read, { signal })]);
  return found.map((entry) => ({ ...entry, evidence: states.get(entry.pattern)?.evidence ?? null }));
}

/** Compares both ways now, and times them on the pattern's example. A Scan of the whole table: only if it was asked for. */
export async function parityAnswer(environment: ConsoleEnvironment, name: string, asked: boolean): Promise<ParityAnswer> {
  const { stack, context } = environment;
  const { signal } = context;
  const pattern = findPattern(stack.tables, name);
  if (!isLocal(environment) && !asked) {
    throw new TablewrightError('NOT_CONFIRMED', `${name}: comparing reads the whole table by Scan, which is paid for`, {
      next: 'Ask for it on the page.',
    });
  }
  // Within the stack's budget, as the command does it.
  const report = await checkParity(budgetedRead(stack), pattern, { signal });
  const timed = async (state: 'scan' | 'query'): Promise<number> => {
    const startedMs = performance.now();
    await readAll(stack.read, pattern, pattern.example, { state, signal });
    return performance.now() - startedMs;
  };
  const times: { readonly scan: number; readonly query: number }[] = [];
  // By turns, so that both meet the same machine; a single read would be chance.
  const rounds = report.outcome === 'not-readable' ? 0 : isLocal(environment) ? localRounds : 1;
  for (let round = 0; round < rounds; round += 1) times.push({ query: await timed('query'), scan: await timed('scan') });
  return { report, latency: times.length === 0 ? null : { scan: median(times, 'scan'), query: median(times, 'query') } };
}

/** Where Scans are not paid for. */
const localRounds = 5;

function median<T extends string>(times: readonly Readonly<Record<T, number>>[], of: T): number {
  const sorted = times.map((time) => time[of]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
