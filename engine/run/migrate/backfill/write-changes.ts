import type { Item } from '../../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../../tables/model/error.ts';
import type { Table } from '../../../../tables/model/table.ts';
import type { UseOutcome } from '../../../core/capacity/capacity-limiter.ts';
import { valueBytes } from '../../../core/item/item-size.ts';
import type { CallFailure, WriteAnswer } from '../../../core/migrate/data-store.ts';
import type { PartiqlStatement } from '../../../core/migrate/statement.ts';
import { decideRetry, type RetryCause } from '../../../core/store/retry-policy.ts';
import type { TransactEntry } from '../../../core/store/store.ts';
import { shownReasons, type ThrottlingReason } from '../../../core/store/throttling.ts';
import { maxBatchStatementBytes, maxBatchStatements } from '../../../core/write/batch-limits.ts';
import { isHeld, type Lease, lockLost } from '../../ledger/lock.ts';
import { untilStopped } from '../../store/until-stopped.ts';
import type { MigrateEnvironment } from '../environment.ts';

/** One guarded write, ready to go: as a statement of a batch, or as entries of a transaction of its own. */
export interface GuardedWrite {
  readonly units: number;
  readonly form: { readonly statement: PartiqlStatement } | { readonly entries: readonly TransactEntry[] };
}

export type ChangeResult =
  | { readonly kind: 'done' }
  /** Its guard did not hold. `again`: it had been sent before without an answer, so it may have been done by that. */
  | { readonly kind: 'refused'; readonly item: Item | undefined; readonly again: boolean; readonly failedAt: number }
  /** `uncertain`: it was sent without an answer, so it may have been done all the same. */
  | { readonly kind: 'dead'; readonly reason: string; readonly uncertain: boolean }
  /** The run was stopped before it went. */
  | { readonly kind: 'unsent' }
  /** The run was stopped after it went and before its answer: it may have been done. */
  | { readonly kind: 'unknown' };

export interface WriteContext {
  readonly environment: MigrateEnvironment;
  readonly table: Table;
  readonly tableName: string;
  readonly lease: Lease;
  /** No new batch goes once it is given; one that is under way is waited for. */
  readonly stop: AbortSignal;
  /** Batches under way at once. */
  readonly batchesInFlight: number;
  /** The last batch has been begun, or none will be. */
  readonly onBegun?: (() => void) | undefined;
  /** A batch is back; `done` of its writes went through. */
  readonly onSent: (cost: UseOutcome, estimate: number, done: number) => void;
}

interface Slot {
  readonly write: GuardedWrite;
  attempts: number;
  /** It was sent without an answer. */
  uncertain: boolean;
  result: ChangeResult | undefined;
}

/** Carries the writes out, some batches at once, and says of each what became of it, in the given order. */
export async function writeChanges(context: WriteContext, writes: readonly GuardedWrite[]): Promise<readonly ChangeResult[]> {
  const slots = writes.map((write): Slot => ({ write, attempts: 0, uncertain: false, result: undefined }));
  const gate = context.environment.gates.write.of(context.tableName);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < slots.length && !context.stop.aborted) {
      const batch = batchAt(slots, next, gate.maxRequestUnits);
      next += batch.length;
      if (next >= slots.length) context.onBegun?.();
      await settleBatch(context, batch);
    }
  };
  await Promise.all(Array.from({ length: context.batchesInFlight }, worker));
  return slots.map(({ result, uncertain }) => result ?? { kind: uncertain ? 'unknown' : 'unsent' });
}

/** The next writes that may go in one request; one that is a transaction goes alone. */
function batchAt(slots: readonly Slot[], start: number, maxUnits: number): readonly Slot[] {
  let bytes = 0;
  let units = 0;
  let end = start;
  for (; end < slots.length && end - start < maxBatchStatements; end += 1) {
    const write = slots[end]?.write;
    if (write === undefined) break;
    if ('entries' in write.form) return end === start ? slots.slice(start, start + 1) : slots.slice(start, end);
    bytes += write.form.statement.Parameters.reduce((sum, value) => sum + valueBytes(value), 0);
    units += write.units;
    if (end > start && (bytes > maxBatchStatementBytes || units > maxUnits)) break;
  }
  return slots.slice(start, end);
}

