import type { CutoverEnvironment } from '../../run/cutover/environment.ts';
import { budgetedRead } from '../budget-of.ts';
import type { Context } from '../context.ts';
import { actorOf } from '../migrate/migrate-environment.ts';
import type { OpenStack } from '../open-stack.ts';

export function cutoverEnvironment(context: Context, stack: OpenStack): CutoverEnvironment {
  const { who, host } = actorOf(context.root);
  return { ...budgetedRead(stack), nowMs: Date.now, by: `${who}@${host}` };
}
