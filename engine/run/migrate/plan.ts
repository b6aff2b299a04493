import type { Item } from '../../../tables/model/attribute-value.ts';
import { showKey } from '../../../tables/model/item.ts';
import { keyAttributes } from '../../../tables/model/table.ts';
import { requestCost } from '../../../tables/prices.ts';
import { billingOf, physicalName } from '../../../tables/stack-config.ts';
import { bytesPerWriteUnit, writeUnits } from '../../core/capacity/write-units.ts';
import { itemBytes } from '../../core/item/item-size.ts';
import { changeUnits } from '../../core/migrate/change-units.ts';
import { addCounts, addUnits, type Counts, noCounts, noUnits, type Units } from '../../core/migrate/counts.ts';
import type { ReadStore } from '../../core/migrate/data-store.ts';
import { type Change, decideItem, projectionOf } from '../../core/migrate/decide-item.ts';
import type { PlannedRun } from '../../core/migrate/decide-runs.ts';
import { isPass, type PassStep, type Step } from '../../core/migrate/define-migration.ts';
import { keyIdentity } from '../../core/write/write-request.ts';
import { presentItems } from './backfill/present-item.ts';
import { readLookup } from './backfill/read-lookup.ts';
import { readPage } from './backfill/read-page.ts';
import type { MigrateEnvironment } from './environment.ts';

/** The runner's environment without anything that writes: what is not here cannot be called. */
export type PlanEnvironment = Pick<
  MigrateEnvironment,
  'config' | 'gates' | 'budget' | 'now' | 'sleep' | 'random' | 'emit' | 'tuning' | 'includeExpired'
> & { readonly data: ReadStore };

/** Differences that are shown of a step. */
export const maxShownDifferences = 3;

export interface Difference {
  readonly key: string;
  readonly change: Change;
}

export interface StepPlan {
  readonly step: string;
  readonly kind: Step['kind'];
  readonly table?: string;
  /** What was looked at; of a sample, carried over to the whole table. */
  readonly counts: Counts;
  /** Expected: reading the table twice (backfill and verify), and the writes with their index writes. */
  readonly units: Units;
  readonly sampled: number | undefined;
  /** US dollars on demand; undefined for provisioned capacity or where the region's prices are not known. */
  readonly cost: number | undefined;
  readonly etaSeconds: number;
  readonly differences: readonly Difference[];
  readonly poison: readonly { readonly key: string; readonly reason: string }[];
}

export interface MigrationPlan {
  readonly id: string;
  readonly description: string;
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
    for (const step of source.migration.steps) {
      signal.throwIfAborted();
      steps.push(isPass(step) ? await planPass(environment, step, sample, signal) : otherStep(step));
    }
    plans.push({ id: source.migration.id, description: source.migration.description, kind, reason, steps });
  }
  return plans;
}

function otherStep(step: Exclude<Step, PassStep>): StepPlan {
  const nothing = { counts: noCounts, units: noUnits, sampled: undefined, cost: 0, etaSeconds: 0, differences: [], poison: [] };
  return { step: step.name, kind: step.kind, ...nothing };
}

/** Bytes that one eventually consistent read unit covers: half of 4 KB each (Developer Guide, "Read capacity units"). */
const bytesPerReadUnit = 8_192;

