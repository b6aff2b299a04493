import { revertCutover } from '../../run/cutover/move-state.ts';
import type { CommandFunction } from '../context.ts';
import { movePatterns } from '../cutover/move-patterns.ts';

const revert: CommandFunction = (context, [names], options) =>
  movePatterns(context, (names as readonly string[] | undefined) ?? [], options.all === true, (environment, pattern) =>
    revertCutover(environment, pattern, context.signal),
  );

export default revert;
