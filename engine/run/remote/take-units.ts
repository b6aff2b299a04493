import { claimRecord } from '../../../tables/model/ledger/lock-records.ts';
import type { StepRecord } from '../../../tables/model/ledger/migration-records.ts';
import { put } from '../../core/ledger/ledger-write.ts';
import type { StepContext } from '../migrate/run-context.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { silenceMs } from './take-turn.ts';

/**
 * Workers of an execution may still be at the units of a spread step: from here on they can write nothing more to the ledger, and to the
 * tables when what they have under way is through.
 */
export async function takeUnits({ environment, ledger, reader, stop }: StepContext, record: StepRecord): Promise<void> {
  if (record.spread !== true) return;
  const { migration, step, segments } = record;
  const { token, holder } = ledger.lease;
  const places = Array.from({ length: segments + 1 }, (_, segment) => ({ migration, step, segment }));
  const found = await reader.claims(places);
  // Whoever holds the lock has let its lease pass, or given it back, before somebody else has it: nobody need wait for it.
  await ledger.commit(
    places.map((place) => put(claimRecord, { ...place, token, attempt: ledger.attempt, by: holder, over: true })),
  );
  const isBusy = found.some(({ over }) => over !== true);
  if (isBusy) await untilStopped(environment.sleep(silenceMs(environment), stop), stop);
}
