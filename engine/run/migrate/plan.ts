import type { Item } from '../../../tables/model/attribute-value.ts';
import { requestCost } from '../../../tables/model/stack/prices.ts';
import { billingOf, physicalName } from '../../../tables/model/stack/stack-config.ts';
import { type ConsumedUnits, type Counts, noCounts, noUnits } from '../../core/migrate/counts.ts';
import type { ReadStore } from '../../core/migrate/data-store.ts';
import { projectionWithIndexKeys } from '../../core/migrate/decide-item.ts';
import type { PlannedRun } from '../../core/migrate/decide-runs.ts';
import { type DropIndexStep, isPass, type PassStep, type Phase, type Step } from '../../core/migrate/define-migration.ts';
import type { TableListeners } from '../../core/migrate/listeners.ts';
import { markValue } from '../../core/migrate/mark.ts';
import { type PartitionPlan, planPartitions } from '../../core/migrate/partition-plan.ts';
import { naturalHints, wayBackHint } from '../../core/migrate/plan-hints.ts';
import { type PlanSum, PlanTotals } from '../../core/migrate/plan-totals.ts';
import { projection } from '../../core/store/expression.ts';
import { batchGetAll } from '../store/read-keys.ts';
import { scanPages } from '../store/read-pages.ts';
import { readLookup } from './backfill/read-lookup.ts';
import { type MigrateEnvironment, readContextOf } from './environment.ts';

/** The runner's environment without anything that writes: what is not here cannot be called. */
export type PlanEnvironment = Pick<
  MigrateEnvironment,
  'config' | 'gates' | 'budget' | 'nowMs' | 'sleep' | 'random' | 'emit' | 'tuning' | 'includeExpired' | 'listeners' | 'anotherDay'
> & { readonly data: ReadStore };

export interface StepPlan {
  readonly step: string;
  readonly kind: Step['kind'];
  readonly table?: string;
  /** What was looked at; of a sample, carried over to the whole table. */
  readonly counts: Counts;
  /** Expected: reading the table twice (backfill and verify), and the writes with their index writes. */
  readonly units: ConsumedUnits;
  readonly sampled: number | undefined;
  /** US dollars on demand; undefined for provisioned capacity or where the region's prices are not known. */
  readonly cost: number | undefined;
  /** At the budget, or at what partitions take where that is less; 0 without a budget. */
  readonly etaSeconds: number;
  /** What the partitions of the table and its indexes take; undefined when nothing would be written. */
  readonly partitions: PartitionPlan | undefined;
  /** Items that would be written: as many events to each of its listeners. */
  readonly writes: number;
  /** Who hears of it; undefined where nobody could say. */
  readonly listeners: TableListeners | undefined;
  readonly mark: string | undefined;
  readonly consumers: 'paused' | undefined;
  /** What is worth knowing before it is run, a sentence each. */
  readonly hints: readonly string[];
  readonly differences: PlanSum['differences'];
  readonly poison: PlanSum['poison'];
}

export interface MigrationPlan {
  readonly id: string;
  readonly description: string;
  /** When it belongs, if it says so. */
  readonly phase: Phase | undefined;
  readonly kind: PlannedRun['kind'];
  readonly reason: string | undefined;
  readonly steps: readonly StepPlan[];
}

/** What the runs would do and cost, without writing anything. */
export async function planRuns(
  environment: PlanEnvironment,
  runs: readonly PlannedRun[],
  sample: number | undefined,
  signal: AbortSignal,
): Promise<readonly MigrationPlan[]> {
  const plans: MigrationPlan[] = [];
  for (const { source, kind, reason } of runs) {
    const steps: StepPlan[] = [];
    const { id, description, phase } = source.migration;
    // Which generation a later run is, only its ledger says.
    const mark = markValue(id, kind === 'fresh' ? 1 : '…');
    for (const step of source.migration.steps) {
      signal.throwIfAborted();
      steps.push(
        isPass(step)
          ? await planPass(environment, step, { migration: id, sample, mark }, signal)
          : await otherStep(environment, step, signal),
      );
    }
    plans.push({ id, description, phase, kind, reason, steps });
  }
  return plans;
}

async function otherStep(environment: PlanEnvironment, step: Exclude<Step, PassStep>, signal: AbortSignal): Promise<StepPlan> {
  const hints = step.kind === 'drop-index' ? await wayBack(environment, step, signal) : [];
  const nothing = { counts: noCounts, units: noUnits, sampled: undefined, cost: 0, etaSeconds: 0, partitions: undefined };
  const nobody = { writes: 0, listeners: undefined, mark: undefined, consumers: undefined };
  return { step: step.name, kind: step.kind, ...nothing, ...nobody, hints, differences: [], poison: [] };
}

