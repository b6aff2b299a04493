import { canonicalDecimal, decimalProblem } from '../../../../tables/model/decimal.ts';
import { type Folded, foldText } from './fold-text.ts';
import { keyedDigits } from './keyed-token.ts';
import { type MaskKind, maskNumber, maskText } from './mask-value.ts';
import type { KeyedHash } from './permute.ts';
import { partsOf } from './value-parts.ts';

/** Shorter values stand in many words; they are replaced as whole words only. */
export const leastPartLength = 5;

/** A value that is to be found, and what takes its place. */
export interface Needle {
  readonly original: string;
  readonly folded: string;
  readonly masked: string;
  readonly wholeWord: boolean;
  /** No digit stands right before or behind it: days are looked for so, with letters of a time or an id around them. */
  readonly wholeNumber: boolean;
  /** Places behind which the original itself has something between two symbols. */
  readonly gaps: ReadonlySet<number>;
  /** Tells of somebody wherever it stands, so it is refused in what may not change. A part of a few letters does not. */
  readonly telling: boolean;
  /** Is no copy where it is grouped as amounts and registers are. */
  readonly neverGrouped: boolean;
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

/** The mask of a value that is wanted whole: by its kind, or what its copies become where the attribute itself goes. */
export function foundText(kind: MaskKind, original: string, hash: KeyedHash, subject: string | undefined): FoundValue {
  return { kind, original, masked: maskText(kind === 'remove' ? 'text' : kind, original, hash, subject) };
}

type NeedleOptions = Pick<Needle, 'telling'> & Partial<Pick<Needle, 'wholeWord' | 'wholeNumber' | 'neverGrouped'>>;

/** Scripts that put nothing between words: there no value stands alone. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]/u;

/** What to look for in a record because of the values that its rules found. */
export function needlesOf(values: readonly FoundValue[], hash: KeyedHash): Needles {
  const texts = new Map<string, Needle>();
  const numbers = new Map<string, string>();
  const add = (text: string, masked: string, options: NeedleOptions): void => {
    for (const original of new Set([text, misread(text)])) {
      const folding = foldText(original);
      const { text: folded } = folding;
      if (folded === '' || texts.has(folded)) continue;
      const isShort = folded.length < leastPartLength && !unspaced.test(original);
      const wholeWord = options.wholeWord === true || isShort;
      const { telling, wholeNumber = false, neverGrouped = false } = options;
      texts.set(folded, { original, folded, masked, wholeWord, wholeNumber, gaps: gapsOf(folding), telling, neverGrouped });
    }
  };
  for (const { kind, original, masked } of values) {
    // A day tells of nobody by itself, and ids are made of days; a number may be of any other day.
    const isDay = kind === 'date';
    add(original, masked, { telling: !isDay, wholeNumber: isDay });
    const number = isDay ? undefined : numberOf(original);
    if (number !== undefined) numbers.set(number, numberFor(kind, number, masked, hash));
  }
  for (const { kind, original, masked } of values) {
    for (const part of partsOf(kind, original, masked, hash)) {
      const { telling = foldText(part.text).text.length >= leastPartLength } = part;
      add(part.text, part.masked, { ...part, telling });
      const number = kind === 'date' ? undefined : numberOf(part.text);
      if (number !== undefined && number.length >= leastPartLength && !numbers.has(number)) {
        numbers.set(number, numberFor(kind, number, part.masked, hash));
      }
    }
  }
  return { texts: [...texts.values()].toSorted((a, b) => b.folded.length - a.folded.length), numbers };
}

/** `JosÃ©`: bytes of UTF-8 that were once read as Latin-1. */
function misread(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Of each two neighbours that something stands between, the first. */
export function gapsOf({ starts, ends, text }: Folded): ReadonlySet<number> {
  const found = new Set<number>();
  for (let at = 0; at + 1 < text.length; at += 1) if ((starts[at + 1] ?? 0) > (ends[at] ?? 0)) found.add(at);
  return found;
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
