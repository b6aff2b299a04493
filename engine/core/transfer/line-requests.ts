import type { Item } from '../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../tables/model/canonical.ts';
import { keyOf, keyProblems } from '../../../tables/model/item.ts';
import type { ItemText, PutRequest, WriteRequest, WriteTable } from '../write/write-request.ts';
import { type ExportLine, itemOf } from './export-line.ts';

/** Turns an item of the export into the items to write; none leaves it out. */
export type ItemTransform = (item: Item) => readonly Item[];

/**
 * What a line asks for. Of a change, the new image is put; what the old image became and the new one does not is deleted.
 */
export function lineRequests(table: WriteTable, line: ExportLine, transform: ItemTransform | undefined): readonly WriteRequest[] {
  if (line.kind === 'text') return [new TextPut(table.name, line.asText)];
  if (line.kind === 'item') return puts(table, transform === undefined ? [line.item] : transform(line.item));
  if (transform === undefined) {
    return line.after === undefined ? [{ table: table.name, delete: line.keys }] : puts(table, [line.after]);
  }
  const after = line.after === undefined ? [] : transform(line.after);
  const kept = new Set(after.flatMap((item) => identityOf(table, item)));
  const gone = (line.before === undefined ? [] : transform(line.before)).filter(
    (item) => !identityOf(table, item).some((identity) => kept.has(identity)),
  );
  return [...gone.map((item) => ({ table: table.name, delete: keyOf(table, item) })), ...puts(table, after)];
}

/** A put of an item that stays text as long as nobody asks for it. */
export class TextPut implements PutRequest {
  readonly table: string;
  readonly asText: ItemText;

  constructor(table: string, asText: ItemText) {
    this.table = table;
    this.asText = asText;
  }

  get put(): Item {
    return itemOf(this.asText);
  }
}

function puts(table: WriteTable, items: readonly Item[]): readonly WriteRequest[] {
  return items.map((item) => ({ table: table.name, put: item }));
}

function identityOf(table: WriteTable, item: Item): readonly string[] {
  return keyProblems(table, item).length === 0 ? [keyIdentity(table.key, item)] : [];
}
