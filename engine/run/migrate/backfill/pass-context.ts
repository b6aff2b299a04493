import type { SegmentUnit } from '../../../../tables/model/ledger/migration-records.ts';
import { physicalName } from '../../../../tables/model/stack/stack-config.ts';
import type { UseOutcome } from '../../../core/capacity/capacity-limiter.ts';
import { addCounts, addUnits, type ConsumedUnits, type Counts, noCounts, noUnits } from '../../../core/migrate/counts.ts';
import type { PageDecisionOptions } from '../../../core/migrate/decide-twice.ts';
import type { Lookup, PassStep } from '../../../core/migrate/define-migration.ts';
import { markValue } from '../../../core/migrate/mark.ts';
import { RefusalCounts } from '../../../core/migrate/refusal-counts.ts';
import type { FencedLedger } from '../../ledger/fenced-ledger.ts';
import type { LedgerReader } from '../../ledger/ledger-reader.ts';
import type { MigrateEnvironment } from '../environment.ts';
import type { KeyPace } from './key-pace.ts';

/** What all segments of a pass have in common. Segments share nothing but this: no state of one is read by another. */
export interface PassContext {
  readonly environment: MigrateEnvironment;
  readonly ledger: FencedLedger;
  readonly reader: LedgerReader;
  readonly step: PassStep;
  readonly tableName: string;
  readonly unit: Omit<SegmentUnit, 'segment'>;
  /** First Ctrl-C, a lost lock, or another segment's failure. */
  readonly stop: AbortSignal;
  /** Resolves at once unless the run is paused. */
  readonly whilePaused: () => Promise<void>;
  readonly meter: PassMeter;
  readonly keyPace: KeyPace;
  readonly lookup: Lookup | undefined;
  /** Dead letters of others at the same pass are taken into the meter; called behind each checkpoint that has some. */
  readonly countDead?: (() => Promise<void>) | undefined;
  /** Segments that share what this process may use; all of them when left out. */
  readonly atOnce?: number | undefined;
}

interface Totals {
  readonly counts: Counts;
  readonly units: ConsumedUnits;
}

/** Adds up what the segments tell, for people to see. */
export class PassMeter {
  /** Of this run and those before it that it goes on with. */
  counts: Counts = noCounts;
  units: ConsumedUnits = noUnits;
  /** Of those before it alone: what this run did is the difference. */
  earlier: Totals = { counts: noCounts, units: noUnits };
  throttles = 0;
  readonly refusals = new RefusalCounts();
  segmentsDone = 0;
  /** Dead letters up to this moment, before any checkpoint. */
  dead = 0;
  /** Of pages that are not at their checkpoint yet. */
  #ahead = { write: 0, changed: 0 };

  /** As of this moment, before any checkpoint. */
  get present(): Totals {
    const { write, changed } = this.#ahead;
    // What was changed was read before: without that there would be more changed than read until the checkpoint.
    return { counts: addCounts(this.counts, { scanned: changed, changed }), units: addUnits(this.units, { write }) };
  }

  live({ write, changed }: { readonly write: number; readonly changed: number }): void {
    this.#ahead = { write: this.#ahead.write + write, changed: this.#ahead.changed + changed };
  }

  /** A segment goes on from here. */
  goOn(counts: Counts, units: ConsumedUnits): void {
    this.addPage(counts, units);
    this.dead += counts.dead;
    this.earlier = { counts: addCounts(this.earlier.counts, counts), units: addUnits(this.earlier.units, units) };
  }

  /** A batch of which something was refused for want of capacity. */
  noteRefusal(cost: UseOutcome): void {
    if (cost.kind !== 'answered' || cost.refused <= 0) return;
    this.throttles += 1;
    this.refusals.add(cost.reasons);
  }

  /** A checkpoint has taken pages in, which were told of as they went. */
  pass(before: Totals, after: Totals, pages: readonly { readonly units: ConsumedUnits; readonly done: number }[]): void {
    const read = after.units.read - before.units.read;
    this.addPage(difference(after.counts, before.counts), { read, write: after.units.write - before.units.write });
    for (const { units, done } of pages) this.live({ write: -units.write, changed: -done });
  }

  addPage(counts: Partial<Counts>, units: Partial<ConsumedUnits>): void {
    this.counts = addCounts(this.counts, counts);
    this.units = addUnits(this.units, units);
  }

  /** Write units of a batch. Where the server does not say, the estimate stands in. */
  static writeUnits(cost: UseOutcome, estimate: number): number {
    if (cost.kind !== 'answered') return 0;
    return cost.consumed ?? estimate - cost.refused;
  }
}

function difference(after: Counts, before: Counts): Partial<Counts> {
  return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - before[name as keyof Counts]]));
}

export const tableNameOf = (environment: Pick<MigrateEnvironment, 'config'>, step: PassStep): string =>
  physicalName(step.table, environment.config);

/** What decisions of a pass depend on beside the item, at this moment. */
export function decideOptions({
  environment,
  unit,
  lookup,
}: Pick<PassContext, 'environment' | 'unit' | 'lookup'>): PageDecisionOptions {
  const { includeExpired, anotherDay } = environment;
  const nowSeconds = Math.floor(environment.nowMs() / 1_000);
  const mark = markValue(unit.migration, unit.generation);
  return { migration: unit.migration, nowSeconds, includeExpired, lookup, anotherDay, mark };
}
