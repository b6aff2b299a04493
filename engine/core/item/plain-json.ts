import { type AttributeValue, base64Of, type Item } from '../../../tables/model/attribute-value.ts';

/** Plain JSON of an item, for people and scripts: every number has exactly its stored digits, binary is base64, sets are lists. */
export function plainJson(item: Item, indent = ''): string {
  return object(Object.entries(item), indent);
}

function object(entries: readonly (readonly [string, AttributeValue])[], indent: string): string {
  return enclosed(
    '{}',
    entries.map(([name, value]) => `${JSON.stringify(name)}:${indent === '' ? '' : ' '}${json(value, deeper(indent))}`),
    indent,
  );
}

function json(value: AttributeValue, indent: string): string {
  if ('S' in value) return JSON.stringify(value.S);
  if ('N' in value) return value.N;
  if ('BOOL' in value) return String(value.BOOL);
  if ('NULL' in value) return 'null';
  if ('B' in value) return base64(value.B);
  if ('M' in value) return object(Object.entries(value.M), indent);
  return enclosed('[]', members(value, indent), indent);
}

function members(value: Exclude<AttributeValue, { S: string } | { M: Item }>, indent: string): readonly string[] {
  if ('L' in value) return value.L.map((entry) => json(entry, deeper(indent)));
  if ('SS' in value) return value.SS.map((text) => JSON.stringify(text));
  if ('NS' in value) return value.NS;
  if ('BS' in value) return value.BS.map(base64);
  return [];
}

function base64(bytes: Uint8Array): string {
  return JSON.stringify(base64Of(bytes));
}

const step = '  ';

function deeper(indent: string): string {
  return indent === '' ? '' : indent + step;
}

/** One line without an indent; else a line per entry. */
function enclosed(brackets: string, entries: readonly string[], indent: string): string {
  const [open, close] = brackets;
  if (indent === '' || entries.length === 0) return `${open}${entries.join(',')}${close}`;
  return `${open}\n${entries.map((entry) => indent + entry).join(',\n')}\n${indent.slice(step.length)}${close}`;
}
