import { formerPattern, type Pattern } from '../../../tables/model/pattern.ts';
import { type ReadState, showState } from '../../core/cutover/state-record.ts';
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
    const chosen = selectPatterns(stack.tables, names, all);
    const formers = new Map(chosen.map((pattern) => [pattern.name, formerPattern(pattern)?.index]));
    for (const pattern of chosen) {
      context.signal.throwIfAborted();
      outcomes.push(await move(environment, pattern));
    }
    const lines = outcomes.map(({ pattern, from, to, changed }) => {
      const shown = (state: ReadState) => showState(state, formers.get(pattern));
      return `${pattern}: ${changed ? `${shown(from)} → ${shown(to)}` : `${shown(to)} already`}`;
    });
    const note = `Readers follow within ${defaultRefreshMs / 1_000} s.`;
    context.output.result({ stack: stack.name, outcomes }, () => [...lines, note].join('\n'));
    return 0;
  });
}
