import type { MigrationResult } from '../../engine/run/migrate/state-writer.ts';
import type { ErrorCode } from '../../tables/model/error.ts';
import type { CommandEnd } from './commands.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { World } from './world.ts';

/** What may become of a command where others work on the same stack and the network fails. */
const usual: readonly ErrorCode[] = [
  'LOCKED',
  'LOCK_LOST',
  'STORE_FAILED',
  'THROTTLED',
  'CONFLICT',
  'TOO_MANY_DEAD_LETTERS',
  // Parity that does not hold while applications write, or an index that is late.
  'CHECK_FAILED',
  // A look at the states before the lock, page by page while somebody else changes them.
  'LEDGER_MISMATCH',
];
/** What verify and retry say of a migration that is not there yet. */
const unready: readonly ErrorCode[] = ['BAD_ARGUMENT'];

/** A command ends with what it did, or with an error that says why not; nothing else. */
export function checkEnd(world: World, process: Pick<SimulatedProcess, 'name' | 'doing'>, ended: CommandEnd | 'crashed'): void {
  if (ended === 'crashed' || ended.kind === 'interrupted') return;
  const { report } = world.oracle.evidence;
  const allowed = [...usual, ...unready, ...(world.isDamaged ? (['LEDGER_DAMAGED', 'JOURNAL_GAP'] as const) : [])];
  const say = (how: string): void => report('every command ends as it should', `${process.name} ${process.doing}: ${how}`);
  if (ended.kind === 'broken') say(String(ended.error instanceof Error ? ended.error.stack : ended.error));
  else if (ended.kind === 'refused' && !allowed.includes(ended.code)) say(`${ended.code}: ${ended.error.message}`);
  else if (ended.kind === 'done') {
    for (const { id, error } of resultsOf(ended.report)) {
      if (error !== undefined && !allowed.includes(error.code)) say(`${id} failed with ${error.code}: ${error.message}`);
    }
  }
}

function resultsOf(report: unknown): readonly Pick<MigrationResult, 'id' | 'error'>[] {
  const results = (report as { readonly results?: readonly MigrationResult[] } | undefined)?.results;
  return results ?? [];
}
