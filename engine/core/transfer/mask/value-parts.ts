import { keyedToken } from './keyed-token.ts';
import { dayOf } from './mask-date.ts';
import { countryCodeOf, type MaskKind, maskText } from './mask-value.ts';
import type { KeyedHash } from './permute.ts';

/** A part of a value, or another way to say it, that tells as much as the value. */
export interface ValuePart {
  readonly text: string;
  readonly masked: string;
  /** Told only where it stands alone: fewer digits than a number has, a word of no weight. */
  readonly wholeWord: boolean;
  /** Told only where no further digit stands beside it. */
  readonly wholeNumber?: boolean;
  /** Whether it is refused in what may not change; by its length when left out. */
  readonly telling?: boolean;
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
  if (kind === 'date') return spellingsOfDay(original, masked);
  const parts = [...bareNumber(original, masked), ...addressesIn(kind, original, hash)];
  if (kind === 'phone') return [...parts, ...partsOfPhone(original, masked)];
  if (kind === 'name') return [...parts, ...wordsOfName(original, hash)];
  return [...parts, ...registered(registeredLengths[kind] ?? [], original, masked)];
}

const address = /[^\s<>()[\],;:"']+@[^\s<>()[\],;:"']+/g;

/**
 * E-mail addresses, whatever the rule takes the value for: one, several, or with a name before them. Each as a whole, its local part, also
 * without what stands behind a plus, which only sorts the mail, and its domain, which may be somebody's own.
 */
function addressesIn(kind: MaskKind, original: string, hash: KeyedHash): readonly ValuePart[] {
  return [...original.matchAll(address)].flatMap(([text]) => {
    const masked = kind === 'email' || text !== original ? maskText('email', text, hash) : keyedToken('text', text, hash);
    const [at, maskedAt] = [text.lastIndexOf('@'), masked.lastIndexOf('@')];
    const local = text.slice(0, at);
    const maskedLocal = maskedAt === -1 ? keyedToken('text', local, hash) : masked.slice(0, maskedAt);
    const locals = [...new Set([local, local.replace(/\+.*$/s, '')])];
    const domain = maskText('email', text, hash).split('@').at(-1) ?? '';
    return [
      { text, masked, wholeWord: false },
      ...locals.map((one) => ({ text: one, masked: maskedLocal, wholeWord: false })),
      { text: text.slice(at + 1), masked: domain, wholeWord: false, telling: false },
    ];
  });
}

/** The day in both orders, without its time. */
function spellingsOfDay(original: string, masked: string): readonly ValuePart[] {
  const [before, after] = [dayOf(original), dayOf(masked)];
  if (before === undefined || after === undefined) return [];
  const spellings = [(day: readonly string[]) => day.join('-'), (day: readonly string[]) => day.toReversed().join('/')];
  const options = { wholeWord: false, wholeNumber: true, telling: false };
  return spellings.map((spell) => ({ text: spell(before), masked: spell(after), ...options }));
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
    ...(isForeign ? [] : otherGeneration(digits, maskedDigits)),
    ...nationalLengths.flatMap((length) => last(length, false)),
    ...localLengths[isForeign ? 'elsewhere' : 'brazil'].flatMap((length) => last(length, true)),
  ];
}

/** Mobile numbers of Brazil got a nine before them between 2012 and 2016: what was written before has none, and some messengers' ids still have none. */
function otherGeneration(digits: string, masked: string): readonly ValuePart[] {
  const [, country = '', area = '', nine = '', local = ''] = /^((?:00)?55|0?)(\d\d)(9?)([6-9]\d{7})$/.exec(digits) ?? [];
  if (local === '') return [];
  const at = country.length;
  const other = nine === '' ? '9' : '';
  const [maskedArea, maskedLocal] = [masked.slice(at, at + 2), masked.slice(-local.length)];
  const whole = { text: area + other + local, masked: maskedArea + other + maskedLocal, wholeWord: false };
  if (other === '') return [whole];
  return [whole, { text: other + local, masked: other + maskedLocal, wholeWord: true, neverGrouped: true }];
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
