import { TablewrightError } from '../../../../tables/model/error.ts';
import type { Table } from '../../../../tables/model/table.ts';
import { isoOfEpochMs } from '../../../../tables/model/time.ts';
import {
  type ChunkRecord,
  chunkRecord,
  deadLetterRecord,
  type StateRecord,
  segmentRecord,
  stateRecord,
} from '../../../../tables/tablewright/migration-records.ts';
import { put, remove, setMembers } from '../../../core/ledger/ledger-write.ts';
import { changeUnits } from '../../../core/migrate/change-units.ts';
import { addCounts, addUnits, type ConsumedUnits, type Counts, noCounts, noUnits } from '../../../core/migrate/counts.ts';
import { isPass, type Migration, type PassStep } from '../../../core/migrate/define-migration.ts';
import { type JournalEntry, undoOf } from '../../../core/migrate/journal.ts';
import { changeEntry, takeBackEntry, updateStatement } from '../../../core/migrate/statement.ts';
import { journalEntries } from '../../ledger/journal-entries.ts';
import type { Session } from '../../ledger/session.ts';
import { PassMeter, tableNameOf } from '../backfill/pass-context.ts';
import { type GuardedWrite, writeChanges } from '../backfill/write-changes.ts';
import { customHandle } from '../custom-step.ts';
import { revertCutoverStep } from '../cutover-step.ts';
import type { RunContext } from '../run-context.ts';

export interface RollbackResult {
  readonly id: string;
  readonly outcome: 'rolled-back' | 'interrupted';
  readonly counts: Counts;
  readonly units: ConsumedUnits;
}

/** Undoes a migration, newest change first, wherever the values are still the ones that it set. */
export async function rollbackMigration(session: Session, migration: Migration, state: StateRecord): Promise<RollbackResult> {
  const { ledger, history, environment } = session;
  const { id } = migration;
  await ledger.commit([setMembers(stateRecord, { id }, { state: 'rolling-back' }), history(id, 'rollback-started')]);
  let counts = noCounts;
  let units = noUnits;
  for (let generation = state.generation; generation >= 1; generation -= 1) {
    const run: RunContext = { ...session, migration, id, generation, sample: () => undefined };
    for (const [at, step] of [...migration.steps.entries()].toReversed()) {
      if (session.stop.aborted) return { id, outcome: 'interrupted', counts, units };
      if (step.kind === 'custom') {
        const known = await run.reader.step(id, generation, at);
        if (known !== undefined) await step.undo?.(customHandle(run, step, at, known.checkpoint));
      }
      if (step.kind === 'cutover') await revertCutoverStep(run, step);
      if (!isPass(step)) continue;
      const undone = await undoStep(run, step, at);
      counts = addCounts(counts, undone.counts);
      units = addUnits(units, undone.units);
      if (!undone.done) return { id, outcome: 'interrupted', counts, units };
    }
  }
  const dead = await session.reader.dead(id);
  const finishedAt = isoOfEpochMs(environment.nowMs());
  const segments = await session.reader.allSegments(id);
  await ledger.commit([
    ...dead.map((record) => remove(deadLetterRecord, record)),
    // What they counted is undone; a later run counts from nothing.
    ...segments.map((record) => remove(segmentRecord, record)),
    setMembers(stateRecord, { id }, { state: 'rolled-back', finishedAt, updatedAt: finishedAt, dead: 0 }),
    history(id, 'rolled-back', `${counts.changed} restored, ${counts.kept} kept because they were changed since`),
  ]);
  return { id, outcome: 'rolled-back', counts, units };
}

async function undoStep(run: RunContext, step: PassStep, at: number) {
  const { environment } = run;
  const known = await run.reader.step(run.id, run.generation, at);
  const meter = new PassMeter();
  if (known === undefined) return { done: true, counts: noCounts, units: noUnits };
  environment.emit({ kind: 'step-started', migration: run.id, step: step.name, pass: 'rollback', segments: known.segments });
  const startedMs = environment.nowMs();
  // One more than it has: retried dead letters have a journal of their own behind the last segment.
  const segments = Array.from({ length: known.segments + 1 }, (_, segment) => segment);
  const done = await Promise.all(segments.map((segment) => undoSegment(run, step, at, segment, meter)));
  const { counts, units } = meter;
  const elapsedMs = environment.nowMs() - startedMs;
  environment.emit({ kind: 'step-done', migration: run.id, step: step.name, pass: 'rollback', counts, units, elapsedMs });
  return { done: done.every((isDone) => isDone), counts, units };
}

/** A chunk is deleted when all of it is undone, so a rollback that was cut off goes on with what is left. */
async function undoSegment(run: RunContext, step: PassStep, at: number, segment: number, meter: PassMeter): Promise<boolean> {
  for await (const chunk of run.reader.chunks(run.id, at, segment, run.generation)) {
    if (run.stop.aborted) return false;
    await run.whilePaused();
    const undone = await undoChunk(run, step, chunk);
    if (undone === undefined) return false;
    meter.addPage(undone.counts, undone.units);
    const record = await rollbackRecord(run, at, segment, undone);
    await run.ledger.commit([remove(chunkRecord, chunk), record]);
  }
  return true;
}

async function rollbackRecord(run: RunContext, step: number, segment: number, undone: { counts: Counts; units: ConsumedUnits }) {
  const unit = { migration: run.id, generation: run.generation, step, pass: 'rollback', segment, segments: 0 } as const;
  const known = await run.reader.segment(unit);
  return put(segmentRecord, {
    ...unit,
    done: false,
    counts: addCounts(known?.counts ?? noCounts, undone.counts),
    units: addUnits(known?.units ?? noUnits, undone.units),
    chunks: 0,
    leftovers: [],
    token: run.ledger.lease.token,
  });
}

/** Undefined when it was stopped before all of it was sent. */
async function undoChunk(run: RunContext, step: PassStep, chunk: ChunkRecord) {
  const { environment, ledger, stop } = run;
  const tableName = tableNameOf(environment, step);
  const entries = journalEntries(environment.codec, chunk);
  let units = noUnits;
  const results = await writeChanges(
    {
      environment,
      table: step.table,
      tableName,
      lease: ledger.lease,
      stop,
      onSent: (cost, estimate) => {
        units = addUnits(units, { write: PassMeter.writeUnits(cost, estimate) });
      },
    },
    entries.map((entry) => undoWrite(step.table, tableName, entry)),
  );
  if (results.some(({ kind }) => kind === 'unsent' || kind === 'unknown')) return undefined;
  const dead = results.find((result) => result.kind === 'dead');
  if (dead !== undefined) throw notUndone(run.id, tableName, dead.reason);
  const changed = results.filter(({ kind }) => kind === 'done').length;
  return { counts: { ...noCounts, scanned: results.length, changed, kept: results.length - changed }, units };
}

function undoWrite(table: Table, tableName: string, entry: JournalEntry): GuardedWrite {
  if (entry.kind === 'insert') return { units: 2, form: { entries: [takeBackEntry(tableName, entry.key, entry.item)] } };
  const undo = undoOf(entry);
  const units = changeUnits(table, { ...undo, kind: 'update', before: entry.set }, 0);
  const statement = updateStatement(tableName, undo);
  return { units, form: statement === undefined ? { entries: [changeEntry(tableName, undo)] } : { statement } };
}

function notUndone(id: string, tableName: string, reason: string): TablewrightError {
  return new TablewrightError('STORE_FAILED', `${id}: an item of ${tableName} could not be put back: ${reason}`, {
    next: `Run 'tablewright rollback' again; it goes on where it stopped.`,
  });
}
