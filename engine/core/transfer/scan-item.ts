import { type AttributeValue, type Item, setAttribute } from '../../../tables/model/attribute-value.ts';
import { numberBytes, valueBytes } from '../item/item-size.ts';
import type { ItemText } from '../write/write-request.ts';
import { adoptValue, isBinary } from './adopt-item.ts';

/** Looks at the item that stands in the text from one place up to another. */
export type ItemScanner = (text: string, from: number, to: number) => ItemText | undefined;

/** All that stands between one value and the next, which repeats from item to item. */
interface Step {
  readonly piece: string;
  readonly name: string;
  readonly nameBytes: number;
  readonly isWanted: boolean;
  readonly type: 'S' | 'N' | undefined;
  readonly next: Place;
}

/** Where a scan may stand: behind these names, in this order. */
interface Place {
  readonly names: ReadonlySet<string>;
  /** Inside the quotes of a text or number, or behind a whole value. */
  readonly isOpen: boolean;
  readonly steps: Step[];
}

/** Printable ASCII without a backslash: every character is a byte, and none stands for something else. */
const notPlain = /[^ -[\]-~]/;
/** What a JSON text must escape, or has escaped, and halves of characters. */
const escaped = /[\u0000-\u001f\\\p{Surrogate}]/u;
const head = /(?:\{|"\},|,)"([^"]*)":(?:\{"([SN])":")?/y;
/** Sequences of names that are remembered. Items with names of their own, such as keys, are left to the parser. */
const maxPlaces = 2_000;
const maxSteps = 16;

/**
 * A scanner for items as exports have them. It gives nothing where it is not sure that the text is an item and that sending it
 * does what sending the parsed item would: with escapes, spaces, a name that comes twice, bytes. Those are left to the parser.
 */
export function itemScanner(wanted: ReadonlySet<string>): ItemScanner {
  const begin: Place = { names: new Set(), isOpen: false, steps: [] };
  let places = 1;
  const learn = (place: Place, text: string, at: number): Step | undefined => {
    head.lastIndex = at;
    const [piece, name, type] = head.exec(text) ?? [];
    if (piece === undefined || name === undefined || place.names.has(name) || places >= maxPlaces) return undefined;
    if (place.steps.length >= maxSteps) return undefined;
    if (piece.startsWith('{') !== (place === begin) || (place !== begin && piece.startsWith('"') !== place.isOpen))
      return undefined;
    places += 1;
    const next = { names: new Set([...place.names, name]), isOpen: type !== undefined, steps: [] };
    const step = {
      piece,
      name,
      nameBytes: Buffer.byteLength(name),
      isWanted: wanted.has(name),
      type: type as Step['type'],
      next,
    };
    place.steps.push(step);
    return step;
  };
  return (text, from, to) => {
    const isPlain = !notPlain.test(text);
    if (!isPlain && escaped.test(text)) return undefined;
    const part: Item = {};
    let place = begin;
    let at = from;
    let bytes = 0;
    for (;;) {
      const step = stepAt(place, text, at) ?? (text.startsWith(endOf(place), at) ? undefined : learn(place, text, at));
      if (step === undefined) break;
      at += step.piece.length;
      bytes += step.nameBytes;
      place = step.next;
      if (step.type === undefined) {
        const end = valueEnd(text, at, to);
        const value = end === undefined ? undefined : exactValue(text.slice(at, end));
        if (end === undefined || value === undefined) return undefined;
        bytes += valueBytes(value);
        if (step.isWanted) setAttribute(part, step.name, value);
        at = end;
      } else {
        const end = text.indexOf('"', at);
        if (end === -1) return undefined;
        if (step.type === 'N') bytes += numberBytes(text, at, end);
        else bytes += isPlain ? end - at : Buffer.byteLength(text.slice(at, end));
        if (step.isWanted) setAttribute(part, step.name, { [step.type]: text.slice(at, end) } as AttributeValue);
        at = end;
      }
    }
    const end = endOf(place);
    return place !== begin && text.startsWith(end, at) && at + end.length === to
      ? { text: text.slice(from, to), bytes, part }
      : undefined;
  };
}

function stepAt({ steps }: Place, text: string, at: number): Step | undefined {
  for (const step of steps) if (text.startsWith(step.piece, at)) return step;
  return undefined;
}

function endOf({ isOpen }: Place): string {
  return isOpen ? '"}}' : '}';
}

/** The end of a value that begins with a brace; of a text that holds no escapes. */
function valueEnd(text: string, from: number, to: number): number | undefined {
  let depth = 0;
  for (let at = from; at < to; at += 1) {
    const sign = text[at];
    if (sign === '"') {
      at = text.indexOf('"', at + 1);
      if (at === -1) return undefined;
    } else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth <= 0) return at + 1;
    }
  }
  return undefined;
}

/** The value whose text this is to the letter: one that is printed otherwise had a name twice, or spaces. */
function exactValue(text: string): AttributeValue | undefined {
  try {
    const json: unknown = JSON.parse(text);
    if (JSON.stringify(json) !== text || !adoptValue(json) || isBinary(json as AttributeValue)) return undefined;
    return json as AttributeValue;
  } catch {
    return undefined;
  }
}
