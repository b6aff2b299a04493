import type { CutoverEnvironment } from '../../run/cutover/environment.ts';
import type { Context } from '../context.ts';
import { actorOf } from '../migrate/migrate-environment.ts';
import type { OpenStack } from '../open-stack.ts';
import { readEnvironment } from '../read-environment.ts';

export function cutoverEnvironment(context: Context, stack: OpenStack): CutoverEnvironment {
  const { who, host } = actorOf(context.root);
  return { ...readEnvironment(stack), time: () => new Date().toISOString(), by: `${who}@${host}` };
}
