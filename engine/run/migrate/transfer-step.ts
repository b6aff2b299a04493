import { TablewrightError } from '../../../tables/model/error.ts';
import { stepRecord } from '../../../tables/model/ledger/migration-records.ts';
import { setMembers } from '../../core/ledger/ledger-write.ts';
import type { ExportStep, ImportStep } from '../../core/migrate/define-migration.ts';
import type { RunContext } from './run-context.ts';

/** What an export or import step came to; undefined when it was stopped on the way. */
export interface TransferOutcome {
  readonly place: string;
  readonly items: number;
}

/** Exports and imports, as the command line carries them out. */
export interface StepTransfer {
  /** `job` is the same for the same step, so that an unfinished export of it is gone on with and no other one. */
  exportTable(step: ExportStep, job: string, signal: AbortSignal): Promise<TransferOutcome | undefined>;
  importExport(step: ImportStep, job: string, signal: AbortSignal): Promise<TransferOutcome | undefined>;
}

/** False when it was stopped; then the next run goes on with it. */
export async function runTransferStep(run: RunContext, step: ExportStep | ImportStep, at: number): Promise<boolean> {
  const { environment, stop, id, generation } = run;
  const { transfer } = environment;
  if (transfer === undefined) {
    throw new TablewrightError('BAD_MIGRATION', `${id}: step ${step.name} needs a command line that can export and import`, {
      next: "Run it with 'tablewright migrate'.",
    });
  }
  const job = `${id} generation ${generation} step ${at}`;
  const done =
    step.kind === 'export' ? await transfer.exportTable(step, job, stop) : await transfer.importExport(step, job, stop);
  if (done === undefined) return false;
  const message = `${step.kind === 'export' ? 'exported' : 'imported'} ${done.items} items: ${done.place}`;
  environment.emit({ kind: 'message', migration: id, step: step.name, message });
  // Where the export lies is what somebody will want to know later.
  await run.ledger.commit([setMembers(stepRecord, { migration: id, generation, step: at }, { checkpoint: { ...done } })]);
  return true;
}
