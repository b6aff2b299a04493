import type { Item } from '../../tables/model/attribute-value.ts';
import { sameValue } from '../../tables/model/canonical.ts';
import type { Mutation } from './simulated-server.ts';

/** Whose write it was: an application's (or nobody's, at the beginning), a migration's, or a rollback's. */
export type Author = 'application' | 'apply' | 'rollback';

/** What is known of one item beside what it is. */
export interface ItemTrack {
  /** The item as it would be if no migration had ever been run. */
  original: Item | undefined;
  /** A migration has written to it. */
  touched: boolean;
  /** Attributes that an application wrote after that, or `*` when it made, replaced or deleted the item. */
  readonly written: Set<string>;
  /** Who gave each attribute its present value or its absence. */
  readonly authors: Map<string, Author>;
  /** When somebody else than a migration last changed it. */
  foreignMs: number;
  /** A migration wrote to it although another runner had the lock by then: sent while it held it, and late. */
  late: boolean;
}

/** What happened to all items of all tables. */
export class ItemHistory {
  readonly #tracks = new Map<string, ItemTrack>();

  of({ table, identity }: Pick<Mutation, 'table' | 'identity'>): ItemTrack {
    const place = `${table} ${identity}`;
    const known = this.#tracks.get(place);
    if (known !== undefined) return known;
    const track: ItemTrack = {
      original: undefined,
      touched: false,
      written: new Set(),
      authors: new Map(),
      foreignMs: Number.NEGATIVE_INFINITY,
      late: false,
    };
    this.#tracks.set(place, track);
    return track;
  }

  record(mutation: Mutation, author: Author, atMs: number): void {
    const track = this.of(mutation);
    for (const name of changedNames(mutation)) track.authors.set(name, author);
    if (author === 'apply') track.touched = true;
    else track.foreignMs = atMs;
  }

  /** An application writes these attributes; `*` is all of the item. */
  write(place: Pick<Mutation, 'table' | 'identity'>, names: readonly string[]): void {
    const track = this.of(place);
    if (track.touched) for (const name of names) track.written.add(name);
  }

  /** All items of a table that ever were, by identity. */
  ofTable(table: string): readonly (readonly [string, ItemTrack])[] {
    const prefix = `${table} `;
    return [...this.#tracks].flatMap(([place, track]) => (place.startsWith(prefix) ? [[place.slice(prefix.length), track]] : []));
  }

  /** What was done to it counts no longer: as it is now it is the original. */
  startOver(track: ItemTrack, now: Item | undefined): void {
    track.original = now;
    track.touched = false;
    track.late = false;
    track.written.clear();
    track.authors.clear();
  }
}

/** The attributes that a mutation gave another value, or none. */
export function changedNames({ before = {}, after = {} }: Pick<Mutation, 'before' | 'after'>): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !sameValue(before[name], after[name]));
}
