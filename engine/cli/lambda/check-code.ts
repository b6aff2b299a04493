import { TablewrightError } from '../../../tables/model/error.ts';
import type { RunnerTask } from '../../../tables/model/runner/order.ts';
import type { MigrationSource } from '../../core/migrate/migration-set.ts';

/** Refuses, before anything is read or written, what was ordered of other code, and what somebody has redriven. */
export function refuseOtherCode(
  { execution, order }: Pick<RunnerTask, 'execution' | 'order'>,
  held: readonly MigrationSource[],
  version: string | undefined,
): void {
  if ((execution.RedriveCount ?? 0) > 0) {
    throw new TablewrightError('CONFLICT', `execution ${execution.Name} was redriven; going on is always a new execution`, {
      next: `Run 'tablewright ${order.command} --on aws' again: it goes on where the checkpoints are.`,
    });
  }
  const problems = [
    ...(version === order.version ? [] : [`version: expected ${order.version}, found ${version ?? 'none'}`]),
    ...differences(order.migrations, held),
  ];
  if (problems.length === 0) return;
  throw new TablewrightError('BAD_MIGRATION', 'The function holds other code than the order is for', {
    problems,
    next: "Make the bundle with 'npx tablewright bundle', deploy it with 'npx pulumi up', and start again.",
  });
}

/** Of each migration that is not the same on both sides, what is wrong with it. */
function differences(
  ordered: RunnerTask['order']['migrations'],
  held: readonly Pick<MigrationSource, 'migration' | 'checksum'>[],
): readonly string[] {
  const wanted = new Map(ordered.map(({ id, checksum }) => [id, checksum]));
  const found = new Map(held.map(({ migration, checksum }) => [migration.id, checksum]));
  const ids = [...new Set([...wanted.keys(), ...found.keys()])].toSorted();
  const shown = (checksum: string | undefined) => checksum?.slice(0, 12) ?? 'none';
  return ids
    .filter((id) => wanted.get(id) !== found.get(id))
    .map((id) => `${id}: expected ${shown(wanted.get(id))}, found ${shown(found.get(id))}`);
}
