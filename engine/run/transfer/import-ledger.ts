import { absent, equals } from '../../../tables/model/condition.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import {
  type ImportPosition,
  type ImportRecord,
  type ImportState,
  importRecord,
} from '../../../tables/model/ledger/transfer-records.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { ledgerItem } from '../../core/ledger/ledger-codec.ts';
import { putEntry } from '../../core/store/transact-entry.ts';
import type { LedgerStore } from '../ledger/ledger-store.ts';
import { defaultTakeOverWaitMs } from './take-over.ts';

export const importStart: ImportPosition = { done: 0, open: [] };

export interface ImportLedgerOptions {
  readonly ledger: LedgerStore;
  readonly nowMs: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly takeOverWaitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The import's record in the ledger, held by one run at a time: every write is on condition of the run's token. */
export class ImportLedger {
  readonly #options: ImportLedgerOptions;
  #record: ImportRecord;

  private constructor(options: ImportLedgerOptions, record: ImportRecord) {
    this.#options = options;
    this.#record = record;
  }

  /** Takes the import over, or begins it. `fresh` is what it begins with; `again` passes over what was done before. */
  static async take(options: ImportLedgerOptions, fresh: ImportRecord, again: boolean): Promise<ImportLedger> {
    const found = await readImport(options, fresh.table, fresh.identity);
    if (found !== undefined && !again && found.options !== fresh.options) throw otherOptions(found, fresh.options);
    if (found?.state === 'running') await untilStill(options, found);
    const base = found === undefined || again ? fresh : found;
    const token = (found?.token ?? 0) + 1;
    const state = base.state === 'complete' ? 'complete' : 'running';
    const record: ImportRecord = { ...base, token, beat: 0, state };
    await write(options, record, found?.token);
    return new ImportLedger(options, record);
  }

  get record(): ImportRecord {
    return this.#record;
  }

  async save(change: Partial<Omit<ImportRecord, 'token' | 'beat'>>, state: ImportState = 'running'): Promise<void> {
    const updatedAt = isoOfEpochMs(this.#options.nowMs());
    const next = { ...this.#record, ...change, state, beat: this.#record.beat + 1, updatedAt };
    await write(this.#options, next, this.#record.token);
    this.#record = next;
  }
}

export async function readImport(
  { ledger, signal }: Pick<ImportLedgerOptions, 'ledger' | 'signal'>,
  table: string,
  identity: string,
): Promise<ImportRecord | undefined> {
  return ledger.get(importRecord, { table, identity }, signal);
}

async function untilStill(options: ImportLedgerOptions, seen: ImportRecord): Promise<void> {
  await options.sleep(options.takeOverWaitMs ?? defaultTakeOverWaitMs, options.signal);
  const now = await readImport(options, seen.table, seen.identity);
  if (now === undefined || (now.token === seen.token && now.beat === seen.beat) || now.state !== 'running') return;
  throw taken(seen.table);
}

/** `token` is the one that must be there; undefined when nothing may. */
async function write({ ledger }: ImportLedgerOptions, record: ImportRecord, token: number | undefined): Promise<void> {
  const unchanged = token === undefined ? absent('PK') : equals('token', { N: String(token) });
  const entry = putEntry(ledger.table, ledgerItem(importRecord, record), unchanged);
  // Without a signal: how far it got is worth keeping most of all when the run is being stopped.
  const answer = await ledger.transact(() => [entry]);
  if (!answer.done) throw taken(record.table);
}

function taken(table: string): TablewrightError {
  return new TablewrightError('CONFLICT', `${table}: another run imports the same export into it`, {
    next: 'Wait for it, or stop it; then run the same command again to go on where it ended.',
  });
}

function otherOptions(found: ImportRecord, wanted: string): TablewrightError {
  return new TablewrightError('CONFLICT', `${found.table}: this export was imported into it with other options`, {
    problems: [`then: ${found.options}`, `now: ${wanted}`],
    next: 'Give the same options to go on where it ended, or --again to begin at the beginning with the new ones.',
  });
}
