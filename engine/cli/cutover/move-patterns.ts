import type { Pattern } from '../../../tables/model/pattern.ts';
import type { CutoverEnvironment } from '../../run/cutover/environment.ts';
import type { MoveOutcome } from '../../run/cutover/move-state.ts';
import { defaultRefreshMs } from '../../run/cutover/read-states.ts';
import type { Context } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { cutoverEnvironment } from './cutover-environment.ts';
import { selectPatterns } from './select-patterns.ts';

/** Moves the chosen patterns, one by one, and says what became of each. */
export function movePatterns(
  context: Context,
  names: readonly string[],
  all: boolean,
  move: (environment: CutoverEnvironment, pattern: Pattern) => Promise<MoveOutcome>,
): Promise<number> {
  return withStack(context, {}, async (stack) => {
    const environment = cutoverEnvironment(context, stack);
    const outcomes: MoveOutcome[] = [];
    for (const pattern of selectPatterns(stack.tables, names, all)) {
      context.signal.throwIfAborted();
      outcomes.push(await move(environment, pattern));
    }
    const lines = outcomes.map(
      ({ pattern, from, to, changed }) => `${pattern}: ${changed ? `${from} → ${to}` : `${to} already`}`,
    );
    const note = `Readers follow within ${defaultRefreshMs / 1_000} s.`;
    context.output.result({ stack: stack.name, outcomes }, () => [...lines, note].join('\n'));
    return 0;
  });
}
