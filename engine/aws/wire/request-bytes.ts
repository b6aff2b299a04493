import { base64Of, type Item } from '../../../tables/model/attribute-value.ts';

/** An item whose text is there already, in the place of an item; `make` gives the item itself to those who need it. */
export class WrittenItem {
  readonly text: string;
  readonly make: () => Item;

  constructor(text: string, make: () => Item) {
    this.text = text;
    this.make = make;
  }
}

/** Everything between the value before and the value of a member of one name, by the member's kind. */
interface Between {
  readonly text: Uint8Array;
  readonly number: Uint8Array;
  readonly other: Uint8Array;
}

/** What members may follow, and how an object ends there. */
interface Place {
  readonly before: string;
  readonly end: Uint8Array;
  /** Names repeat from item to item, so what stands between values is kept. */
  readonly betweens: Map<string, Between>;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const begin: Place = { before: '{', end: bytesOf('{}'), betweens: new Map() };
/** Behind a text or a number, which is still open. */
const open: Place = { before: '"},', end: bytesOf('"}}'), betweens: new Map() };
const closed: Place = { before: ',', end: bytesOf('}'), betweens: new Map() };
/** More names than these are somebody's keys. */
const maxNames = 1_000;

/** Texts up to this long are written character by character: a call out of JavaScript costs more. */
const shortText = 128;
/** UTF-8 takes at most three bytes for what is one of a string's units. */
const maxUnitBytes = 3;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const [listStart, listEnd] = [0x5b, 0x5d];

/** Grows with the largest request; what is written is copied out of it before anybody else writes. */
let page = Buffer.allocUnsafeSlow(64 * 1_024);
let at = 0;

/**
 * A request as JSON, straight from its attribute values: of all members of the operations they alone hold bytes, which become
 * base64. What is undefined is left out. It is written byte by byte: texts would be put together of thousands of pieces, which
 * have to be joined, encoded and cleared away. The bytes have memory of their own, so they can be given to a thread.
 */
export function requestBytes(request: object): Buffer {
  at = 0;
  write(request);
  const bytes = Buffer.allocUnsafeSlow(at);
  page.copy(bytes, 0, 0, at);
  return bytes;
}

function write(value: unknown): void {
  if (typeof value !== 'object' || value === null) writeLong(JSON.stringify(value));
  else if (value instanceof Uint8Array) writeLong(`"${base64Of(value)}"`);
  else if (Array.isArray(value)) writeList(value);
  else if (value instanceof WrittenItem) writeLong(value.text);
  else writeMembers(value as Record<string, unknown>);
}

function writeMembers(value: Readonly<Record<string, unknown>>): void {
  let place = begin;
  for (const name in value) {
    const member = value[name] as { readonly S?: unknown; readonly N?: unknown } | undefined | null;
    if (member === undefined) continue;
    const between = place.betweens.get(name) ?? newBetween(place, name);
    // Most values are these two. An attribute that is itself called `S` holds no text but a value.
    if (typeof member?.S === 'string') {
      writePiece(between.text);
      writeText(member.S);
      place = open;
    } else if (typeof member?.N === 'string') {
      writePiece(between.number);
      writeText(member.N);
      place = open;
    } else {
      writePiece(between.other);
      write(member);
      place = closed;
    }
  }
  writePiece(place.end);
}

function writeList(list: readonly unknown[]): void {
  writeSign(listStart);
  for (let n = 0; n < list.length; n += 1) {
    if (n > 0) writeSign(comma);
    write(list[n]);
  }
  writeSign(listEnd);
}

function writeSign(sign: number): void {
  reserve(1);
  page[at] = sign;
  at += 1;
}

function writePiece(piece: Uint8Array): void {
  reserve(piece.length);
  for (let n = 0; n < piece.length; n += 1) page[at + n] = piece[n] as number;
  at += piece.length;
}

/** What stands between quotes. Most texts are of plain characters, each a byte; where one is not, it is all escaped anew. */
function writeText(text: string): void {
  const { length } = text;
  if (length <= shortText) {
    reserve(length);
    let n = 0;
    for (; n < length; n += 1) {
      const code = text.charCodeAt(n);
      if (code < 0x20 || code > 0x7e || code === quote || code === backslash) break;
      page[at + n] = code;
    }
    if (n === length) {
      at += length;
      return;
    }
  }
  writeLong(JSON.stringify(text).slice(1, -1));
}

function writeLong(text: string): void {
  reserve(text.length * maxUnitBytes);
  at += page.write(text, at);
}

function reserve(bytes: number): void {
  if (at + bytes <= page.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(page.length * 2, at + bytes));
  page.copy(larger, 0, 0, at);
  page = larger;
}

function newBetween({ before, betweens }: Place, name: string): Between {
  const start = `${before}${JSON.stringify(name)}:`;
  const between = { text: bytesOf(`${start}{"S":"`), number: bytesOf(`${start}{"N":"`), other: bytesOf(start) };
  if (betweens.size >= maxNames) betweens.clear();
  betweens.set(name, between);
  return between;
}
