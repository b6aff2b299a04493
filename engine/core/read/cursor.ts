import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';

/** What a cursor belongs to; one of another read does not open. */
export interface CursorBinding {
  readonly stack: string;
  readonly pattern: string;
  /** As the pattern took them, defaults filled in. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The list is read last record first. */
  readonly reverse: boolean;
}

export interface CursorPosition {
  /** How the page before was read. */
  readonly way: 'query' | 'scan';
  /** The index that it was read by; left out for the table's own key, and in cursors of earlier versions. */
  readonly index?: string;
  /** Where it ended: the keys of its last record. */
  readonly key: Item;
  /** How many records have been given so far. */
  readonly given: number;
}

/** Makes cursors that a client can neither read nor change. */
export interface CursorSeal {
  seal(binding: CursorBinding, position: CursorPosition): string;
  /** Throws `BAD_CURSOR` for anything that was not sealed for this binding. */
  open(binding: CursorBinding, text: string): CursorPosition;
}

export function badCursor(pattern: string, reason: string, cause?: unknown): TablewrightError {
  return new TablewrightError('BAD_CURSOR', `${pattern}: the cursor cannot be used: ${reason}`, {
    cause,
    next: 'Read the first page again, with the same parameters for every page of one list.',
  });
}
