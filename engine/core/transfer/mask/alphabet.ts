import type { Digit } from './permute.ts';

/** Letters and digits change; spaces, punctuation and signs are a value's shape and stay. */
const changing = [/\p{Lu}/u, /\p{Ll}/u, /\p{Lt}|\p{Lm}|\p{Lo}/u, /\p{Nd}/u, /\p{Nl}|\p{No}/u];

/** A letter becomes one of the same kind among its neighbours: small Latin stays small Latin, Hangul stays Hangul. */
const blockSize = 128;

const alphabets = new Map<string, readonly string[]>();

/** The symbols that may stand where this one does; undefined when it stays. */
export function alphabetOf(symbol: string): readonly string[] | undefined {
  const kind = changing.findIndex((pattern) => pattern.test(symbol));
  if (kind === -1) return undefined;
  const block = Math.floor((symbol.codePointAt(0) ?? 0) / blockSize);
  const name = `${kind}:${block}`;
  let found = alphabets.get(name);
  if (found === undefined) {
    const pattern = changing[kind] as RegExp;
    const all = Array.from({ length: blockSize }, (_, at) => String.fromCodePoint(block * blockSize + at));
    found = all.filter((one) => pattern.test(one));
    alphabets.set(name, found);
  }
  return found;
}

/** The places of a text that change, and how to put others in. */
export function changingPlaces(text: string): {
  readonly digits: readonly Digit[];
  readonly fill: (values: readonly number[]) => string;
} {
  const symbols = [...text];
  const places = symbols.flatMap((symbol, at) => {
    const alphabet = alphabetOf(symbol);
    return alphabet === undefined ? [] : [{ at, alphabet, value: alphabet.indexOf(symbol) }];
  });
  return {
    digits: places.map(({ alphabet, value }) => ({ value, radix: alphabet.length })),
    fill: (values) => {
      for (const [index, { at, alphabet }] of places.entries()) symbols[at] = alphabet[values[index] ?? 0] ?? '';
      return symbols.join('');
    },
  };
}
