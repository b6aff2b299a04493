import { TablewrightError } from '../../../tables/model/error.ts';
import { type StepRecord, stepRecord } from '../../../tables/model/ledger/migration-records.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { whatIs } from '../../core/item/attributes-problem.ts';
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

/** How much its own code says is left to do. What is no number proves nothing, and would look like nothing. */
export async function leftOfCustom(run: StepContext, step: CustomStep, at: number, record: StepRecord): Promise<number> {
  const { environment, id } = run;
  if (step.verify === undefined) {
    const message = 'it has no verify, so nobody but itself says that it is complete';
    environment.emit({ kind: 'message', migration: id, step: step.name, message });
    return 0;
  }
  const { save: _, ...handle } = customHandle(run, step, at, record.checkpoint);
  const left: unknown = await step.verify(handle);
  if (typeof left === 'number' && Number.isSafeInteger(left) && left >= 0) return left;
  const found = typeof left === 'number' ? String(left) : whatIs(left);
  throw new TablewrightError('BAD_MIGRATION', `${id}: step ${step.name}: its verify gave ${found}`, {
    next: 'Let it give how many things are left to do, 0 for none; then run it again.',
  });
}
