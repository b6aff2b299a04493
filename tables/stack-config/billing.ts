import { z } from 'zod';
import type { Index, StackKind, Table } from '../model/table.ts';

/** Capacity units per second. */
export const units = z.int().min(1);

export const readWrite = z.strictObject({ read: units, write: units });

/**
 * The span that DynamoDB auto scaling takes for its target, in percent of the provisioned capacity
 * (Developer Guide, "Managing throughput capacity automatically with DynamoDB auto scaling").
 */
export const targetUtilizationPercent = { min: 20, max: 90, usual: 70 } as const;

const scaledShape = { read: units, write: units, max: readWrite.optional() };

function checkMaximum(given: ScaledCapacity, context: z.RefinementCtx): void {
  for (const way of ['read', 'write'] as const) {
    const most = given.max?.[way] ?? given[way];
    if (most >= given[way]) continue;
    context.addIssue({ code: 'custom', path: ['max', way], message: `expected at least ${way} (${given[way]}), found ${most}` });
  }
}

const scaled = z.strictObject(scaledShape).superRefine(checkMaximum);

const onDemandSchema = z.strictObject({
  mode: z.literal('on-demand'),
  /** The most that the table, and each index on its own, may use; requests beyond it are throttled. */
  maximum: readWrite.optional(),
  /** Replaces `maximum` for single indexes. */
  indexes: z.record(z.string(), readWrite).optional(),
});

const provisionedSchema = z
  .strictObject({
    mode: z.literal('provisioned'),
    ...scaledShape,
    /** Replaces the table's capacity for single indexes. */
    indexes: z.record(z.string(), scaled).optional(),
    targetUtilization: z
      .int()
      .min(targetUtilizationPercent.min)
      .max(targetUtilizationPercent.max)
      .default(targetUtilizationPercent.usual),
    /**
     * `ignore`: what auto scaling set stays. `correct`: this deployment writes the capacity; needed once when a table
     * turns from on-demand to provisioned, because Pulumi would keep the absent capacity.
     */
    drift: z.enum(['ignore', 'correct']).default('ignore'),
  })
  .superRefine(checkMaximum);

export const billingSchema = z.discriminatedUnion('mode', [onDemandSchema, provisionedSchema], {
  error: ({ code, input }) =>
    code === 'invalid_union' ? `expected on-demand or provisioned, found ${modeOf(input)}` : undefined,
});

function modeOf(input: unknown): string {
  return String((input as { mode?: unknown } | null)?.mode ?? 'none');
}

export type BillingSettings = z.output<typeof billingSchema>;
export type Units = z.output<typeof readWrite>;

export interface ScaledCapacity extends Units {
  /** Without it the capacity is fixed and nothing scales it. */
  readonly max?: Units | undefined;
}

/** What a table and each of its indexes get in one stack, every default filled in. */
export type TableBilling =
  | {
      readonly mode: 'on-demand';
      readonly table: Units | undefined;
      readonly indexes: Readonly<Record<string, Units | undefined>>;
    }
  | {
      readonly mode: 'provisioned';
      readonly table: ScaledCapacity;
      readonly indexes: Readonly<Record<string, ScaledCapacity>>;
      readonly targetUtilization: number;
      readonly drift: 'ignore' | 'correct';
    };

/** The table's own settings go before the stack's, and those before the catalogue's. */
export function resolveBilling(
  table: Pick<Table, 'billing' | 'indexes'>,
  kind: StackKind,
  settings: BillingSettings | undefined,
): TableBilling {
  const chosen: BillingSettings = settings ?? billingSchema.parse(table.billing[kind]);
  if (chosen.mode === 'on-demand') {
    const { maximum, indexes = {} } = chosen;
    return { mode: 'on-demand', table: maximum, indexes: perIndex(table.indexes, indexes, maximum) };
  }
  const { read, write, max, indexes = {}, targetUtilization, drift } = chosen;
  const usual: ScaledCapacity = { read, write, max };
  return { mode: 'provisioned', table: usual, indexes: perIndex(table.indexes, indexes, usual), targetUtilization, drift };
}

function perIndex<T>(indexes: readonly Index[], own: Readonly<Record<string, T>>, usual: T): Readonly<Record<string, T>> {
  return Object.fromEntries(indexes.map(({ name }) => [name, own[name] ?? usual]));
}
