import type { Phase } from '../../core/migrate/define-migration.ts';

/** Nothing is pending, of the phase that was asked for. */
export function nothingToDo(phase: Phase | undefined): string {
  return `Nothing to do: every migration${phase === undefined ? '' : ` of the phase ${phase}`} is applied and verified.`;
}
