import { shadowCutover } from '../../run/cutover/move-state.ts';
import type { Action } from '../context.ts';
import { movePatterns } from '../cutover/move-patterns.ts';
import type spec from './cutover-shadow.spec.js';

const shadow: Action<typeof spec> = (context, { patterns, all, share }) =>
  movePatterns(context, patterns, all, (environment, pattern) =>
    shadowCutover(environment, pattern, share / 100, context.signal),
  );

export default shadow;
