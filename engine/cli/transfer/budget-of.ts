import type { Budget } from '../../core/capacity/budget.ts';
import type { OpenStack } from '../open-stack.ts';
import { localStack } from '../read-stack.ts';

/** `--rate`, else the stack's own budget; the embedded engine has none. */
export function budgetOf(stack: OpenStack, kind: 'read' | 'write', rate: number | undefined): Budget {
  if (rate !== undefined) return { unitsPerSecond: rate };
  return stack.name === localStack ? { unlimited: true } : { unitsPerSecond: stack.config.budgets[kind] };
}
