import type { Budget } from '../core/capacity/budget.ts';
import { defaultRetryPolicy } from '../core/store/retry-policy.ts';
import { CapacityGates } from '../run/capacity/capacity-gate.ts';
import type { ReadEnvironment } from '../run/read/read-pattern.ts';
import { localStack } from './local-stack.ts';
import type { OpenStack } from './open-stack.ts';

type BudgetedStack = Pick<OpenStack, 'name' | 'config'>;

/** Units per second of a table: the rate asked for, else the stack's own budget. The embedded engine has no capacity to spare. */
export function rateOf(stack: BudgetedStack, kind: 'read' | 'write', rate: number | undefined): number {
  if (rate !== undefined) return rate;
  return stack.name === localStack ? Number.POSITIVE_INFINITY : stack.config.budgets[kind];
}

export function budgetOf(stack: BudgetedStack, kind: 'read' | 'write', rate: number | undefined): Budget {
  const unitsPerSecond = rateOf(stack, kind, rate);
  return Number.isFinite(unitsPerSecond) ? { unitsPerSecond } : { unlimited: true };
}

/** Reading for long work on the stack: within its budgets, and with the patience of a run rather than of somebody who waits. */
export function budgetedRead(stack: BudgetedStack & Pick<OpenStack, 'read'>, rate?: number): ReadEnvironment {
  const gates = new CapacityGates(budgetOf(stack, 'read', rate));
  const writeGates = new CapacityGates(budgetOf(stack, 'write', undefined));
  return { ...stack.read, gates, writeGates, retry: defaultRetryPolicy };
}
