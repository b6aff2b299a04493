import { readFileSync } from 'node:fs';
import { fromJsonItem } from '../../engine/core/item/dynamo-json.ts';
import type { Item } from '../../tables/model/attribute-value.ts';

/** A ledger as version 0.1.0 wrote it, before records had a version: every kind of record that there was. */
export const oldLedger: readonly Item[] = readFileSync(new URL('../engine/ledger/format-1.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => fromJsonItem(JSON.parse(line)) ?? {});

/** The first of its records whose key has these beginnings. */
export function oldRecord(partition: string, sort = ''): Item {
  const found = oldLedger.find(({ PK, SK }) => startsWith(PK, partition) && startsWith(SK, sort));
  if (found === undefined) throw new Error(`no record ${partition} / ${sort}`);
  return found;
}

function startsWith(value: Item[string] | undefined, text: string): boolean {
  return value !== undefined && 'S' in value && value.S.startsWith(text);
}
