import type { MigrationLedger } from '../ledger/ledger-store.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';

export type StopEnvironment = MigrationLedger & Pick<MigrateEnvironment, 'actor' | 'nowMs'>;

/** Who was asked to stop. */
export interface StoppedRun {
  readonly token: number;
  readonly holder: string;
  readonly doing: string;
}

/** Asks whoever holds the lock to stop at its next checkpoint, as Ctrl-C would. Undefined when nobody holds it. */
export async function stopRuns(_environment: StopEnvironment): Promise<StoppedRun | undefined> {
  throw new TypeError('not written yet');
}
