import { shadowCutover } from '../../run/cutover/move-state.ts';
import type { CommandFunction } from '../context.ts';
import { movePatterns } from '../cutover/move-patterns.ts';

const shadow: CommandFunction = (context, [names], options) =>
  movePatterns(context, (names as readonly string[] | undefined) ?? [], options.all === true, (environment, pattern) =>
    shadowCutover(environment, pattern, Number(options.share) / 100, context.signal),
  );

export default shadow;