/** Sends what is left of a batch until every write has its result. */
async function settleBatch(context: WriteContext, batch: readonly Slot[]): Promise<void> {
  const { environment, stop } = context;
  const gate = environment.gates.write.of(context.tableName);
  let isUnexplained = false;
  for (let left = batch; left.length > 0; left = left.filter(({ result }) => result === undefined)) {
    if (stop.aborted) return;
    // One goes alone: if it is refused, too, DynamoDB says what for.
    const failure = await sendOnce(context, isUnexplained ? left.slice(0, 1) : left);
    isUnexplained = false;
    if (failure === 'interrupted') return;
    const waiting = left.filter(({ result }) => result === undefined);
    const [first] = waiting;
    if (failure === undefined || first === undefined) continue;
    const { cause } = failure;
    isUnexplained = cause === 'throttled' && gate.wantsReason();
    const decision = decideRetry(first.attempts, cause, environment.tuning.retry, environment.random());
    if (decision.kind === 'give-up' && cause === 'no-answer') throw silent(context.tableName, failure.message, first.attempts);
    if (decision.kind === 'give-up') {
      const reasons = gate.reasons.length > 0 ? gate.reasons : failure.reasons;
      for (const slot of waiting) slot.result = givenUp(slot, cause, reasons);
      return;
    }
    environment.emit({ kind: 'retry', table: context.tableName, items: waiting.length, cause, delayMs: decision.delayMs });
    await untilStopped(environment.sleep(decision.delayMs, stop), stop);
  }
}

/** No item is at fault when the server keeps silent: the run ends, rather than turn its items into dead letters. */
function silent(tableName: string, message: string, tries: number): TablewrightError {
  return new TablewrightError('STORE_FAILED', `${tableName}: ${message}, after ${tries} tries`, {
    next: "Check the network, then run 'tablewright migrate' again; it goes on from the last checkpoint.",
  });
}

/** A refusal is told as DynamoDB tells it: the index and the cause. */
function givenUp({ attempts, uncertain }: Slot, cause: RetryCause, reasons: Failure['reasons']): ChangeResult {
  const why = cause === 'throttled' ? shownReasons(reasons) : undefined;
  const what = why === undefined ? cause : `${cause} (${why})`;
  return { kind: 'dead', reason: `gave up after ${attempts} tries: ${what}`, uncertain };
}

type Failure = Pick<CallFailure, 'cause' | 'message' | 'reasons'>;

/** Why a part of it has to go again; undefined when all was answered for good. */
async function sendOnce(context: WriteContext, slots: readonly Slot[]): Promise<Failure | 'interrupted' | undefined> {
  const { environment, tableName, lease } = context;
  const gate = environment.gates.write.of(tableName);
  const estimate = slots.reduce((sum, { write }) => sum + write.units, 0);
  const reservation = await gate.enter(estimate, context.stop);
  if (reservation === undefined) return 'interrupted';
  let cost: UseOutcome = { kind: 'cancelled' };
  try {
    // No transaction can guard these writes by the lease, so it is looked at here, as late as possible.
    if (!isHeld(lease, environment.nowMs())) throw lockLost(lease);
    const outcome = await send(context, slots);
    for (const slot of slots) slot.attempts += 1;
    if (outcome.kind === 'failed') {
      const throttled = outcome.cause === 'throttled';
      cost = throttled ? { kind: 'answered', consumed: 0, refused: estimate, reasons: outcome.reasons } : { kind: 'unknown' };
      for (const slot of slots) slot.uncertain ||= !throttled;
      return outcome;
    }
    let refused = 0;
    const reasons: ThrottlingReason[] = [];
    let failure: Failure | undefined;
    for (const [at, slot] of slots.entries()) {
      const answer = outcome.answers[at] ?? { kind: 'again', cause: 'server-error' };
      if (answer.kind === 'again') {
        reasons.push(...(answer.reasons ?? []));
        failure = { cause: answer.cause, message: answer.cause, reasons };
        if (answer.cause === 'throttled') refused += slot.write.units;
        else slot.uncertain = true;
      } else slot.result = resultOf(answer, slot.attempts > 1, outcome.failedAt);
    }
    cost = { kind: 'answered', consumed: outcome.consumed, refused, reasons };
    return failure;
  } finally {
    gate.leave(reservation, cost);
    context.onSent(cost, estimate, slots.filter(({ result }) => result?.kind === 'done').length);
  }
}

function resultOf(answer: Exclude<WriteAnswer, { readonly kind: 'again' }>, again: boolean, failedAt: number): ChangeResult {
  if (answer.kind === 'done') return { kind: 'done' };
  if (answer.kind === 'invalid') return { kind: 'dead', reason: answer.message, uncertain: false };
  return { kind: 'refused', item: answer.item, again, failedAt };
}

async function send({ environment, tableName }: WriteContext, slots: readonly Slot[]) {
  const [first] = slots;
  if (first !== undefined && 'entries' in first.write.form) {
    const outcome = await environment.data.writeTogether(tableName, first.write.form.entries);
    if (outcome.kind === 'failed') return outcome;
    return { ...outcome, answers: [outcome.answer] };
  }
  const statements = slots.flatMap(({ write }) => ('statement' in write.form ? [write.form.statement] : []));
  const outcome = await environment.data.execute(tableName, statements);
  return outcome.kind === 'failed' ? outcome : { ...outcome, failedAt: 0 };
}
