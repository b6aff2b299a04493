import { keyIdentity } from '../../../tables/model/canonical.ts';
import { ReferenceChecker } from './check-references.ts';
import { type DeclaredRow, type RowPlace, showPlace } from './declared-record.ts';
import type { FixtureTable } from './define-seed.ts';
import { type ResolvedRow, resolveRow } from './resolve-row.ts';

/** More lines than a file has. */
const maxPlaces = 2 ** 32;

/**
 * Everything that can be said of rows before a stack is asked: schemas, keys, references, two rows with one key. Takes them one at
 * a time and keeps their keys and what they may be referred to by, never the rows.
 */
export class RowChecker {
  readonly #anchor: number;
  readonly #references: ReferenceChecker;
  /** Of each key the place that it was first met at. One entry a row, so as small as can be: see `packed`. */
  readonly #firsts = new Map<FixtureTable, Map<string, number>>();
  readonly #files: string[] = [];
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
    const firsts = this.#firsts.get(table) ?? new Map<string, number>();
    this.#firsts.set(table, firsts);
    const id = keyIdentity(table.key, key);
    const earlier = firsts.get(id);
    if (earlier === undefined) firsts.set(id, this.#packed(place));
    else this.#repeated.push(`${showPlace(place)}: ${table.name} has this key twice; the first is at ${this.#unpacked(earlier)}`);
  }

  /** A file and a line, or the number of a record where there are no lines, as one number. */
  #packed({ file, line, number }: RowPlace): number {
    if (this.#files.at(-1) !== file) this.#files.push(file);
    const at = line([]);
    return ((this.#files.length - 1) * maxPlaces + (at ?? number)) * 2 + (at === undefined ? 1 : 0);
  }

  #unpacked(packed: number): string {
    const [place, isNumber] = [Math.floor(packed / 2), packed % 2 === 1];
    const file = this.#files[Math.floor(place / maxPlaces)] ?? '';
    const at = place % maxPlaces;
    return showPlace({ file, line: () => (isNumber ? undefined : at), number: at });
  }

  problems(): readonly string[] {
    return [...this.#problems, ...this.#ofOthers, ...this.#references.missing(), ...this.#repeated];
  }
}
