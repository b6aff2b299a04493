import type { StackConfig } from '../../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../../tables/model/table.ts';
import type { Store } from '../../../core/store/store.ts';
import type { JobMemory, NativeStore } from '../../../core/transfer/native-store.ts';
import { untilStopped } from '../../store/until-stopped.ts';

/** How often a job is asked after; DynamoDB's take minutes at least. */
export const defaultPollMs = 5_000;

export type NativeEvent =
  | { readonly kind: 'started'; readonly arn: string }
  | { readonly kind: 'picked-up'; readonly arn: string }
  /** An earlier run's job that there is nothing left to wait for; another one is started. */
  | { readonly kind: 'left'; readonly arn: string; readonly why: string }
  | {
      readonly kind: 'waiting';
      readonly what: string;
      readonly status: string;
      readonly elapsedMs: number;
      readonly detail: string;
    }
  | { readonly kind: 'put-back'; readonly what: string };

export interface NativeEnvironment {
  readonly native: NativeStore;
  readonly store: Store;
  readonly config: StackConfig;
  readonly memory: JobMemory;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly steadyMs: () => number;
  /** A new token for a call that must not take effect twice. */
  readonly token: () => string;
  readonly onEvent?: ((event: NativeEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly pollMs?: number | undefined;
}

export interface TargetTable {
  readonly table: Table;
  readonly tableName: string;
}

/** Asks until there is an answer; undefined when the signal came first. The job itself goes on without us. */
export async function poll<T>(environment: NativeEnvironment, ask: () => Promise<T | undefined>): Promise<T | undefined> {
  const { signal, sleep, pollMs = defaultPollMs } = environment;
  while (!signal?.aborted) {
    const answer = await untilStopped(ask(), signal);
    if (answer !== undefined) return answer;
    await untilStopped(sleep(pollMs, signal), signal);
  }
  return undefined;
}
