import type { Item } from '../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import {
  type DeadRecord,
  deadLetterRecord,
  type SegmentRecord,
  type SegmentUnit,
  type StateRecord,
  stateRecord,
} from '../../../tables/model/ledger/migration-records.ts';
import { fromJsonItem } from '../../core/item/dynamo-json.ts';
import { remove, setMembers } from '../../core/ledger/ledger-write.ts';
import { putSegment } from '../../core/ledger/segment-write.ts';
import { addCounts, addUnits, noCounts, noUnits } from '../../core/migrate/counts.ts';
import { isPass, type PassStep } from '../../core/migrate/define-migration.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { withLock } from '../ledger/session.ts';
import { takeUnits } from '../remote/take-units.ts';
import { batchGetAll } from '../store/read-keys.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { KeyPace } from './backfill/key-pace.ts';
import { Orphans } from './backfill/orphans.ts';
import { type PassContext, PassMeter, tableNameOf } from './backfill/pass-context.ts';
import { readLookup } from './backfill/read-lookup.ts';
import { openJournal } from './backfill/run-segment.ts';
import { type SettledPage, settlePage } from './backfill/settle-page.ts';
import { type MigrateEnvironment, readContextOf } from './environment.ts';
import { type RunContext, runContext } from './run-context.ts';
import { passRecord } from './run-steps.ts';
import { type MigrationResult, resultAsIs, StateWriter } from './state-writer.ts';
import { Timeline } from './timeline.ts';
import { verifySteps } from './verify-steps.ts';

export interface RetryReport {
  readonly tried: number;
  /** Failed again; their reasons are in the ledger. */
  readonly dead: number;
  readonly result: MigrationResult;
}

/** Goes over the dead letters of a migration once more, and only over those; then proves the whole. */
export async function runRetry(
  environment: MigrateEnvironment,
  source: MigrationSource,
  signal: AbortSignal,
  hold: typeof withLock = withLock,
): Promise<RetryReport> {
  const { id } = source.migration;
  const reader = new LedgerReader(environment);
  const known = await reader.state(id);
  if (known === undefined || (hold === withLock && (await reader.dead(id)).length === 0)) throw nothingToRetry(id);
  return hold(environment, `retry ${id}`, signal, async (session) => {
    // An execution comes by several times.
    const isEnded = session.elsewhere !== undefined && known.token === session.ledger.lease.token;
    if (isEnded) return { tried: 0, dead: known.dead, result: resultAsIs(id, known) };
    const timeline = new Timeline(environment);
    const run = runContext(session, source, known.generation, timeline);
    const writer = new StateWriter(session, source, known, timeline);
    const retried = await untilStopped(retryLetters(run, known), session.stop);
    if (retried === undefined) session.elsewhere?.cut();
    const { tried, dead } = retried ?? { tried: 0, dead: (await reader.dead(id)).length };
    const verified = await verifySteps(run);
    if (verified.outcome === 'interrupted') session.elsewhere?.cut();
    const isWhole = verified.outcome === 'done' && verified.leftovers + verified.dead === 0;
    const finished = await writer.finish(run, isWhole ? 'verified' : 'incomplete', verified);
    // What is settled is settled; that all of it is, nobody has looked at.
    const result = verified.outcome === 'done' ? finished : { ...finished, state: verified.outcome };
    return { tried, dead, result };
  });
}

/** How many there were, and how many are left. An execution comes by several times, and goes over them once. */
async function retryLetters(run: RunContext, known: StateRecord): Promise<{ readonly tried: number; readonly dead: number }> {
  const { reader, ledger, elsewhere, id } = run;
  const { token } = ledger.lease;
  if (known.retried?.token === token && elsewhere !== undefined) return known.retried;
  const letters = await reader.dead(id);
  if (letters.length === 0) throw nothingToRetry(id);
  elsewhere?.inline();
  let dead = 0;
  for (const [at, step] of run.migration.steps.entries()) {
    const own = letters.filter((record) => record.step === at);
    if (isPass(step) && own.length > 0) dead += await retryStep(run, step, at, own);
  }
  elsewhere?.cut();
  const retried = { token, tried: letters.length, dead };
  if (elsewhere !== undefined) await ledger.commit([setMembers(stateRecord, { id }, { retried })]);
  return retried;
}

