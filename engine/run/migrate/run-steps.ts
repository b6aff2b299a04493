import { TablewrightError } from '../../../tables/model/error.ts';
import { physicalName } from '../../../tables/stack-config.ts';
import { type StepRecord, stepRecord } from '../../../tables/tablewright/migration-records.ts';
import { put, setMembers } from '../../core/ledger/ledger-write.ts';
import {
  type CustomHandle,
  type CustomStep,
  isPass,
  type Step,
  type WaitForIndexStep,
} from '../../core/migrate/define-migration.ts';
import { runPass } from './backfill/run-pass.ts';
import { applyCutoverStep } from './cutover-step.ts';
import type { RunContext } from './run-context.ts';
import { runTransferStep } from './transfer-step.ts';

export const defaultIndexWaitMs = 6 * 60 * 60 * 1_000;
const indexPollMs = 2_000;

/** Runs the steps that are not done yet, in order. False when it was stopped before the last one ended. */
export async function runSteps(run: RunContext): Promise<boolean> {
  for (const [at, step] of run.migration.steps.entries()) {
    if (run.stop.aborted) return false;
    const known = await run.reader.step(run.id, run.generation, at);
    if (known?.done === true) continue;
    const isDone = await runStep(run, step, at, known);
    if (!isDone) return false;
    await run.ledger.commit([setMembers(stepRecord, stepOf(run, at), { done: true })]);
  }
  return true;
}

const stepOf = ({ id: migration, generation }: RunContext, step: number) => ({ migration, generation, step });

async function runStep(run: RunContext, step: Step, at: number, known: StepRecord | undefined): Promise<boolean> {
  if (isPass(step)) return (await runPass(run, step, at, 'apply')).outcome === 'done';
  if (known === undefined) {
    const record = { ...stepOf(run, at), name: step.name, kind: step.kind, segments: 0, done: false };
    await run.ledger.commit([put(stepRecord, record)]);
  }
  if (step.kind === 'wait-for-index') return waitForIndexes(run, step);
  if (step.kind === 'cutover') return applyCutoverStep(run, step);
  if (step.kind === 'export' || step.kind === 'import') return runTransferStep(run, step, at);
  await step.run(customHandle(run, step, at, known?.checkpoint));
  return !run.stop.aborted;
}

export function customHandle(run: RunContext, step: CustomStep, at: number, checkpoint: unknown): CustomHandle {
  const { environment } = run;
  return {
    checkpoint,
    save: (value) => run.ledger.commit([setMembers(stepRecord, stepOf(run, at), { checkpoint: value })]),
    client: environment.documentClient(run.stop),
    nameOf: (table) => physicalName(table, environment.config),
    signal: run.stop,
    report: (message) => environment.emit({ kind: 'message', migration: run.id, step: step.name, message }),
  };
}

async function waitForIndexes(run: RunContext, step: WaitForIndexStep): Promise<boolean> {
  const { environment, stop } = run;
  const name = physicalName(step.table, environment.config);
  const maxWaitMs = step.maxWaitMs ?? defaultIndexWaitMs;
  const startedMs = environment.nowMs();
  while (!stop.aborted) {
    const found = await environment.data.describeTable(name, stop);
    const waiting = step.indexes.filter((index) => found?.indexes.find((known) => known.name === index)?.status !== 'ACTIVE');
    if (waiting.length === 0) return true;
    const missing = waiting.filter((index) => !found?.indexes.some((known) => known.name === index));
    if (missing.length > 0 || environment.nowMs() - startedMs > maxWaitMs) throw notActive(name, waiting, missing, maxWaitMs);
    environment.emit({
      kind: 'message',
      migration: run.id,
      step: step.name,
      message: `${name}: ${waiting.join(', ')} not ACTIVE yet`,
    });
    await environment.sleep(indexPollMs, stop);
  }
  return false;
}

function notActive(name: string, waiting: readonly string[], missing: readonly string[], maxWaitMs: number): TablewrightError {
  if (missing.length > 0) {
    return new TablewrightError('TABLE_MISSING', `${name} has no index ${missing.join(', ')}`, {
      next: "Make it with 'npx pulumi up', then run 'tablewright migrate' again.",
    });
  }
  return new TablewrightError('STORE_FAILED', `${name}: ${waiting.join(', ')} not ACTIVE after ${maxWaitMs / 60_000} minutes`, {
    next: "Run 'tablewright migrate' again when the index is built; it goes on here.",
  });
}
