import { canonicalDecimal } from '../../../../tables/model/decimal.ts';
import { changingPlaces } from './alphabet.ts';
import { checkDigits, cnpjWeights, cpfWeights } from './check-digits.ts';
import { keyedDigits, keyedToken } from './keyed-token.ts';
import { shiftDate, shiftedBy } from './mask-date.ts';
import { type KeyedHash, permute, sizeOf } from './permute.ts';

/** How a value is masked; the same kind and value give the same result everywhere. `keep` leaves it, `remove` takes the attribute out. */
export const maskKinds = ['text', 'name', 'email', 'cpf', 'cnpj', 'phone', 'digits', 'date', 'remove', 'keep'] as const;
export type MaskKind = (typeof maskKinds)[number];

/** Below this a permutation is a code book: whoever sees most of the masked values knows most of the others. */
export const leastPermuted = 1_000_000n;

/** The ending is reserved (RFC 2606), so that no mail to a masked address reaches anybody. */
const safeEnding = '.example';
const domainLength = 12;

/** Whose dates are moved together; undefined where the record does not say. */
export type Subject = string | undefined;

/** The masked text. */
export function maskText(kind: MaskKind, text: string, hash: KeyedHash, subject?: Subject): string {
  switch (kind) {
    case 'keep':
      return text;
    case 'cpf':
      return withCheckDigits('cpf', text, cpfWeights, hash);
    case 'cnpj':
      return withCheckDigits('cnpj', text, cnpjWeights, hash);
    case 'email':
      return maskEmail(text, hash);
    case 'phone':
      return maskPhone(text, hash);
    case 'digits':
      return permuted('digits', text, hash);
    case 'date':
      return shiftDate(text, shiftedBy(subject ?? '', hash)) ?? keyedToken('text', text, hash);
    default:
      // `name` and `text` are one, so that a name in a free text and in its own attribute agree.
      return keyedToken('text', text, hash);
  }
}

/** The masked number: one that DynamoDB takes, of as many digits where the format is kept. */
export function maskNumber(kind: MaskKind, text: string, hash: KeyedHash, subject?: Subject): string {
  const plain = canonicalDecimal(text);
  if (kind === 'keep') return text;
  if (kind === 'date') return shiftDate(plain, shiftedBy(subject ?? '', hash)) ?? keyedDigits('number', plain, hash);
  const whole = /^\d+$/.test(plain);
  if (whole && kind === 'cpf' && plain.length <= 11) return number(maskText(kind, plain.padStart(11, '0'), hash));
  if (whole && kind === 'cnpj' && plain.length <= 14) return number(maskText(kind, plain.padStart(14, '0'), hash));
  if (whole && kind === 'phone') return number(maskText(kind, plain, hash));
  if (kind !== 'digits') return keyedDigits('number', plain, hash);
  if (/e/i.test(plain)) return keyedDigits('number', plain, hash);
  const [sign = '', first = '', rest = ''] = /^(-?)(\d)(.*)$/.exec(plain)?.slice(1) ?? [];
  const places = [...rest].filter((symbol) => symbol !== '.').map((digit) => ({ value: Number(digit), radix: 10 }));
  // The first one stays no zero, or two numbers could become one.
  const head = first === '0' ? [] : [{ value: Number(first) - 1, radix: 9 }];
  if (sizeOf([...head, ...places]) < leastPermuted) return keyedDigits('number', plain, hash);
  const mixed = permute([...head, ...places], 'number', hash);
  const symbols = head.length === 0 ? [0, ...mixed] : [(mixed[0] ?? 0) + 1, ...mixed.slice(1)];
  let at = 0;
  return canonicalDecimal(sign + (first + rest).replaceAll(/\d/g, () => String(symbols[at++])));
}

const number = (digits: string): string => canonicalDecimal(digits.replace(/^0+(?=\d)/, ''));

/** Letters to letters of their kind, digits to digits; short ones become a number of fixed length. */
function permuted(tweak: string, text: string, hash: KeyedHash): string {
  const { digits, fill } = changingPlaces(text);
  if (sizeOf(digits) < leastPermuted) return keyedDigits(tweak, text, hash);
  return fill(permute(digits, tweak, hash));
}

/**
 * Numbers with check digits stay right ones: the symbols before them are permuted and the check digits computed. Numbers
 * whose check digits are wrong (test data) are permuted among their like, so that never two become one.
 */
function withCheckDigits(kind: string, text: string, weights: readonly (readonly number[])[], hash: KeyedHash): string {
  const symbols = text.replaceAll(/[^0-9A-Za-z]/g, '');
  const length = weights[0]?.length ?? 0;
  const form = kind === 'cnpj' ? /^[0-9A-Z]{12}\d\d$/ : /^\d{11}$/;
  if (!form.test(symbols)) {
    // A CNPJ's letters are capitals; one that is written small has the mask of the same one, written small.
    const upper = text.toUpperCase();
    const isSmall = form.test(symbols.toUpperCase()) && upper.toLowerCase() === text;
    return isSmall ? withCheckDigits(kind, upper, weights, hash).toLowerCase() : keyedToken('text', text, hash);
  }
  const right = (all: string): boolean => checkDigits(all.slice(0, length), weights) === all.slice(length);
  if (right(symbols)) {
    const { digits, fill } = changingPlaces(symbols.slice(0, length));
    const mixed = fill(permute(digits, `${kind}|right`, hash));
    return refill(text, mixed + checkDigits(mixed, weights));
  }
  const step = (all: string): string => {
    const { digits, fill } = changingPlaces(all);
    return fill(permute(digits, `${kind}|wrong`, hash));
  };
  let mixed = step(symbols);
  // Walking on along the permutation's own cycle keeps it a permutation of the wrong ones.
  while (right(mixed)) mixed = step(mixed);
  return refill(text, mixed);
}

function refill(text: string, symbols: string): string {
  let at = 0;
  return text.replaceAll(/[0-9A-Za-z]/g, () => symbols[at++] ?? '');
}

function maskEmail(text: string, hash: KeyedHash): string {
  const at = text.lastIndexOf('@');
  if (at === -1) return keyedToken('text', text, hash);
  // One provider stays one provider, by another name.
  const domain = keyedToken('email-domain', text.slice(at + 1).toLowerCase(), hash).slice(0, domainLength);
  return `${keyedToken('email', text.slice(0, at), hash)}@${domain}${safeEnding}`;
}

/** The country code is no personal data and tells what the rest must look like. */
export function countryCodeOf(phone: string): string {
  return /^\+(?:55|\d{1,3}(?=[\s(.-]))/.exec(phone)?.[0] ?? '';
}

function maskPhone(text: string, hash: KeyedHash): string {
  const code = countryCodeOf(text);
  return code + permuted('phone', text.slice(code.length), hash);
}