async function planPass(
  environment: PlanEnvironment,
  step: PassStep,
  sample: number | undefined,
  signal: AbortSignal,
): Promise<StepPlan> {
  const table = physicalName(step.table, environment.config);
  const scan = await scanPass(environment, step, table, sample, signal);
  const described = sample === undefined ? undefined : await environment.data.describeTable(table, signal);
  const known = described?.itemCount ?? 0;
  const factor = scan.complete || known <= scan.counts.scanned ? 1 : known / scan.counts.scanned;
  const counts = scaled(scan.counts, factor);
  // The backfill reads once, the verify pass once more, consistently and so at twice the units.
  const units = { read: scan.units.read * factor * 3, write: Math.round(scan.units.write * factor) };
  const { config, budget } = environment;
  const isOnDemand = billingOf(step.table, config).mode === 'on-demand';
  return {
    step: step.name,
    kind: step.kind,
    table,
    counts,
    units,
    sampled: scan.complete ? undefined : scan.counts.scanned,
    cost: isOnDemand ? requestCost(config.priceRegion ?? config.region, units) : undefined,
    etaSeconds: Math.max(seconds(units.read, budget.read), seconds(units.write, budget.write)),
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
  sample: number | undefined,
  signal: AbortSignal,
) {
  const lookup = await readLookup(environment, step, signal);
  const segments = environment.tuning.segments;
  const perSegment = sample === undefined ? Number.POSITIVE_INFINITY : Math.ceil(sample / segments);
  const totals = new PlanTotals(environment, step, tableName, lookup);
  let complete = true;
  // Beside what the step needs, the keys of all indexes: they tell which of them a change is written to.
  const projected = projectionOf(step);
  const indexKeys = keyAttributes(step.table).map(({ name }) => name);
  const attributes = projected === undefined ? undefined : [...new Set([...projected, ...indexKeys])];
  await Promise.all(
    Array.from({ length: segments }, async (_, segment) => {
      const limit = Math.min(environment.tuning.pageItems, perSegment);
      const request = { tableName, segment, segments, attributes, consistent: false, limit };
      let from: Item | undefined;
      let seen = 0;
      do {
        const page = await readPage(environment, request, from, signal);
        signal.throwIfAborted();
        if (page === undefined) return;
        await totals.add(page.items, page.units);
        seen += page.items.length;
        from = page.next;
      } while (from !== undefined && seen < perSegment);
      if (from !== undefined) complete = false;
    }),
  );
  return { ...totals.result(), complete };
}

class PlanTotals {
  readonly #environment: PlanEnvironment;
  readonly #step: PassStep;
  readonly #tableName: string;
  readonly #lookup: Awaited<ReturnType<typeof readLookup>>;
  readonly #differences: Difference[] = [];
  readonly #poison: { readonly key: string; readonly reason: string }[] = [];
  #counts = noCounts;
  #units = noUnits;
  #bytes = 0;
  #perItemUnit = 0;
  #fixed = 0;

  constructor(environment: PlanEnvironment, step: PassStep, tableName: string, lookup: Awaited<ReturnType<typeof readLookup>>) {
    this.#environment = environment;
    this.#step = step;
    this.#tableName = tableName;
    this.#lookup = lookup;
  }

  result() {
    const { scanned } = this.#counts;
    const bytes = scanned === 0 ? 0 : this.#bytes / scanned;
    const write = this.#perItemUnit * writeUnits(bytes) + this.#fixed;
    const units = addUnits(this.#units, { write });
    return { counts: this.#counts, units, differences: this.#differences, poison: this.#poison };
  }

  async add(items: readonly Item[], readUnits: number): Promise<void> {
    const { now, includeExpired } = this.#environment;
    const options = { nowSeconds: Math.floor(now() / 1_000), includeExpired, lookup: this.#lookup };
    const counts: Record<string, number> = { scanned: items.length };
    const changes: { readonly item: Item; readonly changes: readonly Change[] }[] = [];
    for (const item of items) {
      const decision = decideItem(this.#step, item, options);
      if (decision.kind === 'change') changes.push({ item, changes: decision.changes });
      else this.#count(counts, decision.kind === 'poison' ? 'dead' : decision.kind);
      if (decision.kind === 'poison' && this.#poison.length < maxShownDifferences) {
        this.#poison.push({ key: showKey(this.#step.table, item), reason: decision.reason });
      }
    }
    for (const { item, changes: own } of await this.#withoutPresent(changes)) {
      this.#count(counts, own.length === 0 ? 'right' : 'changed');
      for (const change of own) this.#addCost(change, item);
      const [first] = own;
      if (first !== undefined && this.#differences.length < maxShownDifferences) {
        this.#differences.push({ key: showKey(this.#step.table, item), change: first });
      }
    }
    this.#counts = addCounts(this.#counts, counts as Partial<Counts>);
    this.#units = addUnits(this.#units, { read: readUnits });
    // What a page consumed tells how large its items really are, which the projection hides; a page is rounded up to half a unit.
    const seen = items.reduce((sum, item) => sum + itemBytes(item), 0);
    this.#bytes += Math.max(seen, (readUnits - 0.5) * bytesPerReadUnit);
  }

  /** A part of a change's cost grows with its item, a part does not; what items weigh is known at the end only. */
  #addCost(change: Change, item: Item): void {
    const one = changeUnits(this.#step.table, change, 0, item);
    const two = changeUnits(this.#step.table, change, 2 * bytesPerWriteUnit, item);
    this.#perItemUnit += two - one;
    this.#fixed += 2 * one - two;
  }

  #count(counts: Record<string, number>, name: string): void {
    counts[name] = (counts[name] ?? 0) + 1;
  }

  async #withoutPresent(found: readonly { readonly item: Item; readonly changes: readonly Change[] }[]) {
    if (this.#step.kind !== 'insert') return found;
    const { table } = this.#step;
    const keys = found.flatMap(({ changes }) => changes.map(({ key }) => key));
    const present = await presentItems(this.#environment, table, this.#tableName, keys);
    return found.map(({ item, changes }) => ({
      item,
      changes: changes.filter(({ key }) => !present.items.has(keyIdentity(table.key, key))),
    }));
  }
}
