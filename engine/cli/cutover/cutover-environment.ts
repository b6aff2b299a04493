import type { CutoverEnvironment } from '../../run/cutover/environment.ts';
import type { Context } from '../context.ts';
import { actorOf } from '../migrate/migrate-environment.ts';
import type { OpenStack } from '../open-stack.ts';

export function cutoverEnvironment(context: Context, stack: OpenStack): CutoverEnvironment {
  const { who, host } = actorOf(context.root);
  return { ...stack.read, nowMs: Date.now, by: `${who}@${host}` };
}
