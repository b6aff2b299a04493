import { TablewrightError } from '../../../tables/model/error.ts';
import type { RunnerTask } from '../../../tables/model/runner/order.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { segmentsFor } from '../../core/remote/plan-pass.ts';
import type { Lease } from '../ledger/lock.ts';
import { underLease, type withLock } from '../ledger/session.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { runRollback } from '../migrate/rollback/run-rollback.ts';
import { runMigrations } from '../migrate/run-migrations.ts';
import { runRetry } from '../migrate/run-retry.ts';
import { runVerify } from '../migrate/run-verify.ts';
import { adoptLock } from './adopt-lock.ts';
import { type LookUpOptions, lookUp } from './look-up.ts';
import { endTurn } from './take-turn.ts';

/** Goes through what was asked for, as a run on one machine does, up to where something is to be done elsewhere. */
export async function goThrough(
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  task: RunnerTask,
  options: LookUpOptions,
  onLease: (lease: Lease) => void = () => undefined,
): Promise<void> {
  const { command, request, workers } = task.order;
  const { signal } = options;
  const segments = segmentsFor(workers, environment.tuning.segments);
  const spread = { ...environment, tuning: { ...environment.tuning, segments } };
  const hold: typeof withLock = async (own, _doing, stop, work) => {
    const lease = await adoptLock(own, task, options.inline, stop);
    onLease(lease);
    const elsewhere = lookUp(task, options);
    const done = underLease(own, lease, stop, (session) => work({ ...session, elsewhere }));
    return options.inline ? done.finally(() => endTurn(own, lease)) : done;
  };
  switch (command) {
    case 'migrate': {
      const { to, phase, accept } = request;
      await runMigrations(spread, sources, { to, accept, ...(phase === undefined ? {} : { phase }) }, signal, hold);
      return;
    }
    case 'verify':
      await runVerify(spread, sources, request.id, signal, hold);
      return;
    case 'rollback':
      await runRollback(spread, sources, request.to, signal, { acceptGaps: request.acceptGaps }, hold);
      return;
    case 'retry':
      await runRetry(spread, sourceOf(sources, request.id), signal, hold);
  }
}

function sourceOf(sources: readonly MigrationSource[], id: string | undefined): MigrationSource {
  const found = sources.find(({ migration }) => migration.id === id);
  if (found !== undefined) return found;
  throw new TablewrightError('UNKNOWN_NAME', `there is no migration ${id ?? ''}`, {
    next: `Use one of ${sources.map(({ migration }) => migration.id).join(', ')}.`,
  });
}
