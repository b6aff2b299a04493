import type { Condition, Operand } from '../../../tables/model/condition.ts';

const signs = { equals: '=', differs: '≠', less: '<', atMost: '≤', greater: '>', atLeast: '≥' } as const;

/** A condition as people read it: `status = Open and side is one of Buy, Sell`. */
export function showCondition(condition: Condition): string {
  switch (condition.op) {
    case 'all':
    case 'any':
      return condition.conditions.map(nested).join(condition.op === 'all' ? ' and ' : ' or ');
    case 'present':
      return `${condition.attribute} is there`;
    case 'absent':
      return `${condition.attribute} is not there`;
    case 'oneOf':
      return `${condition.attribute} is one of ${condition.values.join(', ')}`;
    case 'beginsWith':
      return `${condition.attribute} begins with ${condition.prefix}`;
    default:
      return `${condition.attribute} ${signs[condition.op]} ${operand(condition.value)}`;
  }
}

const nested = (part: Condition): string => ('conditions' in part ? `(${showCondition(part)})` : showCondition(part));

function operand(value: Operand): string {
  if (typeof value === 'string') return value;
  return 'N' in value ? value.N : String(value.BOOL);
}
