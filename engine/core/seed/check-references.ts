import type { Entity, Reference } from '../../../tables/model/entity.ts';
import { describeMissing } from '../../../tables/model/reference.ts';
import { type DeclaredRecord, type DeclaredRow, ExactNumber, showPlace } from './declared-record.ts';
import type { FixtureTable } from './define-seed.ts';

/** The attributes of an entity by which others refer to it. */
interface Target {
  readonly id: string;
  readonly names: readonly string[];
  /** The values that were met. */
  readonly known: Set<string>;
}

/** What a reference goes by, and the target that it means. */
interface Source {
  readonly id: string;
  readonly names: readonly string[];
}

interface Missing {
  /** In the order in which they were met. */
  readonly at: number;
  readonly text: string;
}

/**
 * What records refer to and is nowhere among those given: an execution's order, an order's client. Takes rows one at a time and
 * keeps of them only what can be referred to, and what is still missing; a row may refer to one that comes later. Goes by what
 * the files say, so that a record with other faults still is a target and is itself checked. Raw items refer to nothing.
 */
export class ReferenceChecker {
  readonly #targets: ReadonlyMap<string, readonly Target[]>;
  readonly #targetOf: ReadonlyMap<string, Target>;
  readonly #missing = new Map<string, Missing[]>();
  readonly #sources = new Map<Reference, Source>();
  #met = 0;

  /** `tables`: all that rows may be of. */
  constructor(tables: readonly FixtureTable[]) {
    this.#targets = targetsOf(new Set(tables.flatMap(({ entities }) => entities)));
    this.#targetOf = new Map([...this.#targets.values()].flat().map((target) => [target.id, target]));
  }

  /** `checked`: the row's own references count, too. */
  add(row: DeclaredRow, checked: boolean): void {
    if (!('entity' in row)) return;
    for (const { id, names, known } of this.#targets.get(`${row.table.name}/${row.entity.name}`) ?? []) {
      const values = valuesOf(row, names);
      if (values === undefined) continue;
      known.add(values);
      if (this.#missing.size > 0) this.#missing.delete(`${id} ${values}`);
    }
    if (!checked) return;
    for (const reference of row.entity.references) this.#check(row, reference);
  }

  #check(row: DeclaredRecord, reference: Reference): void {
    const { names, id } = this.#sourceOf(reference);
    const values = valuesOf(row, names);
    if (values === undefined) return;
    if (this.#targetOf.get(id)?.known.has(values) === true) return;
    const wanted = `${id} ${values}`;
    const others = this.#missing.get(wanted) ?? [];
    this.#missing.set(wanted, others);
    this.#met += 1;
    others.push({ at: this.#met, text: describe(row, reference, names) });
  }

  #sourceOf(reference: Reference): Source {
    const known = this.#sources.get(reference);
    if (known !== undefined) return known;
    const made = { id: idOf(reference), names: [reference.attribute, ...(reference.alike ?? [])] };
    this.#sources.set(reference, made);
    return made;
  }

  missing(): readonly string[] {
    const all = [...this.#missing.values()].flat().toSorted((a, b) => a.at - b.at);
    return all.map(({ text }) => text);
  }
}

function targetsOf(entities: ReadonlySet<Entity>): ReadonlyMap<string, readonly Target[]> {
  const targets = new Map<string, Map<string, Target>>();
  for (const reference of [...entities].flatMap(({ references }) => references)) {
    const own = targets.get(reference.entity) ?? new Map<string, Target>();
    targets.set(reference.entity, own);
    own.set(idOf(reference), { id: idOf(reference), names: [reference.target, ...(reference.alike ?? [])], known: new Set() });
  }
  return new Map([...targets].map(([name, own]) => [name, [...own.values()]]));
}

function idOf({ entity, target, alike = [] }: Reference): string {
  return [entity, target, ...alike].join(' ');
}

/** The values of the attributes as one text; undefined when one is absent, because an absent attribute refers to nothing. */
function valuesOf(row: DeclaredRecord, names: readonly string[]): string | undefined {
  const [first = ''] = names;
  if (names.length === 1) return textOf(row, first);
  const values = names.map((name) => textOf(row, name));
  return values.includes(undefined) ? undefined : JSON.stringify(values);
}

function textOf(row: DeclaredRecord, name: string): string | undefined {
  const value = row.values[name];
  if (value instanceof ExactNumber) return value.text;
  return value === undefined || value === null ? undefined : String(value);
}

function describe(row: DeclaredRecord, reference: Reference, names: readonly string[]): string {
  const values = names.map((name) => textOf(row, name));
  return `${showPlace(row.place, [reference.attribute])}: ${row.entity.name}: ${describeMissing(reference, values)}`;
}
