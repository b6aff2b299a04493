import { stepRecord } from '../../../tables/model/ledger/migration-records.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { setMembers } from '../../core/ledger/ledger-write.ts';
import type { CustomHandle, CustomStep } from '../../core/migrate/define-migration.ts';
import { type StepContext, stepOf } from './run-context.ts';

/** What custom code is given. */
export function customHandle(run: StepContext, step: CustomStep, at: number, checkpoint: unknown): CustomHandle {
  const { environment } = run;
  return {
    checkpoint,
    save: (value) => run.ledger.commit([setMembers(stepRecord, stepOf(run, at), { checkpoint: value })]),
    client: environment.documentClient(run.stop, run.whilePaused),
    nameOf: (table) => physicalName(table, environment.config),
    signal: run.stop,
    report: (message) => environment.emit({ kind: 'message', migration: run.id, step: step.name, message }),
  };
}
