import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import { entityOf } from '../../../tables/model/item.ts';
import { type Schema, viewSchema } from '../../../tables/model/schema-view.ts';
import { keyNames, type Table } from '../../../tables/model/table.ts';
import { toJsonItem } from '../../core/item/dynamo-json.ts';
import { attributeRole } from '../../core/show/attribute-role.ts';
import { type Hint, showValue } from '../../core/show/show-value.ts';
import type { Sheet } from './screen.ts';
import { type Column, renderTable } from './table.ts';
import { cutText, harmless, padText, textWidth } from './text-width.ts';

/** Texts are cut to this before a column is left out; numbers never are. */
const leastText = 10;
/** The first column tells records apart: cut like the others, they would look alike. */
const leastFirst = 32;

/** Keys that rules make are for DynamoDB, not for people: they come last, and are the first to go. */
const lastRoles: readonly string[] = ['derived', 'index key', 'key'];

/** Records as people read them: a table for each entity, or a list of what a single one holds. */
export function renderRecords(page: Sheet, table: Table, items: readonly Item[], nowMs: number): string {
  const groups = new Map<Entity | undefined, Item[]>();
  for (const item of items) {
    const entity = entityOf(table, item);
    groups.set(entity, [...(groups.get(entity) ?? []), item]);
  }
  const several = groups.size > 1;
  return [...groups]
    .map(([entity, own]) => {
      const head = several ? [page.paint('strong', entity?.name ?? '(no entity)')] : [];
      const [only] = own;
      const body =
        own.length === 1 && only !== undefined
          ? renderOne(page, table, entity, only, nowMs)
          : renderMany(page, table, entity, own);
      return [...head, body].join('\n');
    })
    .join('\n\n');
}

const isGiven = (entity: Entity | undefined, name: string): boolean => Object.hasOwn(entity?.schema.shape ?? {}, name);

/** The attributes that records have: as the entity names them, then others, then keys. */
function attributesOf(table: Table, entity: Entity | undefined, items: readonly Item[]): readonly string[] {
  const present = new Set(items.flatMap((item) => Object.keys(item)));
  const given = Object.keys(entity?.schema.shape ?? {});
  const others = [...present].filter((name) => !isGiven(entity, name));
  const isLast = (name: string) => lastRoles.indexOf(attributeRole(table, entity, name));
  // A record's own order is chance: keys go as the table and its indexes have them, the rest by name.
  const keys = [table.key, ...table.indexes].flatMap(keyNames);
  const byPlace = (a: string, b: string) => isLast(a) - isLast(b) || keys.indexOf(a) - keys.indexOf(b) || (a < b ? -1 : 1);
  return [...given.filter((name) => present.has(name)), ...others.toSorted(byPlace)];
}

function hintOf(table: Table, entity: Entity | undefined, name: string): Hint {
  if (name === table.ttl) return { time: 'epoch' };
  const shape = (entity?.schema.shape ?? {}) as Readonly<Record<string, Schema>>;
  const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
  return schema === undefined ? {} : viewSchema(schema);
}

function renderMany(page: Sheet, table: Table, entity: Entity | undefined, items: readonly Item[]): string {
  const names = attributesOf(table, entity, items);
  const stored = items.map(toJsonItem);
  const columns = names.map((name, at): Column => {
    const isNumber = stored.every((item) => item[name] === undefined || 'N' in item[name]);
    const isKey = !isGiven(entity, name) && lastRoles.includes(attributeRole(table, entity, name));
    // The first is what tells records apart; of the rest the later ones go first.
    const form = isNumber ? { right: true as const } : { least: at === 0 ? leastFirst : leastText };
    return { title: harmless(name), rank: at, ...form, ...(isKey ? { extra: true as const } : {}) };
  });
  const rows = stored.map((item) =>
    names.map((name) => (item[name] === undefined ? '' : harmless(showValue(item[name], hintOf(table, entity, name))))),
  );
  return renderTable(page, columns, rows);
}

function renderOne(page: Sheet, table: Table, entity: Entity | undefined, item: Item, nowMs: number): string {
  const stored = toJsonItem(item);
  const names = attributesOf(table, entity, [item]);
  const left = Math.max(...names.map((name) => textWidth(harmless(name)))) + 2;
  const room = page.columns === undefined ? Number.POSITIVE_INFINITY : Math.max(20, page.columns - left);
  return names
    .flatMap((name) => {
      const value = harmless(showValue(stored[name] ?? null, hintOf(table, entity, name), nowMs));
      const label = page.paint('soft', padText(harmless(name), left));
      return pieces(value, room).map((piece, at) => `${at === 0 ? label : ' '.repeat(left)}${piece}`.trimEnd());
    })
    .join('\n');
}

/** A long value on several lines, no character lost; at a space where there is one. */
function pieces(text: string, room: number): readonly string[] {
  const found: string[] = [];
  let rest = text;
  while (textWidth(rest) > room) {
    const fitting = cutText(rest, room).slice(0, -1);
    const space = fitting.lastIndexOf(' ');
    const end = space > room / 2 ? space + 1 : fitting.length;
    found.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...found, rest];
}
