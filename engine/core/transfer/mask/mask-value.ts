import { changingPlaces } from './alphabet.ts';
import { checkDigits, cnpjWeights, cpfWeights } from './check-digits.ts';
import { type KeyedHash, permute } from './permute.ts';

/** How a value is masked. All keep its shape; the same kind and value give the same result everywhere. */
export const maskKinds = ['text', 'name', 'cpf', 'cnpj', 'email', 'phone', 'digits', 'remove'] as const;
export type MaskKind = (typeof maskKinds)[number];

/** The masked text; undefined when the attribute is to go. */
export function maskText(kind: MaskKind, text: string, hash: KeyedHash): string | undefined {
  switch (kind) {
    case 'remove':
      return undefined;
    case 'cpf':
      return withCheckDigits('cpf', text, cpfWeights, hash);
    case 'cnpj':
      return withCheckDigits('cnpj', text, cnpjWeights, hash);
    case 'email':
      return maskEmail(text, hash);
    case 'phone':
      return maskPhone(text, hash);
    default:
      // `name` and `text` are one permutation, so that a name in a free text and in its own attribute agree.
      return shuffled('text', text, hash);
  }
}

function shuffled(tweak: string, text: string, hash: KeyedHash): string {
  const { digits, fill } = changingPlaces(text);
  return fill(permute(digits, tweak, hash));
}

/**
 * Numbers with check digits stay right ones: the digits before them are permuted and the check digits computed. Numbers
 * whose check digits are wrong (test data) are permuted among their like, so that never two become one.
 */
function withCheckDigits(kind: string, text: string, weights: readonly (readonly number[])[], hash: KeyedHash): string {
  const digits = [...text].filter((symbol) => /\d/.test(symbol)).map(Number);
  const length = (weights[0]?.length ?? 0) + weights.length;
  if (digits.length !== length || /\p{L}/u.test(text)) return shuffled(kind, text, hash);
  const base = digits.slice(0, -weights.length);
  if (isRight(digits, weights)) {
    const mixed = permute(asDecimal(base), `${kind}|right`, hash);
    return refill(text, [...mixed, ...checkDigits(mixed, weights)]);
  }
  let mixed = permute(asDecimal(digits), `${kind}|wrong`, hash);
  // Walking on along the permutation's own cycle keeps it a permutation of the wrong ones.
  while (isRight(mixed, weights)) mixed = permute(asDecimal(mixed), `${kind}|wrong`, hash);
  return refill(text, mixed);
}

function isRight(digits: readonly number[], weights: readonly (readonly number[])[]): boolean {
  const base = digits.slice(0, -weights.length);
  return checkDigits(base, weights).join() === digits.slice(-weights.length).join();
}

const asDecimal = (digits: readonly number[]) => digits.map((value) => ({ value, radix: 10 }));

function refill(text: string, digits: readonly number[]): string {
  let at = 0;
  return text.replaceAll(/\d/g, () => {
    at += 1;
    return String(digits[at - 1]);
  });
}

/** The ending is reserved (RFC 2606), so that no mail to a masked address reaches anybody. */
const safeEnding = '.example';

function maskEmail(text: string, hash: KeyedHash): string {
  const at = text.lastIndexOf('@');
  if (at === -1) return shuffled('text', text, hash);
  // One provider stays one provider, by another name.
  const local = shuffled('email', text.slice(0, at), hash);
  return `${local}@${shuffled('email-domain', text.slice(at + 1), hash)}${safeEnding}`;
}

/** The country code is no personal data and tells what the rest must look like. */
function maskPhone(text: string, hash: KeyedHash): string {
  const [code = ''] = /^\+\d{1,3}(?=[\s(.-])/.exec(text) ?? [];
  return code + shuffled('phone', text.slice(code.length), hash);
}
