import { TablewrightError } from '../../../tables/model/error.ts';
import type { Store } from '../../core/store/store.ts';
import { type ImportRecord, type ImportState, importItem, importKey, importRecord } from '../../core/transfer/import-record.ts';
import { defaultTakeOverWaitMs } from './take-over.ts';

export interface ImportLedgerOptions {
  readonly store: Store;
  readonly ledgerTable: string;
  readonly epochMs: () => number;
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
    const updatedAt = new Date(this.#options.epochMs()).toISOString();
    const next = { ...this.#record, ...change, state, beat: this.#record.beat + 1, updatedAt };
    await write(this.#options, next, this.#record.token);
    this.#record = next;
  }
}

export async function readImport(
  { store, ledgerTable, signal }: ImportLedgerOptions,
  table: string,
  identity: string,
): Promise<ImportRecord | undefined> {
  const { PK, SK } = importKey(table, identity);
  const key = { PK: { S: PK }, SK: { S: SK } };
  const { item } = await store.getItem({ TableName: ledgerTable, Key: key, ConsistentRead: true }, signal);
  return item === undefined ? undefined : importRecord(table, identity, item);
}

async function untilStill(options: ImportLedgerOptions, seen: ImportRecord): Promise<void> {
  await options.sleep(options.takeOverWaitMs ?? defaultTakeOverWaitMs, options.signal);
  const now = await readImport(options, seen.table, seen.identity);
  if (now === undefined || (now.token === seen.token && now.beat === seen.beat) || now.state !== 'running') return;
  throw taken(seen.table);
}

async function write(
  { store, ledgerTable }: ImportLedgerOptions,
  record: ImportRecord,
  token: number | undefined,
): Promise<void> {
  const condition =
    token === undefined
      ? { ConditionExpression: 'attribute_not_exists(PK)' }
      : {
          ConditionExpression: '#token = :token',
          ExpressionAttributeNames: { '#token': 'token' },
          ExpressionAttributeValues: { ':token': { N: String(token) } },
        };
  const entry = { Put: { TableName: ledgerTable, Item: importItem(record), ...condition } };
  const answer = await store.transact({ TransactItems: [entry] });
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