async function retryStep(run: RunContext, step: PassStep, at: number, dead: readonly DeadRecord[]): Promise<number> {
  const { environment, ledger } = run;
  const tableName = tableNameOf(environment, step);
  // A journal of its own, behind the last segment's.
  const record = await passRecord(run, step, at);
  await takeUnits(run, record);
  const { segments, spread } = record;
  const where = spread === undefined ? {} : { spread };
  const unit = { migration: run.id, generation: run.generation, step: at, pass: 'apply', segments, ...where } as const;
  const lookup = await readLookup(environment, step, run.stop);
  const keyPace = new KeyPace(step.table, environment.gates.write.of(tableName));
  const context: PassContext = { ...run, step, tableName, unit, meter: new PassMeter(), keyPace, lookup };
  const keys = keysOf(step, dead);
  const wanted = { table: { name: tableName, key: step.table.key }, keys, consistent: true };
  const present = await batchGetAll(readContextOf(environment), wanted, run.stop);
  const items = keys.map((key) => present.items.get(keyIdentity(step.table.key, key))).filter((item) => item !== undefined);
  const own = { ...unit, segment: segments };
  const journal = await openJournal(context, own);
  const settled = await settlePage(context, items, journal, new Orphans(step.table.key));
  const failed = new Set(settled.dead.map(({ key }) => keyIdentity(step.table.key, key)));
  for (const [place, fate] of settled.fates.entries()) {
    const item = items[place];
    if (fate === 'unsent' && item !== undefined) failed.add(keyIdentity(step.table.key, item));
  }
  const settledKeys = dead.filter(({ key }) => !failed.has(keyIdentity(step.table.key, fromJsonItem(key) as Item)));
  const units = addUnits(settled.units, { read: present.units });
  const known = await run.reader.segment(own);
  // First: if it ends here, the letters are there still, and their items are found right and not counted once more.
  await ledger.commit([
    putSegment(retriedRecord(run, own, known, { ...settled, units, parts: journal.parts })),
    ...journal.takeMarks(),
    ...settledKeys.map((record) => remove(deadLetterRecord, record)),
    run.history(run.id, 'retried', `${settledKeys.length} of ${dead.length} dead letters settled`),
  ]);
  return failed.size;
}

/** Items that were given up were read and counted by their segment; what is counted of them here is what became of them since. */
function retriedRecord(
  { ledger }: RunContext,
  unit: SegmentUnit,
  known: SegmentRecord | undefined,
  { fates, conflicts, units, parts }: Pick<SettledPage, 'fates' | 'conflicts' | 'units'> & { readonly parts: number },
): SegmentRecord {
  const { token } = ledger.lease;
  const nothing = { counts: noCounts, units: noUnits, chunks: 0, leftovers: [], token };
  const before: SegmentRecord = { ...unit, ...nothing, ...known, done: true };
  const changed = fates.filter((fate) => fate === 'changed').length;
  return {
    ...before,
    counts: addCounts(before.counts, { changed, conflicts }),
    units: addUnits(before.units, units),
    // Whoever wrote the last part is named, so that it is missed if its journal is lost.
    ...(parts === 0 ? {} : { chunks: parts, attempt: ledger.attempt, token }),
  };
}

/** Each key once: an item may have a letter of an earlier version, under another digest, beside its own. */
function keysOf(step: PassStep, dead: readonly DeadRecord[]): readonly Item[] {
  const keys = dead.map(({ key }) => fromJsonItem(key)).filter((key) => key !== undefined);
  return [...new Map(keys.map((key) => [keyIdentity(step.table.key, key), key])).values()];
}

function nothingToRetry(id: string): TablewrightError {
  return new TablewrightError('BAD_ARGUMENT', `${id} has no dead letters`, {
    next: `Run 'tablewright status' to see how it stands.`,
  });
}
