import { join } from 'node:path';
import { batchWriteStore } from '../../aws/write/batch-write-store.ts';
import type { Budget } from '../../core/capacity/budget.ts';
import type { SeedEvent } from '../../core/seed/seed-event.ts';
import { deadLetterFile } from '../../local/dead-letter-file.ts';
import { journalCodec } from '../../local/journal-codec.ts';
import { sha256 } from '../../local/sha256.ts';
import { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import type { SeedEnvironment } from '../../run/seed/environment.ts';
import { concurrencyOf } from '../../run/write/write-options.ts';
import { budgetOf } from '../budget-of.ts';
import { localDirectory, type OpenStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';

export interface SeedSession {
  readonly environment: SeedEnvironment;
  /** Where requests go that finally fail; the file is made with the first. */
  readonly deadLetterPath: string;
  close(): Promise<void>;
}

export interface SessionOptions {
  readonly root: string;
  readonly emit: (event: SeedEvent) => void;
  readonly signal: AbortSignal;
  readonly rate?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly threads?: number | undefined;
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

/** What loading seeds needs, from an open stack and this process. */
export function openSeedSession(stack: OpenStack, options: SessionOptions): SeedSession {
  const { root, emit, signal, rate, threads, concurrency = concurrencyOf(threads) } = options;
  // The writer retries by its own budget and has to see every refusal.
  const client = stack.bulkClient({ batchWrites: true, threads });
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const deadLetters = deadLetterFile(join(localDirectory(root), 'dead-letters', `seed-${stack.name}-${stamp}.jsonl`));
  const budget: Budget = rate === undefined ? { unlimited: true } : { unitsPerSecond: rate };
  return {
    deadLetterPath: deadLetters.path,
    environment: {
      store: stack.store,
      batches: batchWriteStore(client),
      config: stack.config,
      tables: stack.tables,
      gates: new CapacityGates(budget),
      readGates: new CapacityGates(budgetOf(stack, 'read', rate)),
      deadLetters,
      concurrency,
      digest: sha256,
      codec: journalCodec,
      nowSeconds,
      sleep,
      random: Math.random,
      emit,
      signal,
    },
    close: async () => {
      await deadLetters.close();
      client.destroy();
    },
  };
}
