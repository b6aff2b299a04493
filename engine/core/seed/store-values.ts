import { type AttributeValue, type Item, setAttribute } from '../../../tables/model/attribute-value.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import { storeMember } from '../../../tables/model/member.ts';
import { type Schema, type SchemaView, viewSchema } from '../../../tables/model/schema-view.ts';
import type { DeclaredRecord } from './declared-record.ts';
import { looksRelative } from './relative-time.ts';
import { resolveValues } from './resolve-values.ts';

export interface StoredValues {
  /** By the order of the entity's attributes. */
  readonly item: Item;
  /** A relative time was in it. */
  readonly relative: boolean;
}

/** What one value becomes: its stored form, or none where an optional attribute is left out. */
interface Made {
  readonly value: AttributeValue | undefined;
  readonly relative: boolean;
}

/**
 * Texts of one attribute that are kept with what they become. The rows of a fixture share most of theirs: a symbol, a side, a client.
 * An attribute of which each row has its own fills its share once and is made anew from then on.
 */
const maxKept = 1_000;

class Member {
  readonly name: string;
  readonly #entity: Entity;
  readonly #schema: Schema;
  readonly #options: { readonly anchor: number; readonly textual: boolean };
  readonly #kept = new Map<string, Made>();
  readonly #view: SchemaView;
  #absent: Made | 'required' | undefined;

  constructor(entity: Entity, name: string, schema: Schema, options: { readonly anchor: number; readonly textual: boolean }) {
    this.#entity = entity;
    this.name = name;
    this.#schema = schema;
    this.#options = options;
    this.#view = viewSchema(schema);
  }

  /** Undefined when the value is not one that the attribute takes. */
  made(value: unknown): Made | undefined {
    if (value === undefined) return this.#whenAbsent();
    if (typeof value !== 'string') return this.#make(value);
    const kept = this.#kept.get(value);
    if (kept !== undefined) return kept;
    const made = this.#make(value);
    if (made !== undefined && this.#kept.size < maxKept) this.#kept.set(value, made);
    return made;
  }

  #whenAbsent(): Made | undefined {
    this.#absent ??= this.#make(undefined) ?? 'required';
    return this.#absent === 'required' ? undefined : this.#absent;
  }

  #make(given: unknown): Made | undefined {
    let [value, relative] = [given, false];
    if (!this.#isPlain(given)) {
      const resolved = resolveValues(this.#schema, given, this.#options);
      if (resolved.problems.length > 0) return undefined;
      value = resolved.value;
      relative = resolved.relative;
    }
    const stored = storeMember(this.#entity, this.name, value);
    return stored === undefined || 'problems' in stored ? undefined : { value: stored.value, relative };
  }

  /** A text that the schema takes as it is: no relative time, no spelling of something else. */
  #isPlain(value: unknown): boolean {
    const { kind, time } = this.#view;
    return typeof value === 'string' && kind !== 'bytes' && kind !== 'flag' && (time === undefined || !looksRelative(value));
  }
}

interface Shelf {
  readonly anchor: number;
  readonly textual: boolean;
  readonly members: readonly Member[];
}

/** The last one of each entity: a file's rows are gone through with one anchor. */
const shelves = new WeakMap<Entity, Shelf>();

function shelfOf({ entity, textual }: DeclaredRecord, anchor: number): Shelf {
  const known = shelves.get(entity);
  if (known !== undefined && known.anchor === anchor && known.textual === textual) return known;
  const members = Object.entries(entity.schema.shape).map(
    ([name, schema]) => new Member(entity, name, schema, { anchor, textual }),
  );
  const made = { anchor, textual, members };
  shelves.set(entity, made);
  return made;
}

/**
 * The attributes of a record as they are stored, each by its own schema: what an entity's schema says of the whole is that it has
 * these and no others. Undefined where anything is wrong; what, and where, is asked of the schema as a whole, once.
 */
export function storeValues(declared: DeclaredRecord, anchor: number): StoredValues | undefined {
  const { values } = declared;
  const item: Item = {};
  let relative = false;
  let open = Object.keys(values).length;
  for (const member of shelfOf(declared, anchor).members) {
    const isGiven = Object.hasOwn(values, member.name);
    const made = member.made(isGiven ? values[member.name] : undefined);
    if (made === undefined) return undefined;
    if (isGiven) open -= 1;
    if (made.value !== undefined) setAttribute(item, member.name, made.value);
    relative ||= made.relative;
  }
  // Attributes that the entity does not have.
  return open === 0 ? { item, relative } : undefined;
}
