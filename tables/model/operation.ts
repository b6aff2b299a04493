import * as z from 'zod';
import type { AttributeValue, Item } from './attribute-value.ts';
import type { Condition } from './condition.ts';
import type { Entity } from './entity.ts';
import { TablewrightError } from './error.ts';
import { describeIssue } from './item.ts';
import type { Pattern, PatternParams } from './pattern.ts';
import type { Table } from './table.ts';

interface Guarded {
  readonly table: Table;
  /** The write happens only if this holds for the record as it is. */
  readonly condition?: Condition;
  /** The write happens only if the record is there and these attributes are as they were seen; undefined: absent. */
  readonly seen?: Readonly<Record<string, AttributeValue | undefined>>;
  /** What it means when the condition does not hold: `order-exists`, `status-changed`. */
  readonly refusal?: string;
}

/** What a record refers to must be there: where it is created by all of its references, else by those that it gets now. */
export interface Refers {
  readonly entity: Entity;
  readonly item: Item;
  readonly by?: readonly string[];
}

export type Write =
  | (Guarded & {
      readonly kind: 'put';
      readonly item: Item;
      readonly refers?: Refers;
    })
  | (Guarded & {
      readonly kind: 'update';
      readonly key: Item;
      readonly set?: Item;
      readonly remove?: readonly string[];
      readonly add?: Readonly<Record<string, string>>;
      readonly refers?: Refers;
    })
  | (Guarded & { readonly kind: 'delete'; readonly key: Item })
  /** Writes nothing: the others happen only while its condition holds. */
  | (Guarded & { readonly kind: 'check'; readonly key: Item; readonly condition: Condition });

/** DynamoDB API reference, TransactWriteItems: at most 100 actions, one per item. */
export const maxTransactionWrites = 100;

/** Writes that happen together or not at all. */
export interface Transaction {
  readonly writes: readonly Write[];
}

/** What must be known: what a pattern gives, or the one record of a key. Consistent wherever no index is read. */
export type OperationRead =
  | { readonly pattern: Pattern; readonly params: Readonly<Record<string, unknown>> }
  | { readonly table: Table; readonly key: Item };

/**
 * What an operation decided: transactions to carry out in order (none when nothing has to change), a refusal found in what was
 * read, or what is wrong with the values, seen beside what is stored.
 */
export type OperationDecision =
  | { readonly transactions: readonly Transaction[] }
  | { readonly refusal: string }
  | { readonly problems: readonly string[] };

/** Everything is as it should be. */
export const nothingToChange: OperationDecision = { transactions: [] };

/**
 * A state change of the spec. `reads` says what must be known, `decide` is pure and turns it into guarded writes; a
 * runner carries them out.
 */
export interface Operation<Params extends PatternParams = PatternParams> {
  readonly name: string;
  readonly description: string;
  /** What holds whatever else goes on at the same time; for people. */
  readonly invariant: string;
  readonly params: z.ZodObject<Params>;
  /** Refusals that only say that what was read has changed since: it is read and decided anew, until none is left. */
  readonly again: readonly string[];
  readonly reads: (params: z.output<z.ZodObject<Params>>) => readonly OperationRead[];
  readonly decide: (params: z.output<z.ZodObject<Params>>, found: readonly (readonly Item[])[]) => OperationDecision;
}

/** What a caller gives. */
export type OperationInput<Params extends PatternParams> = z.input<z.ZodObject<Params>>;

export interface OperationOptions<Params extends PatternParams> {
  readonly name: string;
  readonly description: string;
  readonly invariant: string;
  readonly params: Params;
  readonly again?: readonly string[];
  readonly reads?: (params: z.output<z.ZodObject<Params>>) => readonly OperationRead[];
  readonly decide: (params: z.output<z.ZodObject<Params>>, found: readonly (readonly Item[])[]) => OperationDecision;
}

export function defineOperation<Params extends PatternParams>(options: OperationOptions<Params>): Operation<Params> {
  const { params, reads = () => [], again = [], ...rest } = options;
  return { ...rest, params: z.strictObject(params) as unknown as z.ZodObject<Params>, again, reads };
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
  throw badParams(operation, parsed.error.issues.map(describeIssue));
}

export function badParams({ name, params }: Pick<Operation, 'name' | 'params'>, problems: readonly string[]): TablewrightError {
  return new TablewrightError('BAD_PARAMETER', `${name}: the parameters do not fit`, {
    problems,
    next: `Correct them; it takes ${Object.keys(params.shape).join(', ')}.`,
  });
}
