import { keyedToken } from './keyed-token.ts';
import { countryCodeOf, type MaskKind } from './mask-value.ts';
import type { KeyedHash } from './permute.ts';

/** A part of a value, or another way to say it, that tells as much as the value. */
export interface ValuePart {
  readonly text: string;
  readonly masked: string;
  /** Told only where it stands alone: fewer digits than a number has, a word of no weight. */
  readonly wholeWord: boolean;
  /** Not told in groups of three behind dots (`12.345.678`): so amounts and registers are written, and no phone. */
  readonly neverGrouped?: boolean;
}

/** Between the words of a name. Alone they tell of nobody. */
const particles: ReadonlySet<string> = new Set(
  'da de di do du das dos del den der des la las le los el al van von zu e i y'.split(' '),
);
/** Digits of a subscriber's number in Brazil; elsewhere it may have one less. */
const localLengths = { brazil: [9, 8], elsewhere: [9, 8, 7] } as const;
/** With the area: told also inside other digits. */
const nationalLengths = [11, 10] as const;
/** What stands before the check digits tells them; the first eight of a CNPJ are the company. */
const registeredLengths: Partial<Record<MaskKind, readonly number[]>> = { cpf: [9], cnpj: [12, 8] };
/** Fewer digits are no number of anybody. */
const leastDigits = 5;

/** The parts of a value that are looked for besides the whole. */
export function partsOf(kind: MaskKind, original: string, masked: string, hash: KeyedHash): readonly ValuePart[] {
  const parts = bareNumber(original, masked);
  if (kind === 'email') return [...parts, ...partsOfEmail(original, masked)];
  if (kind === 'phone') return [...parts, ...partsOfPhone(original, masked)];
  if (kind === 'name') return [...parts, ...wordsOfName(original, hash)];
  return [...parts, ...registered(registeredLengths[kind] ?? [], original, masked)];
}

/** The local part, also without what stands behind a plus, which only sorts the mail. */
function partsOfEmail(original: string, masked: string): readonly ValuePart[] {
  if (!original.includes('@')) return [];
  const local = original.slice(0, original.lastIndexOf('@'));
  const plain = local.replace(/\+.*$/s, '');
  const maskedLocal = masked.slice(0, masked.lastIndexOf('@'));
  return [...new Set([local, plain])].map((text) => ({ text, masked: maskedLocal, wholeWord: false }));
}

/** `da Silva` is Silva too. */
function wordsOfName(original: string, hash: KeyedHash): readonly ValuePart[] {
  const words = original.split(/[^\p{L}\p{M}]+/u).filter((word) => word.length > 1 && !particles.has(word.toLowerCase()));
  return words
    .filter((word) => word !== original)
    .map((text) => ({ text, masked: keyedToken('text', text, hash), wholeWord: false }));
}

/** Without the country, and without the area. */
function partsOfPhone(original: string, masked: string): readonly ValuePart[] {
  const code = countryCodeOf(original);
  const without = code === '' ? [] : [{ text: original.slice(code.length), masked: masked.slice(code.length), wholeWord: false }];
  if (/\p{L}/u.test(masked)) return without;
  const [digits, maskedDigits] = [original, masked].map((text) => text.replaceAll(/\D/g, '')) as [string, string];
  const last = (length: number, isLocal: boolean): readonly ValuePart[] =>
    digits.length > length
      ? [{ text: digits.slice(-length), masked: maskedDigits.slice(-length), wholeWord: isLocal, neverGrouped: isLocal }]
      : [];
  const isForeign = code !== '' && !code.endsWith('55');
  return [
    ...without,
    ...nationalLengths.flatMap((length) => last(length, false)),
    ...localLengths[isForeign ? 'elsewhere' : 'brazil'].flatMap((length) => last(length, true)),
  ];
}

function registered(lengths: readonly number[], original: string, masked: string): readonly ValuePart[] {
  const [symbols, maskedSymbols] = [original, masked].map((text) => text.replaceAll(/[^0-9A-Za-z]/g, '')) as [string, string];
  const isKept = symbols.length === maskedSymbols.length;
  return lengths
    .filter((length) => isKept && symbols.length > length)
    .map((length) => ({ text: symbols.slice(0, length), masked: maskedSymbols.slice(0, length), wholeWord: true }));
}

/** A number without its leading noughts: a table calculation takes them off. */
function bareNumber(original: string, masked: string): readonly ValuePart[] {
  const bare = original.replace(/^[0.\s-]+/, '');
  const isNumber = /^\d/.test(bare) && !/\p{L}/u.test(original) && bare.replaceAll(/\D/g, '').length >= leastDigits;
  if (bare === original || !isNumber) return [];
  return [{ text: bare, masked: masked.slice(original.length - bare.length), wholeWord: true }];
}
