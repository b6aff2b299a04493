import { TablewrightError } from '../../../tables/model/error.ts';
import { type StateRecord, settledStates } from '../../../tables/model/ledger/migration-records.ts';
import { changedSources, ledgerMismatch } from '../../core/migrate/decide-runs.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { type Session, withLock } from '../ledger/session.ts';
import type { MigrateEnvironment } from './environment.ts';
import { runContext } from './run-context.ts';
import { type MigrationResult, resultAsIs, StateWriter } from './state-writer.ts';
import { Timeline } from './timeline.ts';
import { verifySteps } from './verify-steps.ts';

/** Looks again at migrations that are done, and says for each whether something is left over. */
export async function runVerify(
  environment: MigrateEnvironment,
  sources: readonly MigrationSource[],
  id: string | undefined,
  signal: AbortSignal,
  hold: typeof withLock = withLock,
): Promise<readonly MigrationResult[]> {
  const states = await new LedgerReader(environment).states();
  const chosen = sources.flatMap((source) => {
    const state = states.find((record) => record.id === source.migration.id);
    const wanted = id === undefined ? state !== undefined && settledStates.includes(state.state) : source.migration.id === id;
    return wanted ? [{ source, state }] : [];
  });
  for (const { source, state } of chosen) refuseUnapplied(source, state);
  refuseChanged(chosen);
  if (chosen.length === 0) return [];
  return hold(environment, 'verify', signal, async (session) => {
    const results: MigrationResult[] = [];
    for (const { source, state } of chosen) {
      // An execution comes by several times.
      if (session.elsewhere !== undefined && state?.token === session.ledger.lease.token) continue;
      // Those that it did not come to are told as well: what is not looked at is not proven.
      if (session.stop.aborted) results.push({ ...resultAsIs(source.migration.id, state), state: 'interrupted' });
      else results.push(await verifyOne(session, source, state));
    }
    return results;
  });
}

async function verifyOne(session: Session, source: MigrationSource, state: StateRecord | undefined): Promise<MigrationResult> {
  const timeline = new Timeline(session.environment);
  const run = runContext(session, source, state?.generation ?? 1, timeline);
  const { description } = source.migration;
  session.environment.emit({ kind: 'migration-started', migration: run.id, description, resumed: true });
  const writer = new StateWriter(session, source, state, timeline);
  const verified = await verifySteps(run);
  // Nothing was found out: it stays what it was.
  if (verified.outcome === 'interrupted') return { ...resultAsIs(run.id, state), state: 'interrupted' };
  // An item that its function fails on is left over, too; 'migrate' makes a dead letter of it, with the reason.
  const leftovers = verified.leftovers + verified.dead;
  return { ...(await writer.finish(run, leftovers === 0 ? 'verified' : 'incomplete', verified)), leftovers };
}

/** What another source finds left over says nothing of the one that was run. */
function refuseChanged(chosen: readonly { readonly source: MigrationSource; readonly state: StateRecord | undefined }[]): void {
  const states = chosen.flatMap(({ state }) => (state === undefined ? [] : [state]));
  const sources = chosen.map(({ source }) => source);
  const problems = changedSources(sources, states);
  if (problems.length > 0) throw ledgerMismatch(problems);
}

function refuseUnapplied({ migration }: MigrationSource, state: StateRecord | undefined): void {
  if (state !== undefined && [...settledStates, 'incomplete'].includes(state.state)) return;
  const found = state === undefined ? 'was never run' : `is ${state.state}`;
  throw new TablewrightError('BAD_ARGUMENT', `${migration.id} ${found}, so there is nothing to verify`, {
    next: `Run 'tablewright migrate --to ${migration.id}' first.`,
  });
}
