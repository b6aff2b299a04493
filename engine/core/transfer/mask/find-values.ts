import { canonicalDecimal, decimalProblem } from '../../../../tables/model/decimal.ts';
import { foldText } from './fold-text.ts';
import { keyedDigits, keyedToken } from './keyed-token.ts';
import { countryCodeOf, type MaskKind, maskNumber, maskText } from './mask-value.ts';
import type { KeyedHash } from './permute.ts';

/** Shorter values stand in many words; they are replaced as whole words only. */
export const leastPartLength = 5;

/** A value that is to be found, and what takes its place. */
export interface Needle {
  readonly original: string;
  readonly folded: string;
  readonly masked: string;
  readonly wholeWord: boolean;
  /** The whole value of a rule, not a part of it such as one word of a name. */
  readonly entire: boolean;
}

export interface Needles {
  /** Longest first. */
  readonly texts: readonly Needle[];
  /** By the canonical number that has the same digits. */
  readonly numbers: ReadonlyMap<string, string>;
}

/** A value that a rule has found, masked already. */
export interface FoundValue {
  readonly kind: MaskKind;
  readonly original: string;
  readonly masked: string;
}

/** What to look for in a record because of the values that its rules found. */
export function needlesOf(values: readonly FoundValue[], hash: KeyedHash): Needles {
  const texts = new Map<string, Needle>();
  const numbers = new Map<string, string>();
  const add = (original: string, masked: string, entire: boolean, wholeWord: boolean): void => {
    const { text: folded } = foldText(original);
    if (folded === '' || texts.get(folded)?.entire === true) return;
    texts.set(folded, { original, folded, masked, entire, wholeWord: wholeWord || folded.length < leastPartLength });
  };
  for (const { kind, original, masked } of values) {
    add(original, masked, true, false);
    const number = numberOf(original);
    if (number !== undefined) numbers.set(number, numberFor(kind, number, masked, hash));
  }
  for (const { kind, original, masked } of values) addParts(kind, original, masked, hash, add);
  return { texts: [...texts.values()].toSorted((a, b) => b.folded.length - a.folded.length), numbers };
}

type Add = (original: string, masked: string, entire: boolean, wholeWord: boolean) => void;

function addParts(kind: MaskKind, original: string, masked: string, hash: KeyedHash, add: Add): void {
  if (kind === 'email' && original.includes('@')) {
    add(original.slice(0, original.lastIndexOf('@')), masked.slice(0, masked.lastIndexOf('@')), false, false);
  }
  if (kind === 'phone') {
    const code = countryCodeOf(original);
    if (code !== '') add(original.slice(code.length), masked.slice(code.length), false, false);
  }
  if (kind === 'name') {
    // Shorter words of a name are particles: de, da, e.
    const words = original.split(/[^\p{L}\p{M}]+/u).filter((word) => word.length > 2);
    if (words.length > 1) for (const word of words) add(word, keyedToken('text', word, hash), false, true);
  }
}

/** A value of digits, however it is punctuated, as the number that tells the same. */
function numberOf(original: string): string | undefined {
  if (!/\d/.test(original) || /\p{L}/u.test(original)) return undefined;
  if (decimalProblem(original) === undefined) return canonicalDecimal(original);
  const digits = original.replaceAll(/\D/g, '');
  return decimalProblem(digits) === undefined ? canonicalDecimal(digits) : undefined;
}

function numberFor(kind: MaskKind, number: string, masked: string, hash: KeyedHash): string {
  const digits = masked.replaceAll(/\D/g, '');
  if (!/\p{L}/u.test(masked) && digits !== '' && decimalProblem(digits) === undefined) {
    return decimalProblem(masked) === undefined ? canonicalDecimal(masked) : canonicalDecimal(digits);
  }
  return kind === 'remove' ? keyedDigits('number', number, hash) : maskNumber(kind, number, hash);
}

/** The text with every value replaced, in one go from left to right. */
export function replaceTexts(text: string, needles: readonly Needle[]): string {
  const spans = findSpans(text, needles);
  if (spans.length === 0) return text;
  let out = '';
  let at = 0;
  for (const { start, end, needle } of spans.toSorted((a, b) => a.start - b.start)) {
    out += text.slice(at, start) + spelled(text.slice(start, end), needle);
    at = end;
  }
  return out + text.slice(at);
}

/** Does the text hold one of the values? */
export function holdsValue(text: string, needles: readonly Needle[]): boolean {
  return findSpans(text, needles).length > 0;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly needle: Needle;
}

function findSpans(text: string, needles: readonly Needle[]): readonly Span[] {
  if (needles.length === 0 || text === '') return [];
  const folded = foldText(text);
  const spans: Span[] = [];
  for (const needle of needles) {
    const { length } = needle.folded;
    for (let at = folded.text.indexOf(needle.folded); at !== -1; at = folded.text.indexOf(needle.folded, at + 1)) {
      const start = folded.starts[at] ?? 0;
      const end = folded.ends[at + length - 1] ?? 0;
      const joined = folded.ends[at - 1] === start || folded.starts[at + length] === end;
      if (needle.wholeWord && joined) continue;
      if (spans.some((span) => span.start < end && start < span.end)) continue;
      spans.push({ start, end, needle });
    }
  }
  return spans;
}

const punctuation = /[^\p{L}\p{N}]+/gu;

/** The mask in the spelling in which the value was found. */
function spelled(found: string, { original, masked }: Needle): string {
  if (found === original) return masked;
  const isEncoded = /%[0-9a-f]{2}/i.test(found);
  const plain = found.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  const bare = plain.search(punctuation) === -1 && original.search(punctuation) !== -1;
  const shown = bare ? masked.replaceAll(punctuation, '') : masked;
  const isUpper = /\p{Lu}/u.test(plain) && !/\p{Ll}/u.test(plain) && /\p{Ll}/u.test(original);
  const cased = isUpper ? shown.toUpperCase() : shown;
  return isEncoded ? encodeURIComponent(cased) : cased;
}

/** The mask of a value that is wanted whole: by its kind, or what its copies become where the attribute itself goes. */
export function foundText(kind: MaskKind, original: string, hash: KeyedHash, subject: string | undefined): FoundValue {
  return { kind, original, masked: maskText(kind === 'remove' ? 'text' : kind, original, hash, subject) };
}
