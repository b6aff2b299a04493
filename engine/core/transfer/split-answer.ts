/** An item as the DynamoDB JSON that it came in, UTF-8, on one line. */
export type RawItem = Uint8Array;

export interface SplitAnswer {
  readonly items: readonly RawItem[];
  /** All of the answer but its items. */
  readonly rest: Readonly<Record<string, unknown>>;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const newLine = 0x0a;
const open = { brace: 0x7b, bracket: 0x5b };
const close = { brace: 0x7d, bracket: 0x5d };

/**
 * Takes the items of an answer (`Scan`) out of its text without parsing them: what is exported is what the server said, and
 * no item becomes an object that somebody has to clear away. Undefined when the text is no such answer, or when it does
 * not hold as many items as it says.
 */
export function splitAnswer(text: Uint8Array): SplitAnswer | undefined {
  const list = findItems(text);
  if (list === undefined) return parsed(text, []);
  const items: RawItem[] = [];
  let at = blank(text, list + 1);
  while (text[at] === open.brace) {
    const end = valueEnd(text, at);
    items.push(oneLine(text.subarray(at, end)));
    at = blank(text, end);
    if (text[at] === comma) at = blank(text, at + 1);
  }
  if (text[at] !== close.bracket) return undefined;
  const around = new Uint8Array(list + 1 + text.length - at);
  around.set(text.subarray(0, list + 1));
  around.set(text.subarray(at), list + 1);
  return parsed(around, items);
}

function parsed(rest: Uint8Array, items: readonly RawItem[]): SplitAnswer | undefined {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(rest));
  } catch {
    return undefined;
  }
  if (typeof json !== 'object' || json === null) return undefined;
  const answer = json as Readonly<Record<string, unknown>>;
  return answer.Count === items.length ? { items, rest: answer } : undefined;
}

/** Where the list of the outermost object's `Items` begins. */
function findItems(text: Uint8Array): number | undefined {
  let at = blank(text, 0);
  if (text[at] !== open.brace) return undefined;
  at = blank(text, at + 1);
  while (text[at] === quote) {
    const nameEnd = stringEnd(text, at);
    const name = new TextDecoder().decode(text.subarray(at + 1, nameEnd - 1));
    at = blank(text, nameEnd);
    if (text[at] !== colon) return undefined;
    at = blank(text, at + 1);
    if (name === 'Items' && text[at] === open.bracket) return at;
    at = blank(text, valueEnd(text, at));
    if (text[at] === comma) at = blank(text, at + 1);
  }
  return undefined;
}

/** Behind the value that begins here. */
function valueEnd(text: Uint8Array, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const byte = text[at];
    if (byte === quote) {
      at = stringEnd(text, at);
    } else if (byte === open.brace || byte === open.bracket) {
      depth += 1;
      at += 1;
    } else if (byte === close.brace || byte === close.bracket) {
      // A closing one that is not this value's own ends a number or a word before it.
      if (depth === 0) return at;
      depth -= 1;
      at += 1;
    } else if (byte === comma && depth === 0) {
      return at;
    } else {
      at += 1;
      continue;
    }
    if (depth === 0) return at;
  }
  return at;
}

function stringEnd(text: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  return at + 1;
}

function blank(text: Uint8Array, start: number): number {
  let at = start;
  while (at < text.length && (text[at] as number) <= 0x20) at += 1;
  return at;
}

/** JSON has line ends between its parts only, never inside of them. */
function oneLine(item: RawItem): RawItem {
  return item.includes(newLine) ? item.map((byte) => (byte === newLine ? 0x20 : byte)) : item;
}
