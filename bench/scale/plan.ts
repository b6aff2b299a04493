import { segmentsFor, unitsPerWorker } from '../../engine/core/remote/plan-pass.ts';
import { defaultTuning } from '../../engine/run/migrate/environment.ts';

/**
 * What a run by many workers takes, on paper. All rates are per second, prices in US dollars.
 */

/** One worker, as it was measured. */
export interface Worker {
  /** Items that it changes in a second when nothing limits it. */
  readonly itemsPerSecond: number;
  readonly memoryGb: number;
  /** Until it is at work. */
  readonly startSeconds: number;
}

export interface Work {
  readonly items: number;
  /** Of each change, indexes included, and of its entries in journal and checkpoint. */
  readonly writeUnitsPerItem: number;
  /** Of the pass that changes and of the one that verifies, together. */
  readonly readUnitsPerItem: number;
  /** Write units per second that the run may use (`--rate`); what the table takes when left out. */
  readonly budget?: number | undefined;
}

/** What AWS allows; what can be raised is raised by asking. */
export interface Quotas {
  readonly lambdaConcurrency: number;
  /** Sandboxes that Lambda adds to a function every ten seconds. */
  readonly lambdaPerTenSeconds: number;
  readonly mapConcurrency: number;
  readonly tableWriteUnits: number;
  readonly partitionWriteUnits: number;
}

export interface PriceList {
  readonly lambdaGbSecond: number;
  readonly lambdaRequest: number;
  readonly transition: number;
  readonly writeUnit: number;
  readonly readUnit: number;
}

export interface Plan {
  readonly workers: number;
  readonly atWork: number;
  readonly writeUnitsPerSecond: number;
  readonly seconds: number;
  /** What keeps it from being faster. */
  readonly binds: string;
  readonly partitions: number;
  readonly cost: { readonly lambda: number; readonly transitions: number; readonly units: number };
}

/** A function ends some seconds before its 900, so that it can store where it is. */
const invocationSeconds = 890;
/** A unit: its child begins, Work, More, Worked; each further invocation Work and More. */
const transitionsPerUnit = 4;
const transitionsPerRound = 2;
/** The pass that changes and the one that verifies. */
const passes = 2;

/**
 * rate = min(workers at work × what one does, what the table takes); time = start + items × units ÷ rate.
 * Reading is not what limits it: a verify pass reads 24 items with half a unit and writes nothing.
 */
export function planScale(wanted: number, worker: Worker, work: Work, quotas: Quotas, prices: PriceList): Plan {
  const budget = work.budget ?? Number.POSITIVE_INFINITY;
  const units = segmentsFor(wanted, defaultTuning.segments);
  const [by, atWork] = least([
    ['workers', wanted],
    ['Lambda’s concurrency', quotas.lambdaConcurrency],
    ['the map’s concurrency', quotas.mapConcurrency],
    ['the budget', Math.max(1, Math.floor(budget / unitsPerWorker))],
    ['the units of a pass', units],
  ]);
  const [binds, writeUnitsPerSecond] = least([
    [by, atWork * worker.itemsPerSecond * work.writeUnitsPerItem],
    ['the table’s write units', quotas.tableWriteUnits],
    ['the budget', budget],
  ]);
  const busy = (work.items * work.writeUnitsPerItem) / writeUnitsPerSecond;
  const ramp = worker.startSeconds + (Math.ceil(atWork / quotas.lambdaPerTenSeconds) - 1) * 10;
  const seconds = busy + ramp;
  const rounds = Math.ceil((atWork * seconds) / invocationSeconds);
  return {
    workers: wanted,
    atWork,
    writeUnitsPerSecond,
    seconds,
    binds,
    partitions: Math.ceil(writeUnitsPerSecond / quotas.partitionWriteUnits),
    cost: {
      lambda: atWork * seconds * worker.memoryGb * prices.lambdaGbSecond + (units * passes + rounds) * prices.lambdaRequest,
      transitions: (units * passes * transitionsPerUnit + rounds * transitionsPerRound) * prices.transition,
      units: work.items * (work.writeUnitsPerItem * prices.writeUnit + work.readUnitsPerItem * prices.readUnit),
    },
  };
}

type Limit = readonly [what: string, at: number];

/** The first of those that are equal. */
const least = (limits: readonly Limit[]): Limit => limits.reduce((found, one) => (one[1] < found[1] ? one : found));
