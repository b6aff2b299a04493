import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { toJsonItem } from '../item/dynamo-json.ts';
import type { ItemText } from '../write/write-request.ts';
import { adoptItem, hasBinary } from './adopt-item.ts';
import type { ItemScanner } from './scan-item.ts';
import type { RawItem } from './split-answer.ts';

/** What one line of a data file says. */
export type ExportLine =
  | { readonly kind: 'item'; readonly item: Item }
  /** The same, of an item that was only looked at. */
  | { readonly kind: 'text'; readonly asText: ItemText }
  /** A change: the images before and after, where the export has them. No new image: the item was deleted. */
  | { readonly kind: 'change'; readonly keys: Item; readonly before: Item | undefined; readonly after: Item | undefined };

export type LineResult = ExportLine | { readonly problem: string };

const lineStart = new TextEncoder().encode('{"Item":');
const lineEnd = new TextEncoder().encode('}\n');

/** Lines of a data file, one for each item. */
export function printItemLines(items: readonly RawItem[]): Uint8Array {
  const around = lineStart.length + lineEnd.length;
  const lines = new Uint8Array(items.reduce((bytes, item) => bytes + item.length + around, 0));
  let at = 0;
  for (const item of items) {
    for (const part of [lineStart, item, lineEnd]) {
      lines.set(part, at);
      at += part.length;
    }
  }
  return lines;
}

export function printItem(item: Item): RawItem {
  return new TextEncoder().encode(JSON.stringify(hasBinary(item) ? toJsonItem(item) : item));
}

/** The item of a text that a scanner has read. */
export function itemOf({ text }: ItemText): Item {
  const item = adoptItem(JSON.parse(text));
  if (item === undefined) throw new TypeError('not the text of an item');
  return item;
}

export function parseItem(table: string, raw: RawItem): Item {
  const item = adoptItem(JSON.parse(new TextDecoder().decode(raw)));
  if (item !== undefined) return item;
  throw notDynamo(table, 'something that is no item');
}

export function notDynamo(table: string, what: string): TablewrightError {
  return new TablewrightError('STORE_FAILED', `${table}: the server's answer holds ${what}`, {
    next: 'Check that --endpoint is a DynamoDB-compatible server.',
  });
}

const textStart = '{"Item":';

/** Problems never show the line's content: it may be anybody's data. With a scanner, items that it can read are not made. */
export function parseLine(text: string, scan?: ItemScanner): LineResult {
  if (scan !== undefined && text.startsWith(textStart) && text.endsWith('}')) {
    const asText = scan(text, textStart.length, text.length - 1);
    if (asText !== undefined) return { kind: 'text', asText };
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problem: 'expected a JSON object, found text that is no JSON' };
  }
  if (typeof json !== 'object' || json === null) return { problem: 'expected a JSON object, found another JSON value' };
  const { Item: whole, Keys, OldImage, NewImage } = json as Readonly<Record<string, unknown>>;
  if (whole !== undefined) {
    const item = adoptItem(whole);
    return item === undefined ? { problem: 'Item: expected DynamoDB JSON such as {"id":{"S":"…"}}' } : { kind: 'item', item };
  }
  if (Keys === undefined) return { problem: 'expected "Item", or "Keys" of an incremental export; found neither' };
  return changeOf(Keys, OldImage, NewImage);
}

function changeOf(keysJson: unknown, beforeJson: unknown, afterJson: unknown): LineResult {
  const keys = adoptItem(keysJson);
  if (keys === undefined) return { problem: 'Keys: expected DynamoDB JSON' };
  const before = beforeJson === undefined ? undefined : adoptItem(beforeJson);
  if (beforeJson !== undefined && before === undefined) return { problem: 'OldImage: expected DynamoDB JSON' };
  const after = afterJson === undefined ? undefined : adoptItem(afterJson);
  if (afterJson !== undefined && after === undefined) return { problem: 'NewImage: expected DynamoDB JSON' };
  return { kind: 'change', keys, before, after };
}
