import { pauseKey, stateKey } from '../../../tables/tablewright/ledger-keys.ts';
import type { StateRecord } from '../../core/ledger/ledger-records.ts';
import { toRecordItem } from '../../core/ledger/record-item.ts';
import { ledgerProblems } from '../../core/migrate/decide-runs.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { remove, setAttributes } from '../ledger/fenced-ledger.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { ledgerName, lockScope } from '../ledger/lock.ts';
import { withLock } from '../ledger/session.ts';
import type { MigrateEnvironment } from './environment.ts';
import { acceptSource } from './run-migrations.ts';

type ControlEnvironment = Pick<MigrateEnvironment, 'ledger' | 'config' | 'actor' | 'now'>;

/** Asks whoever runs migrations to hold still. A request, not a ledger entry of a run, so it needs no lock. */
export async function pauseRuns(environment: ControlEnvironment): Promise<void> {
  const record = { ...pauseKey(lockScope), by: environment.actor.who, at: new Date(environment.now()).toISOString() };
  const Put = { TableName: ledgerName(environment), Item: toRecordItem(record) };
  await environment.ledger.transact({ TransactItems: [{ Put }] });
}

/** False when nothing was paused. */
export async function resumeRuns(environment: ControlEnvironment): Promise<boolean> {
  if ((await new LedgerReader(environment).pause()) === undefined) return false;
  const Delete = { TableName: ledgerName(environment), Key: toRecordItem(pauseKey(lockScope)) };
  await environment.ledger.transact({ TransactItems: [{ Delete }] });
  return true;
}

export interface Repair {
  readonly id: string;
  readonly what: string;
}

/** Puts right what a dead runner or a changed file left in the ledger. Holding the lock proves that nobody works on it. */
export async function repairLedger(
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  signal: AbortSignal,
): Promise<{ readonly repaired: readonly Repair[]; readonly left: readonly string[] }> {
  return withLock(environment, 'repair', signal, async (session) => {
    const repaired: Repair[] = [];
    for (const record of await session.reader.states()) {
      const source = sources.find(({ migration }) => migration.id === record.id);
      const what = repairOf(record, source);
      if (what === undefined) continue;
      if (what.kind === 'interrupted') {
        await session.ledger.commit([
          setAttributes(stateKey(record.id), { state: 'interrupted' }),
          session.history(record.id, 'repaired', what.text),
        ]);
      } else if (what.kind === 'forget') {
        await session.ledger.commit([remove(stateKey(record.id)), session.history(record.id, 'repaired', what.text)]);
      } else if (source !== undefined) await acceptSource(session, source);
      repaired.push({ id: record.id, what: what.text });
    }
    return { repaired, left: ledgerProblems(sources, await session.reader.states()) };
  });
}

function repairOf(record: StateRecord, source: MigrationSource | undefined) {
  if (source === undefined) return { kind: 'forget', text: 'its file is gone: its record was taken out' } as const;
  if (record.state === 'running') return { kind: 'interrupted', text: 'its runner is gone: marked as interrupted' } as const;
  const isSettled = record.state === 'applied' || record.state === 'verified';
  if (isSettled && record.checksum !== source.checksum)
    return { kind: 'accept', text: 'its changed source was accepted' } as const;
  return undefined;
}
