import { attributeOf, type Item } from '../../../../tables/model/attribute-value.ts';
import { sameValue } from '../../../../tables/model/canonical.ts';
import type { GuardedChange, Update } from '../../../core/migrate/decide-item.ts';
import type { Fate } from './page-fates.ts';
import type { ChangeResult } from './write-changes.ts';

/** How often an item is decided on anew because somebody else keeps changing it. */
export const maxRounds = 5;

/** A write that was refused: the item is no longer what was decided on. */
export interface Conflict {
  /** The item as the server said it is now; undefined where it said nothing. */
  readonly item: Item | undefined;
  /** An earlier try of this very write may have gone through, its answer lost. */
  readonly mayBeDone: boolean;
}

/** What follows from the answer to a guarded write. `kept`: its journal entry stays, because it was or may have been done. */
export type Consequence =
  | { readonly kind: 'settled'; readonly fate: Fate; readonly kept: boolean }
  | { readonly kind: 'dead'; readonly reason: string; readonly kept: boolean }
  | { readonly kind: 'conflict'; readonly conflict: Conflict; readonly kept: boolean };

export function consequenceOf(change: GuardedChange, result: ChangeResult | undefined): Consequence {
  switch (result?.kind) {
    case undefined:
    case 'unsent':
      return { kind: 'settled', fate: 'unsent', kept: false };
    case 'unknown':
      // The next run meets it, and a rollback undoes it.
      return { kind: 'settled', fate: 'unsent', kept: true };
    case 'done':
      return { kind: 'settled', fate: 'changed', kept: true };
    case 'dead':
      return { kind: 'dead', reason: result.reason, kept: result.uncertain };
    case 'refused': {
      const { again: mayBeDone, item, failedAt } = result;
      // A new item's key is taken: by an earlier try of this very write, or by somebody else.
      if (change.kind === 'insert' && failedAt === 0) {
        // Whether that is right is asked where what is there can be looked at.
        if (change.taken !== undefined) return { kind: 'conflict', conflict: { item: undefined, mayBeDone }, kept: mayBeDone };
        return { kind: 'settled', fate: mayBeDone ? 'changed' : 'right', kept: mayBeDone };
      }
      return { kind: 'conflict', conflict: { item, mayBeDone }, kept: mayBeDone };
    }
  }
}

/** What becomes of an item after a conflict: its fate, or that it has to be decided on anew as it is now. */
export function afterConflict(
  change: GuardedChange,
  { mayBeDone }: Conflict,
  now: Item | undefined,
): { readonly fate: Fate } | { readonly decideOn: Item } {
  if (now === undefined) return { fate: 'gone' };
  // The item is as the earlier try wanted it, so that one was done.
  return mayBeDone && change.kind === 'update' && isDone(change, now) ? { fate: 'changed' } : { decideOn: now };
}

function isDone(change: Update, item: Item): boolean {
  return (
    Object.entries(change.set).every(([name, value]) => sameValue(attributeOf(item, name), value)) &&
    change.remove.every((name) => !Object.hasOwn(item, name))
  );
}
