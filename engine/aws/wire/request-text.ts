import { base64Of, type Item } from '../../../tables/model/attribute-value.ts';

/** What JSON has to escape, and halves of characters, which it must; everything else stands between quotes as it is. */
const escaped = /[\u0000-\u001f"\\\ud800-\udfff]/;

/** Everything between the value before and the value of a member of one name, by the member's kind. */
interface Between {
  readonly text: string;
  readonly number: string;
  readonly other: string;
}

/** An item whose text is there already, in the place of an item; `make` gives the item itself to those who need it. */
export class WrittenItem {
  readonly text: string;
  readonly make: () => Item;

  constructor(text: string, make: () => Item) {
    this.text = text;
    this.make = make;
  }
}

/** What members may follow, and how an object ends there. */
interface Place {
  readonly before: string;
  readonly end: string;
  /** Names repeat from item to item, so what stands between values is kept. */
  readonly betweens: Map<string, Between>;
}

const begin: Place = { before: '{', end: '{}', betweens: new Map() };
/** Behind a text or a number, which is still open. */
const open: Place = { before: '"},', end: '"}}', betweens: new Map() };
const closed: Place = { before: ',', end: '}', betweens: new Map() };
/** More names than these are somebody's keys. */
const maxNames = 1_000;

/**
 * A request as JSON, straight from its attribute values: of all members of the operations they alone hold bytes, which become
 * base64. What is undefined is left out. It is put together of few pieces, for every piece is an object to clear away.
 */
export function requestText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof Uint8Array) return `"${base64Of(value)}"`;
  if (Array.isArray(value)) return listText(value);
  if (value instanceof WrittenItem) return value.text;
  let text = '';
  let place = begin;
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name] as { readonly S?: unknown; readonly N?: unknown } | undefined | null;
    if (member === undefined) continue;
    const between = place.betweens.get(name) ?? newBetween(place, name);
    // Most values are these two. An attribute that is itself called `S` holds no text but a value.
    if (typeof member?.S === 'string') {
      text += between.text;
      text += escaped.test(member.S) ? inner(member.S) : member.S;
      place = open;
    } else if (typeof member?.N === 'string') {
      text += between.number;
      text += escaped.test(member.N) ? inner(member.N) : member.N;
      place = open;
    } else {
      text += between.other;
      text += requestText(member);
      place = closed;
    }
  }
  return text + place.end;
}

function listText(list: readonly unknown[]): string {
  let text = '[';
  let comma = '';
  for (const entry of list) {
    text += comma + requestText(entry);
    comma = ',';
  }
  return text + ']';
}

function inner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function newBetween({ before, betweens }: Place, name: string): Between {
  const start = `${before}${JSON.stringify(name)}:`;
  const between = { text: `${start}{"S":"`, number: `${start}{"N":"`, other: start };
  if (betweens.size >= maxNames) betweens.clear();
  betweens.set(name, between);
  return between;
}
