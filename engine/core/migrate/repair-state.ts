import { type StateRecord, settledStates } from '../../../tables/model/ledger/migration-records.ts';
import type { MigrationSource } from './migration-set.ts';

export interface StateRepair {
  /** `forget`: it no longer counts. `accept`: the source is taken as it is now. */
  readonly kind: 'forget' | 'interrupted' | 'accept';
  readonly text: string;
}

/** What a dead runner or a changed file left to put right in a migration's record; undefined when nothing. */
export function repairOf(record: StateRecord, source: MigrationSource | undefined): StateRepair | undefined {
  if (source === undefined) {
    // Half rolled back it is nobody's to forget, and a rollback needs no file.
    if (['rolled-back', 'forgotten', 'rolling-back'].includes(record.state)) return undefined;
    return { kind: 'forget', text: 'its file is gone: forgotten; should it come back with another source, it is run again' };
  }
  if (record.state === 'running') return { kind: 'interrupted', text: 'its runner is gone: marked as interrupted' };
  const isChanged = settledStates.includes(record.state) && record.checksum !== source.checksum;
  return isChanged ? { kind: 'accept', text: "its changed source was accepted; 'tablewright migrate' proves it" } : undefined;
}
