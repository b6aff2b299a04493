import { z } from 'zod';
import type { Index, StackKind, Table } from '../../table.ts';
import { choiceSetting, shown, toNumber, whole } from './values.ts';

/** Capacity units per second. */
export const units = whole({ min: 1, of: 'units' });

/**
 * The span that DynamoDB auto scaling takes for its target, in percent of the provisioned capacity
 * (Developer Guide, "Managing throughput capacity automatically with DynamoDB auto scaling").
 */
export const targetUtilizationPercent = { min: 20, max: 90, usual: 70 } as const;

const upTo = z.strictObject({ read: units.optional(), write: units.optional() });

const limitError = ({ input }: { readonly input?: unknown }) =>
  `expected a whole number of units, 1 or more, or off, found ${shown(input)}`;

const limit = z.preprocess(
  toNumber,
  z
    .union([z.literal('off'), z.number()], { error: limitError })
    .refine((given) => given === 'off' || (Number.isInteger(given) && given >= 1), { error: limitError }),
);

/** `off` stands for both ways. */
function offForBoth(given: unknown): unknown {
  return given === 'off' ? { read: 'off', write: 'off' } : given;
}

const onDemandSchema = z.strictObject({
  mode: z.literal('on-demand'),
  /**
   * The most that the table, and each index on its own, may use; requests beyond it are throttled. `off` lifts a maximum:
   * leaving it out leaves a deployed one as it is, because the provider sends nothing then.
   */
  maximum: z.preprocess(offForBoth, z.strictObject({ read: limit.default('off'), write: limit.default('off') })).optional(),
  /** Replaces `maximum` for single indexes; a way that is left out is the table's. */
  indexes: z
    .record(z.string(), z.preprocess(offForBoth, z.strictObject({ read: limit.optional(), write: limit.optional() })))
    .optional(),
});

const provisionedSchema = z
  .strictObject({
    mode: z.literal('provisioned'),
    read: units,
    write: units,
    /** The upper bound of scaling; a way without one is fixed. */
    max: upTo.optional(),
    /** Replaces the table's capacity for single indexes; a way that is left out is the table's. */
    indexes: z
      .record(z.string(), z.strictObject({ read: units.optional(), write: units.optional(), max: upTo.optional() }))
      .optional(),
    targetUtilization: whole({ min: targetUtilizationPercent.min, max: targetUtilizationPercent.max, of: 'percent' }).default(
      targetUtilizationPercent.usual,
    ),
    /**
     * `ignore`: what auto scaling set stays. `correct`: this deployment writes the capacity; needed once when a table
     * turns from on-demand to provisioned, because Pulumi would keep the absent capacity.
     */
    drift: choiceSetting(['ignore', 'correct']).default('ignore'),
  })
  .superRefine((given, context) => {
    checkMaximum(given, [], context);
    for (const [name, own] of Object.entries(given.indexes ?? {})) {
      checkMaximum(scaledLike(given, own), ['indexes', name], context);
    }
  });

function checkMaximum(given: ScaledCapacity, place: readonly string[], context: z.RefinementCtx): void {
  for (const way of ['read', 'write'] as const) {
    const most = given.max?.[way] ?? given[way];
    if (most >= given[way]) continue;
    const message = `expected at least ${way} (${given[way]}), found ${most}`;
    context.addIssue({ code: 'custom', path: [...place, 'max', way], message });
  }
}

export const billingSchema = z.discriminatedUnion('mode', [onDemandSchema, provisionedSchema], {
  error: ({ code, input }) =>
    code === 'invalid_union' ? `expected on-demand or provisioned, found ${modeOf(input)}` : undefined,
});

function modeOf(input: unknown): string {
  return String((input as { mode?: unknown } | null)?.mode ?? 'none');
}

export type BillingSettings = z.output<typeof billingSchema>;

export interface Units {
  readonly read: number;
  readonly write: number;
}

/** The most that may be used; `off` says that there is no maximum, also where one was deployed. */
export interface Limits {
  readonly read: number | 'off';
  readonly write: number | 'off';
}

type Some<T> = { readonly [Way in keyof T]?: T[Way] | undefined };

export interface ScaledCapacity extends Units {
  /** A way without an upper bound is fixed and nothing scales it. */
  readonly max?: Some<Units> | undefined;
}

type SomeScaled = Some<Units> & { readonly max?: Some<Units> | undefined };

/** What a table and each of its indexes get in one stack, every default filled in. */
export type TableBilling =
  | {
      readonly mode: 'on-demand';
      /** Undefined where the stack says nothing of a maximum. */
      readonly table: Limits | undefined;
      readonly indexes: Readonly<Record<string, Limits | undefined>>;
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
    const own = (name: string) => limitsLike(maximum, indexes[name]);
    return { mode: 'on-demand', table: maximum, indexes: perIndex(table.indexes, own) };
  }
  const { read, write, max, indexes = {}, targetUtilization, drift } = chosen;
  const usual: ScaledCapacity = { read, write, max };
  const own = (name: string) => scaledLike(usual, indexes[name]);
  return { mode: 'provisioned', table: usual, indexes: perIndex(table.indexes, own), targetUtilization, drift };
}

function perIndex<T>(indexes: readonly Index[], of: (name: string) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(indexes.map(({ name }) => [name, of(name)]));
}

function limitsLike(table: Limits | undefined, own: Some<Limits> | undefined): Limits | undefined {
  if (own === undefined) return table;
  return { read: own.read ?? table?.read ?? 'off', write: own.write ?? table?.write ?? 'off' };
}

/** A way that the index leaves out is the table's, its upper bound included; one that it gives has only its own bound. */
function scaledLike(table: ScaledCapacity, own: SomeScaled | undefined): ScaledCapacity {
  if (own === undefined) return table;
  const bound = (way: 'read' | 'write') => own.max?.[way] ?? (own[way] === undefined ? table.max?.[way] : undefined);
  const max = { read: bound('read'), write: bound('write') };
  const scales = max.read !== undefined || max.write !== undefined;
  return { read: own.read ?? table.read, write: own.write ?? table.write, max: scales ? max : undefined };
}
