import { canonicalDecimal, decimalProblem } from '../../../../tables/model/decimal.ts';
import { encodedTexts } from './encoded-texts.ts';
import { type Folded, foldings, foldText } from './fold-text.ts';
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

/** Between the words of a name. Alone they tell of nobody. */
const particles: ReadonlySet<string> = new Set(
  'da de di do du das dos del den der des la las le los el al van von zu e i y'.split(' '),
);
/** Digits of a subscriber's number. */
const localLengths = [9, 8] as const;
/** Texts in texts: a token that holds a document that holds an address. */
const mostDepth = 2;

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
  for (const { kind, original, masked } of values) {
    addParts(kind, original, masked, hash, (part, partMasked, entire, wholeWord) => {
      add(part, partMasked, entire, wholeWord);
      const number = numberOf(part);
      if (number !== undefined && number.length >= leastPartLength && !numbers.has(number)) {
        numbers.set(number, numberFor(kind, number, partMasked, hash));
      }
    });
  }
  return { texts: [...texts.values()].toSorted((a, b) => b.folded.length - a.folded.length), numbers };
}

type Add = (original: string, masked: string, entire: boolean, wholeWord: boolean) => void;

function addParts(kind: MaskKind, original: string, masked: string, hash: KeyedHash, add: Add): void {
  if (kind === 'email' && original.includes('@')) {
    add(original.slice(0, original.lastIndexOf('@')), masked.slice(0, masked.lastIndexOf('@')), false, false);
  }
  if (kind === 'phone') addPhoneParts(original, masked, add);
  if (kind === 'name') {
    const words = original.split(/[^\p{L}\p{M}]+/u).filter((word) => word.length > 1 && !particles.has(word.toLowerCase()));
    if (words.length > 1) for (const word of words) add(word, keyedToken('text', word, hash), false, false);
  }
  // A table calculation takes them off.
  const bare = original.replace(/^[0.\s-]+/, '');
  const isNumber = /^\d/.test(bare) && !/\p{L}/u.test(original) && bare.replaceAll(/\D/g, '').length >= leastPartLength;
  if (bare !== original && isNumber) add(bare, masked.slice(original.length - bare.length), false, true);
}

/** Without the country, and without the area: the last eight and nine digits. */
function addPhoneParts(original: string, masked: string, add: Add): void {
  const code = countryCodeOf(original);
  if (code !== '') add(original.slice(code.length), masked.slice(code.length), false, false);
  const digits = original.replaceAll(/\D/g, '');
  const maskedDigits = masked.replaceAll(/\D/g, '');
  if (/\p{L}/u.test(masked)) return;
  for (const length of localLengths) {
    if (digits.length > length + 1) add(digits.slice(-length), maskedDigits.slice(-length), false, true);
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
  return replaceWithin(text, needles, 0);
}

function replaceWithin(text: string, needles: readonly Needle[], depth: number): string {
  const spans = findSpans(text, needles, depth);
  if (spans.length === 0) return text;
  let out = '';
  let at = 0;
  for (const { start, end, after } of spans.toSorted((a, b) => a.start - b.start)) {
    out += text.slice(at, start) + after();
    at = end;
  }
  return out + text.slice(at);
}

/** Does the text hold one of the values? */
export function holdsValue(text: string, needles: readonly Needle[]): boolean {
  return findSpans(text, needles, 0).length > 0;
}

interface Span {
  readonly start: number;
  readonly end: number;
  /** What takes its place. */
  readonly after: () => string;
}

function findSpans(text: string, needles: readonly Needle[], depth: number): readonly Span[] {
  if (needles.length === 0 || text === '') return [];
  const spans: Span[] = [];
  const isFree = (start: number, end: number): boolean => !spans.some((span) => span.start < end && start < span.end);
  for (const folded of foldings(text)) {
    for (const needle of needles) {
      for (const { start, end } of placesOf(needle, folded)) {
        if (isFree(start, end)) spans.push({ start, end, after: () => spelled(text.slice(start, end), needle) });
      }
    }
  }
  if (depth === mostDepth) return spans;
  const inside = needles.filter(({ folded }) => folded.length >= leastPartLength);
  for (const { start, end, text: inner, encode } of encodedTexts(text)) {
    if (!isFree(start, end) || findSpans(inner, inside, depth + 1).length === 0) continue;
    spans.push({ start, end, after: () => encode(replaceWithin(inner, inside, depth + 1)) });
  }
  return spans;
}

/** Where in the text the value stands. */
function* placesOf(needle: Needle, folded: Folded): Generator<{ readonly start: number; readonly end: number }> {
  const { length } = needle.folded;
  for (let at = folded.text.indexOf(needle.folded); at !== -1; at = folded.text.indexOf(needle.folded, at + 1)) {
    const start = folded.starts[at] ?? 0;
    const end = folded.ends[at + length - 1] ?? 0;
    const isJoined = folded.ends[at - 1] === start || folded.starts[at + length] === end;
    if (!needle.wholeWord || !isJoined) yield { start, end };
  }
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
