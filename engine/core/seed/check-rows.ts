import { keyIdentity } from '../../../tables/model/canonical.ts';
import { ReferenceChecker } from './check-references.ts';
import { type DeclaredRow, showPlace } from './declared-record.ts';
import type { FixtureTable } from './define-seed.ts';
import { type ResolvedRow, resolveRow } from './resolve-row.ts';

/**
 * Everything that can be said of rows before a stack is asked: schemas, keys, references, two rows with one key. Takes them one at
 * a time and keeps their keys and what they may be referred to by, never the rows.
 */
export class RowChecker {
  readonly #anchor: number;
  readonly #references: ReferenceChecker;
  readonly #firsts = new Map<string, string>();
  readonly #problems: string[] = [];
  readonly #ofOthers: string[] = [];
  readonly #repeated: string[] = [];

  constructor(tables: readonly FixtureTable[], anchor: number) {
    this.#anchor = anchor;
    this.#references = new ReferenceChecker(tables);
  }

  /** A row that is to be loaded. */
  add(row: DeclaredRow): void {
    this.#references.add(row, true);
    const resolution = resolveRow(row, this.#anchor);
    if ('row' in resolution) this.#checkKey(resolution.row);
    else this.#problems.push(...resolution.problems);
  }

  /** A row of a set that is not loaded now but may be referred to. */
  addOther(row: DeclaredRow): void {
    this.#references.add(row, false);
    const resolution = resolveRow(row, this.#anchor);
    if ('problems' in resolution) this.#ofOthers.push(...resolution.problems);
  }

  #checkKey({ table, key, place }: ResolvedRow): void {
    const id = `${table.name} ${keyIdentity(table.key, key)}`;
    const shown = showPlace(place);
    const earlier = this.#firsts.get(id);
    if (earlier === undefined) this.#firsts.set(id, shown);
    else this.#repeated.push(`${shown}: ${table.name} has this key twice; the first is at ${earlier}`);
  }

  problems(): readonly string[] {
    return [...this.#problems, ...this.#ofOthers, ...this.#references.missing(), ...this.#repeated];
  }
}
