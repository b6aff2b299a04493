import { stateRecord } from '../../../tables/tablewright/migration-records.ts';
import { remove, setMembers } from '../../core/ledger/ledger-write.ts';
import { ledgerProblems } from '../../core/migrate/decide-runs.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { repairOf } from '../../core/migrate/repair-state.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { acceptSource } from '../migrate/run-migrations.ts';
import { type Session, withLock } from './session.ts';

export interface Repair {
  readonly id: string;
  readonly what: string;
}

export interface RepairReport {
  readonly repaired: readonly Repair[];
  /** Where ledger and files still contradict each other. */
  readonly left: readonly string[];
}

/** Puts right what a dead runner or a changed file left in the ledger. Holding the lock proves that nobody works on it. */
export async function repairLedger(
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  signal: AbortSignal,
): Promise<RepairReport> {
  return withLock(environment, 'repair', signal, async (session) => {
    const repaired = await repairStates(session, sources);
    return { repaired, left: ledgerProblems(sources, await session.reader.states()) };
  });
}

async function repairStates(session: Session, sources: readonly MigrationSource[]): Promise<readonly Repair[]> {
  const repaired: Repair[] = [];
  for (const record of await session.reader.states()) {
    const { id } = record;
    const source = sources.find(({ migration }) => migration.id === id);
    const repair = repairOf(record, source);
    if (repair === undefined) continue;
    const { kind, text } = repair;
    if (kind === 'accept' && source !== undefined) await acceptSource(session, source);
    else {
      const write = kind === 'forget' ? remove(stateRecord, { id }) : setMembers(stateRecord, { id }, { state: 'interrupted' });
      await session.ledger.commit([write, session.history(id, 'repaired', text)]);
    }
    repaired.push({ id, what: text });
  }
  return repaired;
}
