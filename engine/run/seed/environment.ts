import type { Digest } from '../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { physicalName, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { SeedEvent } from '../../core/seed/seed-event.ts';
import type { Store } from '../../core/store/store.ts';
import type { BatchStore } from '../../core/write/batch-outcome.ts';
import type { WriteTable } from '../../core/write/write-request.ts';
import type { CapacityGates } from '../capacity/capacity-gate.ts';
import type { JournalCodec } from '../migrate/environment.ts';
import type { DeadLetterSink } from '../write/write-options.ts';

/** Everything that loading seeds needs from outside. */
export interface SeedEnvironment {
  readonly store: Pick<Store, 'getItem' | 'query' | 'batchGet' | 'transact'>;
  readonly batches: BatchStore;
  readonly config: StackConfig;
  /** The tables of the stack, the ledger among them. */
  readonly tables: readonly Table[];
  /** The write budgets. */
  readonly gates: CapacityGates;
  readonly readGates: CapacityGates;
  readonly deadLetters: DeadLetterSink;
  readonly concurrency?: number | undefined;
  /** Of contents, to know them again. */
  readonly digest: Digest;
  /** Of the migrations' journal: what they changed is not taken for somebody's edit. */
  readonly codec: Pick<JournalCodec, 'unpack'>;
  /** Seconds since 1970. */
  readonly nowSeconds: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly emit: (event: SeedEvent) => void;
  /** Somebody wants the command to stop: the ledger is not waited for any longer. */
  readonly signal?: AbortSignal | undefined;
}

/** What a load of rows may do to those that are there. */
export interface LoadWish {
  readonly overwrite: boolean;
  readonly prune: boolean;
  readonly dryRun: boolean;
  /** Called before rows are deleted, with how many; throws when they are to stay. */
  readonly confirmPrune?: ((rows: number) => Promise<void>) | undefined;
}

/** `planned`: a dry run, nothing was written. */
export type LoadOutcome = 'complete' | 'planned' | 'incomplete' | 'interrupted';

/** The stack's tables as the writer knows them, by base name. */
export function writeTables({ tables, config }: SeedEnvironment): ReadonlyMap<string, WriteTable> {
  return new Map(
    tables.map((table) => [table.name, { name: physicalName(table, config), key: table.key, indexes: table.indexes }]),
  );
}

export function writeTable(tables: ReadonlyMap<string, WriteTable>, name: string, stack: string): WriteTable {
  const table = tables.get(name);
  if (table !== undefined) return table;
  throw new TablewrightError('BAD_SEED', `the stack ${stack} has no table ${name}`, {
    next: `Leave out the set, or add the table's system to tablewright:systems in Pulumi.${stack}.yaml.`,
  });
}
