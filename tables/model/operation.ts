import { z } from 'zod';
import type { Item } from './attribute-value.ts';
import type { Condition } from './condition.ts';
import { TablewrightError } from './error.ts';
import { describeIssue } from './item.ts';
import type { Pattern, PatternParams } from './pattern.ts';
import type { Table } from './table.ts';

interface Guarded {
  readonly table: Table;
  /** The write happens only if this holds for the record as it is. */
  readonly condition?: Condition;
  /** What it means when the condition does not hold: `order-exists`, `status-changed`. */
  readonly refusal?: string;
}

export type Write =
  | (Guarded & { readonly kind: 'put'; readonly item: Item })
  | (Guarded & {
      readonly kind: 'update';
      readonly key: Item;
      readonly set?: Item;
      readonly remove?: readonly string[];
      readonly add?: Readonly<Record<string, string>>;
    })
  | (Guarded & { readonly kind: 'delete'; readonly key: Item });

/** DynamoDB API reference, TransactWriteItems: at most 100 actions, one per item. */
export const maxTransactionWrites = 100;

/** Writes that happen together or not at all. */
export interface Transaction {
  readonly writes: readonly Write[];
}

export interface OperationRead {
  readonly pattern: Pattern;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What an operation decided: transactions to carry out in order, or a refusal found in what was read. */
export type OperationDecision = { readonly transactions: readonly Transaction[] } | { readonly refusal: string };

/**
 * A state change of the spec. `reads` says what must be known, `decide` is pure and turns it into guarded writes; a
 * runner carries them out.
 */
export interface Operation<Params extends PatternParams = PatternParams> {
  readonly name: string;
  readonly description: string;
  readonly params: z.ZodObject<Params>;
  readonly reads: (params: z.output<z.ZodObject<Params>>) => readonly OperationRead[];
  readonly decide: (params: z.output<z.ZodObject<Params>>, found: readonly (readonly Item[])[]) => OperationDecision;
}

/** What a caller gives. */
export type OperationInput<Params extends PatternParams> = z.input<z.ZodObject<Params>>;

export interface OperationOptions<Params extends PatternParams> {
  readonly name: string;
  readonly description: string;
  readonly params: Params;
  readonly reads?: (params: z.output<z.ZodObject<Params>>) => readonly OperationRead[];
  readonly decide: (params: z.output<z.ZodObject<Params>>, found: readonly (readonly Item[])[]) => OperationDecision;
}

export function defineOperation<Params extends PatternParams>(options: OperationOptions<Params>): Operation<Params> {
  const { params, reads = () => [], ...rest } = options;
  return { ...rest, params: z.strictObject(params) as unknown as z.ZodObject<Params>, reads };
}

/** One transaction of the given writes. */
export function together(...writes: readonly Write[]): OperationDecision {
  return { transactions: [{ writes }] };
}

/** The parameters as the operation takes them; all problems at once. */
export function checkParams<Params extends PatternParams>(
  operation: Operation<Params>,
  input: unknown,
): z.output<z.ZodObject<Params>> {
  const parsed = operation.params.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new TablewrightError('BAD_PARAMETER', `${operation.name}: the parameters do not fit`, {
    problems: parsed.error.issues.map(describeIssue),
    next: `Correct them; it takes ${Object.keys(operation.params.shape).join(', ')}.`,
  });
}
