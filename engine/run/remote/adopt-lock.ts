import { TablewrightError } from '../../../tables/model/error.ts';
import type { EndAnswer, Order, RunnerTask } from '../../../tables/model/runner/order.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import { type Lease, lockLost, readLease, takeLock } from '../ledger/lock.ts';
import type { MigrateEnvironment } from '../migrate/environment.ts';
import { takeTurn } from './take-turn.ts';

/** Twenty minutes where one machine has half a minute: longer than a function may run, so that a worker that is alive has seen it. */
const leasesOfOneMachine = 40;

/** As workers need it: who asked for it is who does it, and the lease outlives an invocation. */
export function remoteEnvironment(environment: MigrateEnvironment, { order, execution }: RunnerTask): MigrateEnvironment {
  const { actor, tuning } = environment;
  const { who, commit, budget, request } = order;
  return {
    ...environment,
    actor: { who, host: `${execution.Name} on ${actor.host}`, ...(commit === undefined ? {} : { commit }) },
    tuning: { ...tuning, leaseMs: leasesOfOneMachine * tuning.leaseMs },
    budget,
    includeExpired: request.includeExpired,
  };
}

/** Nothing is done by a redriven execution, nor by a function that holds other migrations than the caller. */
export function refuseOrder(task: RunnerTask, sources: readonly MigrationSource[]): void {
  if (isRedriven(task)) throw redriven(task);
  const problems = differences(task.order, sources);
  if (problems.length === 0) return;
  throw new TablewrightError('LEDGER_MISMATCH', 'the function holds other migrations than the caller', {
    problems,
    next: "Run 'tablewright bundle', deploy with 'npx pulumi up', then start it again; nothing was changed.",
  });
}

export const isRedriven = ({ execution }: RunnerTask): boolean => (execution.RedriveCount ?? 0) > 0;

export function redriven({ order, execution }: RunnerTask): TablewrightError {
  return new TablewrightError('BAD_ARGUMENT', `execution ${execution.Name} was redriven, which is refused: it changed nothing`, {
    next: `Run 'tablewright ${order.command} --on aws' instead: a new execution goes on from the last checkpoint.`,
  });
}

function differences({ migrations }: Order, sources: readonly MigrationSource[]): readonly string[] {
  const held = new Map(sources.map(({ migration, checksum }) => [migration.id, checksum]));
  const wanted = new Map(migrations.map(({ id, checksum }) => [id, checksum]));
  const other = migrations.flatMap(({ id, checksum }) => {
    const found = held.get(id);
    if (found === checksum) return [];
    return [
      `${id}: expected checksum ${checksum.slice(0, 12)}, found ${found === undefined ? 'no such migration' : found.slice(0, 12)}`,
    ];
  });
  const more = [...held.keys()].filter((id) => !wanted.has(id)).map((id) => `${id}: the caller does not have it`);
  return [...other, ...more];
}

/** The lock as an execution finds it. */
export type ExecutionLock =
  | { readonly kind: 'held'; readonly lease: Lease }
  /** It gave it back, with this answer. */
  | { readonly kind: 'ended'; readonly answer: EndAnswer; readonly token: number }
  | { readonly kind: 'none' };

/** By its ARN, which no other execution ever has. */
export async function findLock(environment: MigrateEnvironment, execution: string): Promise<ExecutionLock> {
  const found = await readLease(environment);
  if (found === undefined || found.holder !== execution) return { kind: 'none' };
  const { token, holder, leaseUntil, ended } = found;
  if (leaseUntil === 0 && ended !== undefined) return { kind: 'ended', answer: ended, token };
  // Passed, or taken away by hand.
  if (leaseUntil <= environment.nowMs()) throw lockLost(found);
  return { kind: 'held', lease: { token, holder, takenOver: undefined, untilMs: leaseUntil } };
}

/** The lock of the execution, taken the first time that `next` is called. One that lost it does not get it again. */
export async function adoptLock(
  environment: MigrateEnvironment,
  { task, order, execution }: RunnerTask,
  working: boolean,
  stop: AbortSignal,
): Promise<Lease> {
  const found = await findLock(environment, execution.Id);
  if (found.kind === 'held') return takeTurn(environment, found.lease, working, stop);
  if (found.kind === 'ended') throw lockLost(found);
  const reader = new LedgerReader(environment);
  for (const { id } of order.migrations) {
    const known = (await reader.executions(id)).find(({ executionArn }) => executionArn === execution.Id);
    if (known !== undefined) throw lockLost(known);
  }
  if (task !== 'next') throw lockLost({ token: 0 });
  const doing = `${order.command}, by ${order.workers} workers for ${order.who}`;
  return takeTurn(environment, await takeLock(environment, doing, execution.Id), working, stop);
}
