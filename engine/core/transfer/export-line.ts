import type { Item } from '../../../tables/model/attribute-value.ts';
import { toJsonItem } from '../dynamo-json.ts';
import { adoptItem, hasBinary } from './adopt-item.ts';

/** What one line of a data file says. */
export type ExportLine =
  | { readonly kind: 'item'; readonly item: Item }
  /** A change: the images before and after, where the export has them. No new image: the item was deleted. */
  | { readonly kind: 'change'; readonly keys: Item; readonly before: Item | undefined; readonly after: Item | undefined };

export type LineResult = ExportLine | { readonly problem: string };

export function printItemLine(item: Item): string {
  return `{"Item":${JSON.stringify(hasBinary(item) ? toJsonItem(item) : item)}}\n`;
}

/** Problems never show the line's content: it may be anybody's data. */
export function parseLine(text: string): LineResult {
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
