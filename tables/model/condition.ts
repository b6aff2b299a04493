import { attributeOf, type Item } from './attribute-value.ts';
import { compareDecimals } from './decimal.ts';

/**
 * Conditions as data: one language for sparse index rules (evaluated here), filters of access patterns and guards of
 * writes (compiled to DynamoDB expressions by the engine). A text operand may hold placeholders of a pattern's parameters.
 */
export type Operand = string | { readonly N: string } | { readonly BOOL: boolean };

export type Condition =
  | {
      readonly op: 'equals' | 'differs' | 'less' | 'atMost' | 'greater' | 'atLeast';
      readonly attribute: string;
      readonly value: Operand;
    }
  | { readonly op: 'oneOf'; readonly attribute: string; readonly values: readonly string[] }
  | { readonly op: 'beginsWith'; readonly attribute: string; readonly prefix: string }
  | { readonly op: 'present' | 'absent'; readonly attribute: string }
  | { readonly op: 'all' | 'any'; readonly conditions: readonly Condition[] };

export const equals = (attribute: string, value: Operand): Condition => ({ op: 'equals', attribute, value });
export const differs = (attribute: string, value: Operand): Condition => ({ op: 'differs', attribute, value });
export const less = (attribute: string, value: Operand): Condition => ({ op: 'less', attribute, value });
export const atMost = (attribute: string, value: Operand): Condition => ({ op: 'atMost', attribute, value });
export const greater = (attribute: string, value: Operand): Condition => ({ op: 'greater', attribute, value });
export const atLeast = (attribute: string, value: Operand): Condition => ({ op: 'atLeast', attribute, value });
export const oneOf = (attribute: string, values: readonly string[]): Condition => ({ op: 'oneOf', attribute, values });
export const startsWith = (attribute: string, prefix: string): Condition => ({ op: 'beginsWith', attribute, prefix });
export const present = (attribute: string): Condition => ({ op: 'present', attribute });
export const absent = (attribute: string): Condition => ({ op: 'absent', attribute });
export const all = (...conditions: readonly Condition[]): Condition => ({ op: 'all', conditions });
export const any = (...conditions: readonly Condition[]): Condition => ({ op: 'any', conditions });

export function attributesOf(condition: Condition): readonly string[] {
  return 'conditions' in condition ? condition.conditions.flatMap(attributesOf) : [condition.attribute];
}

/** Does the item meet the condition, as DynamoDB would judge it? */
export function holds(condition: Condition, item: Item): boolean {
  switch (condition.op) {
    case 'all':
      return condition.conditions.every((part) => holds(part, item));
    case 'any':
      return condition.conditions.some((part) => holds(part, item));
    case 'present':
      return Object.hasOwn(item, condition.attribute);
    case 'absent':
      return !Object.hasOwn(item, condition.attribute);
    case 'oneOf': {
      const value = attributeOf(item, condition.attribute);
      return value !== undefined && 'S' in value && condition.values.includes(value.S);
    }
    case 'beginsWith': {
      const value = attributeOf(item, condition.attribute);
      return value !== undefined && 'S' in value && value.S.startsWith(condition.prefix);
    }
    default:
      return comparisonHolds(condition.op, compare(item, condition.attribute, condition.value));
  }
}

type Comparison = Extract<Condition, { readonly value: Operand }>['op'];

/** Undefined when the types differ or the attribute is absent: then only `differs` holds. */
function comparisonHolds(op: Comparison, order: number | undefined): boolean {
  if (order === undefined) return op === 'differs';
  switch (op) {
    case 'equals':
      return order === 0;
    case 'differs':
      return order !== 0;
    case 'less':
      return order < 0;
    case 'atMost':
      return order <= 0;
    case 'greater':
      return order > 0;
    case 'atLeast':
      return order >= 0;
  }
}

function compare(item: Item, attribute: string, operand: Operand): number | undefined {
  const value = attributeOf(item, attribute);
  if (value === undefined) return undefined;
  if (typeof operand === 'string') return 'S' in value ? compareTexts(value.S, operand) : undefined;
  if ('N' in operand) return 'N' in value ? compareDecimals(value.N, operand.N) : undefined;
  return 'BOOL' in value ? Number(value.BOOL) - Number(operand.BOOL) : undefined;
}

/** By UTF-8 bytes, as DynamoDB orders strings; JavaScript's own order differs past U+FFFF. */
export function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