/** Nothing to go back from where the index is gone already. */
async function wayBack({ data, config }: PlanEnvironment, step: DropIndexStep, signal: AbortSignal): Promise<readonly string[]> {
  const found = await data.describeTable(physicalName(step.table, config), signal);
  if (found?.indexes.some(({ name }) => name === step.index) !== true) return [];
  return [wayBackHint(step, { items: found.itemCount, bytes: found.bytes }, config.priceRegion ?? config.region)];
}

interface PassOptions {
  readonly migration: string;
  /** Look at so many items; at all when left out. */
  readonly sample: number | undefined;
  readonly mark: string;
}

async function planPass(
  environment: PlanEnvironment,
  step: PassStep,
  passOptions: PassOptions,
  signal: AbortSignal,
): Promise<StepPlan> {
  const table = physicalName(step.table, environment.config);
  const { sample } = passOptions;
  const scan = await scanPass(environment, step, table, passOptions, signal);
  const described = sample === undefined ? undefined : await environment.data.describeTable(table, signal);
  const known = described?.itemCount ?? 0;
  const factor = scan.complete || known <= scan.counts.scanned ? 1 : known / scan.counts.scanned;
  const counts = scaled(scan.counts, factor);
  // The backfill reads once, the verify pass once more, consistently and so at twice the units.
  const units = { read: scan.units.read * factor * 3, write: Math.round(scan.units.write * factor) };
  const { config, budget, tuning } = environment;
  const partitions = planPartitions(scan.parts, scan.units.write, tuning.segments, !scan.complete);
  const writeRate = Math.min(budget.write, partitions?.unitsPerSecond ?? Number.POSITIVE_INFINITY);
  const isOnDemand = billingOf(step.table, config).mode === 'on-demand';
  return {
    step: step.name,
    kind: step.kind,
    table,
    counts,
    units,
    sampled: scan.complete ? undefined : scan.counts.scanned,
    cost: isOnDemand ? requestCost(config.priceRegion ?? config.region, units) : undefined,
    etaSeconds: Math.max(seconds(units.read, budget.read), seconds(units.write, writeRate)),
    partitions,
    writes: Math.round(scan.writes * factor),
    listeners: await environment.listeners?.(table, signal),
    mark: step.mark,
    consumers: step.consumers,
    hints: naturalHints(step),
    differences: scan.differences,
    poison: scan.poison,
  };
}

const seconds = (units: number, budget: number): number => (budget === 0 ? 0 : units / budget);

function scaled(counts: Counts, factor: number): Counts {
  return Object.fromEntries(
    Object.entries(counts).map(([name, value]) => [name, Math.round(value * factor)]),
  ) as unknown as Counts;
}

async function scanPass(
  environment: PlanEnvironment,
  step: PassStep,
  tableName: string,
  { migration, sample, mark }: PassOptions,
  signal: AbortSignal,
) {
  const lookup = await readLookup(environment, step, signal);
  const segments = environment.tuning.segments;
  const perSegment = sample === undefined ? Number.POSITIVE_INFINITY : Math.ceil(sample / segments);
  const totals = new PlanTotals(step);
  let complete = true;
  const attributes = projectionWithIndexKeys(step);
  await Promise.all(
    Array.from({ length: segments }, async (_, segment) => {
      const Limit = Math.min(environment.tuning.pageItems, perSegment);
      const request = { TableName: tableName, Segment: segment, TotalSegments: segments, Limit, ...projection(attributes) };
      let seen = 0;
      for await (const page of scanPages(readContextOf(environment), request, signal)) {
        const nowSeconds = Math.floor(environment.nowMs() / 1_000);
        const { includeExpired, anotherDay } = environment;
        const options = { migration, nowSeconds, includeExpired, lookup, anotherDay, mark };
        const planned = totals.decide(page.items, page.units, options);
        totals.add(planned, await presentOf(environment, step, tableName, planned, signal));
        seen += page.items.length;
        if (page.next === undefined || seen < perSegment) continue;
        complete = false;
        return;
      }
    }),
  );
  return { ...totals.sum, complete };
}

/** Only new items have to be looked for; what is changed is there. */
async function presentOf(
  environment: PlanEnvironment,
  step: PassStep,
  tableName: string,
  planned: ReturnType<PlanTotals['decide']>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Item>> {
  if (step.kind !== 'insert') return new Map();
  const keys = planned.flatMap(({ changes }) => changes.map(({ key }) => key));
  const wanted = { table: { name: tableName, key: step.table.key }, keys, consistent: true };
  return (await batchGetAll(readContextOf(environment), wanted, signal)).items;
}
