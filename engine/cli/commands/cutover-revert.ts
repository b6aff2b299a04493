import { revertCutover } from '../../run/cutover/move-state.ts';
import type { Action } from '../context.ts';
import { movePatterns } from '../cutover/move-patterns.ts';
import type spec from './cutover-revert.spec.js';

const revert: Action<typeof spec> = (context, { patterns, all }) =>
  movePatterns(context, patterns, all, (environment, pattern) => revertCutover(environment, pattern, context.signal));

export default revert;
