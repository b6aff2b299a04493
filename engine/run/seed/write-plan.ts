import { itemOfText } from '../../core/item/dynamo-json.ts';
import type { RowPlan } from '../../core/seed/plan-seed.ts';
import type { WriteProgress } from '../../core/write/write-event.ts';
import type { WriteRequest } from '../../core/write/write-request.ts';
import { writeAll } from '../write/write-all.ts';
import { type SeedEnvironment, writeTable, writeTables } from './environment.ts';
import type { LoadSetOptions, SetReport } from './load-set.ts';
import type { SeedLedger } from './seed-ledger.ts';

type RowRequest = WriteRequest & { readonly row: RowPlan };
type Written = Pick<SetReport, 'outcome' | 'written' | 'units' | 'deadLettered'>;

/** Writes the plans of a set, one after another. */
export class PlanWriter {
  readonly #environment: SeedEnvironment;
  readonly #ledger: SeedLedger;
  readonly #options: Pick<LoadSetOptions, 'name' | 'rows'>;
  readonly #signal: AbortSignal | undefined;
  readonly #tables;
  #outcome: 'complete' | 'incomplete' | 'interrupted' = 'complete';
  #settled = 0;
  #written = 0;
  #units = 0;
  #deadLettered = 0;

  constructor(
    environment: SeedEnvironment,
    ledger: SeedLedger,
    options: Pick<LoadSetOptions, 'name' | 'rows'>,
    signal: AbortSignal | undefined,
  ) {
    this.#environment = environment;
    this.#ledger = ledger;
    this.#options = options;
    this.#signal = signal;
    this.#tables = writeTables(environment);
  }

  report(): Written {
    return { outcome: this.#outcome, written: this.#written, units: this.#units, deadLettered: this.#deadLettered };
  }

  /**
   * Intents, rows, confirmations, in this order and each only for the rows whose step before was acknowledged: what a crash
   * or a dead letter leaves behind is always known to the ledger. Gives the rows that are not, or not wholly, as the plan has
   * them: dead letters, and what an interrupted run did not get to.
   */
  async write(plan: readonly RowPlan[]): Promise<ReadonlySet<RowPlan>> {
    const intended = await this.#run(
      plan.filter((row) => row.intent !== undefined),
      (row) => this.#intent(row),
    );
    const ready = plan.filter((row) => row.intent === undefined || intended.has(row));
    const changing = new Set(ready.filter((row) => row.put !== undefined || row.remove.length > 0));
    const changed = await this.#run([...changing], (row) => this.#changes(row), true);
    const done = ready.filter((row) => !changing.has(row) || changed.has(row));
    await this.#run(
      done.filter((row) => row.confirmed !== undefined && !saysSo(row)),
      (row) => this.#confirmation(row),
    );
    this.#settled += plan.length;
    const settled = new Set(done);
    return new Set(plan.filter((row) => !settled.has(row)));
  }

  /** Writes the requests of the rows; gives the rows whose requests were all acknowledged. */
  async #run(
    rows: readonly RowPlan[],
    requestsOf: (row: RowPlan) => readonly RowRequest[],
    counts = false,
  ): Promise<ReadonlySet<RowPlan>> {
    if (rows.length === 0 || this.#outcome === 'interrupted') return new Set();
    const requests = rows.flatMap(requestsOf);
    const open = new Map<RowPlan, number>();
    for (const { row } of requests) open.set(row, (open.get(row) ?? 0) + 1);
    const { batches, gates, deadLetters, concurrency, emit } = this.#environment;
    const { name } = this.#options;
    const result = await writeAll<RowRequest>(requests, {
      store: batches,
      tables: [...this.#tables.values()],
      gates,
      deadLetters,
      concurrency,
      signal: this.#signal,
      onAcknowledged: (done) => {
        for (const { row } of done) open.set(row, (open.get(row) ?? 0) - 1);
      },
      onEvent: (event) => {
        if (event.kind === 'progress' && counts) {
          emit({ kind: 'progress', set: name, phase: 'write', ...this.#progress(event.progress, requests.length) });
        } else if (event.kind === 'dead-letter') {
          const { table, key, reason } = event;
          emit({ kind: 'dead-letter', set: name, table, key, reason: `${reason.code}: ${reason.message}` });
        }
      },
    });
    if (result.outcome !== 'complete') this.#outcome = result.outcome;
    if (counts) this.#written += result.written;
    this.#units += result.tables.reduce((sum, table) => sum + table.consumedUnits, 0);
    this.#deadLettered += result.deadLettered;
    return new Set(rows.filter((row) => open.get(row) === 0));
  }

  #intent(row: RowPlan): readonly RowRequest[] {
    const { identity, table } = row;
    return [{ row, table: this.#ledger.table, put: this.#ledger.rowItem({ identity, table, copies: row.intent ?? [] }) }];
  }

  #changes(row: RowPlan): readonly RowRequest[] {
    const table = this.#name(row.table);
    const removals = row.remove.map((key) => ({ row, table, delete: itemOfText(key) }));
    return row.put === undefined ? removals : [{ row, table, put: row.put }, ...removals];
  }

  #confirmation(row: RowPlan): readonly RowRequest[] {
    const { table } = this.#ledger;
    const { identity, confirmed } = row;
    if (confirmed === undefined || confirmed === 'forget') return [{ row, table, delete: this.#ledger.rowKey(identity) }];
    return [{ row, table, put: this.#ledger.rowItem({ identity, table: row.table, copies: confirmed }) }];
  }

  /** Of all rows of the set: those before count as done, whatever had to be written of them. */
  #progress(progress: WriteProgress, requests: number): { readonly total: number; readonly progress: WriteProgress } {
    const { rows = this.#settled + requests } = this.#options;
    return { total: rows, progress: { ...progress, written: this.#settled + progress.written } };
  }

  #name(table: string): string {
    return writeTable(this.#tables, table, this.#environment.config.stack).name;
  }
}

/** Its intent says all that there is to confirm: nothing else was known of the row. */
function saysSo({ intent, confirmed }: RowPlan): boolean {
  return intent !== undefined && JSON.stringify(intent) === JSON.stringify(confirmed);
}
