import { attributeOf, type Item } from '../../../../tables/model/attribute-value.ts';
import { sameValue } from '../../../../tables/model/canonical.ts';
import type { GuardedChange } from '../../../core/migrate/decide-item.ts';
import type { ChangeResult } from './write-changes.ts';

/** What follows from the answer to a change. `undone`: it was not carried out, so its journal entry must not be undone. */
export type AfterWrite =
  | { readonly kind: 'settled'; readonly fate: 'changed' | 'right' | 'unsent'; readonly undone: boolean }
  | { readonly kind: 'dead'; readonly reason: string; readonly undone: boolean }
  /** Somebody else changed the item: it is decided on anew, as it is now. */
  | { readonly kind: 'conflict'; readonly item: Item | undefined; readonly again: GuardedChange | undefined };

export function afterWrite(change: GuardedChange, result: ChangeResult | undefined): AfterWrite {
  switch (result?.kind) {
    case undefined:
    case 'unsent':
      return { kind: 'settled', fate: 'unsent', undone: true };
    case 'unknown':
      // What may have been done stays in the journal: the next run meets it, and a rollback undoes it.
      return { kind: 'settled', fate: 'unsent', undone: false };
    case 'done':
      return { kind: 'settled', fate: 'changed', undone: false };
    case 'dead':
      return { kind: 'dead', reason: result.reason, undone: !result.uncertain };
    case 'refused':
      if (change.kind === 'insert' && result.failedAt === 0) {
        // Its key is taken: by an earlier try of this very write, or by somebody else.
        return { kind: 'settled', fate: result.again ? 'changed' : 'right', undone: !result.again };
      }
      return { kind: 'conflict', item: result.item, again: result.again ? change : undefined };
  }
}

/** The answer to an earlier try was lost, and the item is as that try wanted it: it was done. Else it is decided on anew. */
export function wasDone(change: GuardedChange | undefined, now: Item): boolean {
  return (
    change?.kind === 'update' &&
    Object.entries(change.set).every(([name, value]) => sameValue(attributeOf(now, name), value)) &&
    change.remove.every((name) => !Object.hasOwn(now, name))
  );
}
