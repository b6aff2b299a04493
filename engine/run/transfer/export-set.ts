import { isoOfEpochMs } from '../../../tables/model/time.ts';
import {
  type ExportSet,
  parseSetPlan,
  type SetMember,
  type SetPlan,
  setFile,
  setPlanFile,
} from '../../../tables/model/transfer/export-set.ts';
import { abandonedAfterMs, type BlobStore, readText, within } from '../../core/transfer/blob-store.ts';
import { exportsFolder } from '../../core/transfer/export-layout.ts';
import type { MaskTally } from '../../core/transfer/mask/mask-tally.ts';
import type { ExportResult } from './export-environment.ts';
import { type FinishedExport, findFinished } from './find-finished.ts';

export interface ExportSetEnvironment {
  readonly target: BlobStore;
  readonly nowMs: () => number;
  /** Exports one table into a folder of its own. */
  readonly exportOne: (member: SetMember, target: BlobStore) => Promise<ExportResult>;
  readonly onTable?: ((member: SetMember, ended: EndedTable) => void) | undefined;
  /** An unfinished set of other tables, options or rules lies there; what it has exported stays. */
  readonly onAbandoned?: ((before: SetPlan) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A table's part of a set. */
export interface EndedTable extends FinishedExport {
  /** It was complete before this run. */
  readonly already: boolean;
  /** What a mask did, in this run. */
  readonly masked?: MaskTally | undefined;
}

export type ExportSetResult =
  | { readonly outcome: 'complete'; readonly place: string; readonly set: ExportSet }
  | { readonly outcome: 'interrupted'; readonly place: string; readonly done: number };

/**
 * Exports several tables into one place, one after the other. Killed at any moment and run again, it goes on with the table that
 * it was at; those that are complete since the set began are taken as they are. The set's own file comes last.
 */
export async function exportSet(
  environment: ExportSetEnvironment,
  members: readonly SetMember[],
  options: string,
): Promise<ExportSetResult> {
  const { target, nowMs, signal, onTable } = environment;
  await target.clearUnfinished?.('', abandonedAfterMs);
  const plan = await planOf(environment, members, options);
  const done: ExportSet['tables'] = [];
  for (const member of plan.tables) {
    if (signal?.aborted) return { outcome: 'interrupted', place: target.place, done: done.length };
    const found = await findFinished(within(target, `${member.tableName}/${exportsFolder}`), plan.startedAt, signal);
    const ended = found === undefined ? await exported(environment, member) : { ...found, already: true };
    if (ended === undefined) return { outcome: 'interrupted', place: target.place, done: done.length };
    onTable?.(member, ended);
    done.push({ ...member, folder: `${member.tableName}/${exportsFolder}/${ended.id}`, items: ended.items });
  }
  const set: ExportSet = { ...plan, endedAt: isoOfEpochMs(nowMs()), tables: done };
  await target.write(setFile, Buffer.from(`${JSON.stringify(set, undefined, 2)}\n`));
  await target.remove([setPlanFile]);
  return { outcome: 'complete', place: target.place, set };
}

/** The unfinished set of the same tables and options, or a new one. */
async function planOf(
  { target, nowMs, signal, onAbandoned }: ExportSetEnvironment,
  tables: readonly SetMember[],
  options: string,
): Promise<SetPlan> {
  const before = parseSetPlan(await readText(target, setPlanFile, signal));
  const same = before?.options === options && JSON.stringify(before.tables) === JSON.stringify(tables);
  // Killed after the set's file and before the plan was gone: it is complete, and the next command begins another.
  const isOpen = before !== undefined && (await readText(target, setFile, signal))?.includes(before.startedAt) !== true;
  if (isOpen && same) return before;
  if (isOpen) onAbandoned?.(before);
  const plan = { startedAt: isoOfEpochMs(nowMs()), options, tables: [...tables] };
  await target.write(setPlanFile, Buffer.from(JSON.stringify(plan)));
  return plan;
}

async function exported({ target, exportOne }: ExportSetEnvironment, member: SetMember): Promise<EndedTable | undefined> {
  const result = await exportOne(member, within(target, member.tableName));
  return result.outcome === 'complete' ? { ...result, already: false } : undefined;
}
