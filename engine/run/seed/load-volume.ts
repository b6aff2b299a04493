import { keyOf } from '../../../tables/model/item.ts';
import type { Volume } from '../../core/seed/define-seed.ts';
import { Frontier } from '../../core/seed/frontier.ts';
import { planVolume, type VolumePlan } from '../../core/seed/plan-volume.ts';
import { divergence, type VolumeItem, volumeItems } from '../../core/seed/volume-items.ts';
import type { WriteRequest, WriteTable } from '../../core/write/write-request.ts';
import { writeAll } from '../write/write-all.ts';
import type { WriteResult } from '../write/write-options.ts';
import { type LoadOutcome, type LoadWish, type SeedEnvironment, writeTable, writeTables } from './environment.ts';
import { refuseProduction } from './refuse-production.ts';
import { SeedLedger } from './seed-ledger.ts';

export interface LoadVolumeOptions extends LoadWish {
  readonly set: string;
  readonly volume: Volume;
  readonly count: number;
  readonly seed: number;
}

export interface VolumeReport {
  readonly set: string;
  readonly outcome: LoadOutcome;
  readonly count: number;
  /** Stored before this run. */
  readonly from: number;
  readonly written: number;
  readonly pruned: number;
  readonly leftBehind: number;
  readonly units: number;
  readonly deadLettered: number;
  readonly elapsedMs: number;
}

/** How far it got is written down at most this often. */
export const checkpointEverySeconds = 2;

type PlacedRequest = WriteRequest & { readonly place: number };

/** Writes generated records into the stack, from where an earlier run of the same seed ended. See docs/design/seeds.md. */
export async function loadVolume(
  environment: SeedEnvironment,
  options: LoadVolumeOptions,
  signal?: AbortSignal,
): Promise<VolumeReport> {
  refuseProduction(environment.config);
  const { set, volume, seed, dryRun } = options;
  const ledger = new SeedLedger(environment, set);
  const state = await ledger.volume(seed, signal);
  const plan = planVolume(state, {
    ...options,
    nowSeconds: environment.nowSeconds(),
    freshSeconds: volume.freshSeconds ?? Number.POSITIVE_INFINITY,
    divergesAt: (one, other) => divergence(volume, { seed, base: state?.base ?? 0 }, one, other),
  });
  const { count, from, leftBehind, remove } = plan;
  const report = { set, count, from, leftBehind, written: 0, pruned: 0, units: 0, deadLettered: 0, elapsedMs: 0 };
  if (dryRun) return { ...report, outcome: 'planned' };
  // A run that was stopped while it deleted goes on with it: that was confirmed then.
  if (options.prune && remove !== undefined) await options.confirmPrune?.(remove.count - remove.from);
  environment.emit({ kind: 'volume-started', set, from, count, seed });
  if (from >= count && remove === undefined) return { ...report, outcome: 'complete' };
  const run = new VolumeRun(environment, options, plan, ledger);
  const removed = await run.remove(signal);
  const base = { ...report, pruned: removed?.written ?? 0, deadLettered: removed?.deadLettered ?? 0 };
  if (removed !== undefined && removed.outcome !== 'complete') return { ...base, outcome: removed.outcome };
  const result = await run.write(signal);
  return {
    ...base,
    outcome: result.outcome,
    written: result.written,
    units: unitsOf(result) + (removed === undefined ? 0 : unitsOf(removed)),
    deadLettered: result.deadLettered,
    elapsedMs: result.elapsedMs + (removed?.elapsedMs ?? 0),
  };
}

interface Pass {
  readonly phase: 'write' | 'prune';
  readonly total: number;
  readonly done?: (requests: readonly PlacedRequest[]) => void | Promise<void>;
  readonly failed?: (place: number) => void;
}

function* mapItems(items: Iterable<VolumeItem>, request: (item: VolumeItem) => PlacedRequest): Generator<PlacedRequest> {
  for (const item of items) yield request(item);
}

class VolumeRun {
  readonly #environment: SeedEnvironment;
  readonly #options: LoadVolumeOptions;
  readonly #plan: VolumePlan;
  readonly #ledger: SeedLedger;
  readonly #tables: ReadonlyMap<string, WriteTable>;

  constructor(environment: SeedEnvironment, options: LoadVolumeOptions, plan: VolumePlan, ledger: SeedLedger) {
    this.#environment = environment;
    this.#options = options;
    this.#plan = plan;
    this.#ledger = ledger;
    this.#tables = writeTables(environment);
  }

  /** Deletes what an earlier volume had and this one has not. The ledger says so first: a run that is stopped goes on. */
  async remove(signal?: AbortSignal): Promise<WriteResult | undefined> {
    const { remove, from } = this.#plan;
    if (remove === undefined) return undefined;
    await this.#save(from, { base: remove.base, count: remove.count });
    const { set, volume, seed } = this.#options;
    const items = volumeItems(set, volume, { seed, base: remove.base, count: remove.count }, remove.from);
    const requests = mapItems(items, ({ place, table: name, item }) => {
      const table = this.#table(name);
      return { place, table: table.name, delete: keyOf(table, item) };
    });
    return this.#writeAll(requests, { phase: 'prune', total: remove.count - remove.from }, signal);
  }

  /** Writes the rest of the records, and how far it got every few seconds and in the end. */
  async write(signal?: AbortSignal): Promise<WriteResult> {
    const { from, count, base } = this.#plan;
    const { set, volume, seed } = this.#options;
    const frontier = new Frontier(from);
    await this.#save(from);
    let saved = this.#environment.nowSeconds();
    const done = async (requests: readonly PlacedRequest[]): Promise<void> => {
      for (const { place } of requests) frontier.done(place);
      if (this.#environment.nowSeconds() - saved < checkpointEverySeconds) return;
      saved = this.#environment.nowSeconds();
      await this.#save(frontier.reached);
    };
    const items = volumeItems(set, volume, { seed, base, count }, from);
    const requests = mapItems(items, ({ place, table, item }) => ({ place, table: this.#table(table).name, put: item }));
    const failed = (place: number) => frontier.failed(place);
    try {
      return await this.#writeAll(requests, { phase: 'write', total: count - from, done, failed }, signal);
    } finally {
      await this.#save(frontier.reached);
    }
  }

  #writeAll(requests: Iterable<PlacedRequest>, { phase, total, done, failed }: Pass, signal?: AbortSignal): Promise<WriteResult> {
    const { batches, gates, deadLetters, concurrency, emit } = this.#environment;
    const { set } = this.#options;
    return writeAll<PlacedRequest>(requests, {
      store: batches,
      tables: [...this.#tables.values()],
      gates,
      deadLetters,
      concurrency,
      signal,
      onAcknowledged: done,
      onDeadLetter: ({ place }) => failed?.(place),
      onEvent: (event) => {
        if (event.kind === 'progress') emit({ kind: 'progress', set, phase, total, progress: event.progress });
        if (event.kind === 'dead-letter') {
          const { table, key, reason } = event;
          emit({ kind: 'dead-letter', set, table, key, reason: `${reason.code}: ${reason.message}` });
        }
      },
    });
  }

  #save(stored: number, former?: { readonly base: number; readonly count: number }): Promise<void> {
    const { base, count } = this.#plan;
    const record = { seed: this.#options.seed, base, count, stored };
    return this.#ledger.saveVolume(former === undefined ? record : { ...record, former });
  }

  #table(name: string): WriteTable {
    return writeTable(this.#tables, name, this.#environment.config.stack);
  }
}

function unitsOf(result: WriteResult): number {
  return result.tables.reduce((sum, table) => sum + table.consumedUnits, 0);
}
