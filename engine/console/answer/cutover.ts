import { TablewrightError } from '../../../tables/model/error.ts';
import { budgetedRead } from '../../cli/budget-of.ts';
import { findPattern } from '../../cli/pattern-arguments.ts';
import { checkParity } from '../../run/cutover/check-parity.ts';
import { loadStates } from '../../run/cutover/read-states.ts';
import { cutoverStatus } from '../../run/cutover/status.ts';
import type { ConsoleEnvironment } from '../console-environment.ts';
import type { CutoverEntry, ParityAnswer } from '../wire-types.ts';
import { isLocal } from './stack.ts';

/** Every pattern that was ever a Scan, with the proof that its state rests on. */
export async function cutoverAnswer({ stack, context }: ConsoleEnvironment): Promise<readonly CutoverEntry[]> {
  const { signal } = context;
  const [found, states] = await Promise.all([cutoverStatus(stack.read, signal), loadStates(stack.read, { signal })]);
  return found.map((entry) => ({ ...entry, evidence: states.get(entry.pattern)?.evidence ?? null }));
}

/** Compares both ways now, and times them, within the stack's budget. A Scan of the whole table: only if it was asked for, and as long as somebody waits. */
export async function parityAnswer(
  environment: ConsoleEnvironment,
  name: string,
  asked: boolean,
  gone: AbortSignal,
): Promise<ParityAnswer> {
  const { stack, context } = environment;
  const signal = AbortSignal.any([context.signal, gone]);
  const pattern = findPattern(stack.tables, name);
  if (!isLocal(environment) && !asked) {
    throw new TablewrightError('NOT_CONFIRMED', `${name}: comparing reads the whole table by Scan, which is paid for`, {
      next: 'Ask for it on the page.',
    });
  }
  return { report: await checkParity(budgetedRead(stack), pattern, { signal, steadyMs: () => performance.now() }) };
}
