import type { ImportRecord } from '../../../tables/model/ledger/transfer-records.ts';
import { checkpointEveryMs, type ImportEnvironment } from './import-environment.ts';
import type { ImportLedger } from './import-ledger.ts';
import type { ImportSource } from './import-source.ts';

/** Writes the checkpoint of an import every second, and at its end whatever way that comes. */
export class CheckpointKeeper {
  readonly #environment: ImportEnvironment;
  readonly #source: ImportSource;
  readonly #ledger: ImportLedger;
  /** The counts of earlier runs. */
  readonly #before: Pick<ImportRecord, 'written' | 'skipped' | 'deadLettered'>;
  /** Aborted when the checkpoint can no longer be written: another run has taken over. */
  readonly #lost = new AbortController();
  #acknowledged = 0;
  #deadLettered = 0;
  #cancel: (() => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  constructor(environment: ImportEnvironment, source: ImportSource, ledger: ImportLedger) {
    this.#environment = environment;
    this.#source = source;
    this.#ledger = ledger;
    this.#before = ledger.record;
    this.#schedule();
  }

  /** Ends the work also when the checkpoint is lost. */
  signal(outer: AbortSignal | undefined): AbortSignal {
    return outer === undefined ? this.#lost.signal : AbortSignal.any([outer, this.#lost.signal]);
  }

  acknowledged(requests: number): void {
    this.#acknowledged += requests;
  }

  deadLettered(): void {
    this.#deadLettered += 1;
  }

  async end(state: 'complete' | 'incomplete' | 'interrupted' | 'failed'): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#last;
    if (this.#failure !== undefined) throw this.#failure.error;
    await this.#ledger.save(this.#present(), state);
  }

  #present(): Partial<ImportRecord> {
    const skipped = this.#environment.skipped?.() ?? 0;
    return {
      position: this.#source.position(),
      lines: this.#source.lines(),
      written: this.#before.written + this.#acknowledged - skipped,
      skipped: this.#before.skipped + skipped,
      deadLettered: this.#before.deadLettered + this.#deadLettered,
    };
  }

  #schedule(): void {
    this.#cancel = this.#environment.clock.after(checkpointEveryMs, () => {
      this.#last = this.#save();
    });
  }

  async #save(): Promise<void> {
    try {
      await this.#ledger.save(this.#present());
    } catch (error) {
      this.#failure = { error };
      this.#lost.abort();
      return;
    }
    this.#environment.onEvent?.({ kind: 'checkpoint', lines: this.#source.lines() });
    if (this.#cancel !== undefined) this.#schedule();
  }
}
