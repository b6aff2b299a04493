import type { Random } from '../../engine/core/seed/random.ts';
import { type Item, scalarText } from '../../tables/model/attribute-value.ts';
import { keyOf } from '../../tables/model/item.ts';
import type { Table } from '../../tables/model/table.ts';
import type { JudgedMigration } from './content.ts';
import { isThing, partKey, parts, thingKey, things } from './content.ts';

/** What an application does to one item, whatever it holds. */
export type Edit =
  | { readonly kind: 'delete' }
  | { readonly kind: 'replace'; readonly item: Item }
  | { readonly kind: 'update'; readonly set: Item; readonly remove: readonly string[] };

export interface AppWrite {
  readonly table: Table;
  readonly key: Item;
  readonly edit: Edit;
  readonly what: string;
}

/** The item after the edit. An update makes no item. */
export function edited(item: Item | undefined, edit: Edit): Item | undefined {
  if (edit.kind === 'delete') return undefined;
  if (edit.kind === 'replace') return edit.item;
  if (item === undefined) return undefined;
  const kept = Object.entries(item).filter(([name]) => !edit.remove.includes(name));
  return { ...Object.fromEntries(kept), ...edit.set };
}

/**
 * The applications of a stack: old ones that know nothing of the migrations, new ones that write as they do, people who
 * delete. Values that they write are never written a second time, so whose a value is can be told.
 */
export class Applications {
  readonly #random: Random;
  readonly #migrations: readonly JudgedMigration[];
  readonly #present: (table: Table) => readonly Item[];
  #version = 0;

  constructor(random: Random, migrations: readonly JudgedMigration[], present: (table: Table) => readonly Item[]) {
    this.#random = random;
    this.#migrations = migrations;
    this.#present = present;
  }

  /** The next write; undefined when there is nothing to write to. */
  next(): AppWrite | undefined {
    const random = this.#random;
    const table = random.chance(800) ? things : parts;
    this.#version += 1;
    if (random.chance(120)) return this.#create(table);
    const item = this.#some(table);
    if (item === undefined) return undefined;
    const key = keyOf(table, item);
    // What a migration has inserted is deleted at most: a rollback does not see what was added to it (NOTES 1).
    if (scalarText(item.of) !== undefined) return { table, key, edit: { kind: 'delete' }, what: 'deletes' };
    // A note has no colour: nothing of it would ever be in the index.
    const old: Item = table === things && !isThing(item) ? { note: { S: `note ${this.#version}` } } : this.#oldForm(table);
    const kind = random.below(1_000);
    if (kind < 150) return { table, key, edit: { kind: 'delete' }, what: 'deletes' };
    if (kind < 450) return { table, key, edit: { kind: 'update', set: old, remove: [] }, what: 'writes in the old form' };
    if (kind < 700) return { table, key, edit: this.#newForm(table, item, old), what: 'writes in the new form' };
    if (kind < 800) return { table, key, edit: { kind: 'replace', item: { ...key, ...old } }, what: 'replaces in the old form' };
    const views: Item = { views: { N: String(this.#version) } };
    return { table, key, edit: { kind: 'update', set: views, remove: [] }, what: 'writes something else' };
  }

  /** Gives every thing a colour that there is. */
  heal(): readonly AppWrite[] {
    const bad = this.#present(things).filter(({ colour }) => colour !== undefined && 'S' in colour && colour.S.startsWith('bad'));
    return bad.map((item) => {
      this.#version += 1;
      const edit = { kind: 'update', set: this.#oldForm(things), remove: [] } as const;
      return { table: things, key: keyOf(things, item), edit, what: 'heals' };
    });
  }

  #some(table: Table): Item | undefined {
    const items = this.#present(table);
    return items.length === 0 ? undefined : this.#random.pick(items);
  }

  /** An item that never was, or one that was deleted, in one form or the other. */
  #create(table: Table): AppWrite | undefined {
    const number = this.#random.below(50);
    const key = table === things ? thingKey(number) : partKey(number);
    const there = new Set(this.#present(table).map((item) => JSON.stringify(keyOf(table, item))));
    if (there.has(JSON.stringify(key))) return undefined;
    const plain = { ...key, ...this.#oldForm(table) };
    const edit = this.#random.chance(500) ? undefined : this.#newForm(table, plain, {});
    const item = edit === undefined ? plain : (edited(plain, edit) ?? plain);
    return { table, key, edit: { kind: 'replace', item }, what: 'creates' };
  }

  #oldForm(table: Table): Item {
    if (table === parts) return { weight: { N: String(1_000 + this.#version) } };
    return { colour: { S: `${this.#random.pick(['red', 'green', 'blue'])}-${this.#version}` } };
  }

  /** With what the migration would add, as an application does that was deployed before. */
  #newForm(table: Table, item: Item, set: Item): Edit {
    const step = this.#migrations.flatMap(({ steps }) => steps).find((one) => one.table === table && one.writes.length > 0);
    const verdict = step?.verdictOn({ ...item, ...set });
    if (verdict?.kind !== 'change') return { kind: 'update', set, remove: [] };
    return { kind: 'update', set: { ...set, ...verdict.set }, remove: verdict.remove };
  }
}
