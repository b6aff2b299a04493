/**
 * Exact decimal arithmetic on DynamoDB's number strings, by their digits; nothing passes through a float.
 * Limits: 38 significant digits, magnitude 1E-130 to 9.9…9E+125
 * (DynamoDB Developer Guide, "Data types: Number").
 */
export const maxSignificantDigits = 38;
export const maxExponent = 125;
export const minExponent = -130;

interface Parts {
  readonly negative: boolean;
  /** Significant digits without leading or trailing zeros; empty for zero. */
  readonly digits: string;
  /** The power of ten of the first digit: 123.4 has 2. */
  readonly exponent: number;
}

const syntax = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

function parse(text: string): Parts | undefined {
  const found = syntax.exec(text);
  if (!found) return undefined;
  const [, sign, whole = '', fraction = '', power = '0'] = found;
  if (whole.length + fraction.length === 0) return undefined;
  const all = whole + fraction;
  const leading = /^0*/.exec(all)?.[0].length ?? 0;
  const digits = all.slice(leading).replace(/0+$/, '');
  if (digits === '') return { negative: false, digits: '', exponent: 0 };
  return { negative: sign === '-', digits, exponent: whole.length - leading - 1 + Number(power) };
}

function print({ negative, digits, exponent }: Parts): string {
  if (digits === '') return '0';
  const sign = negative ? '-' : '';
  if (exponent >= maxSignificantDigits || exponent < -maxSignificantDigits) {
    const rest = digits.slice(1);
    return `${sign}${digits[0]}${rest === '' ? '' : `.${rest}`}E${exponent < 0 ? '' : '+'}${exponent}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Why a text is no number that DynamoDB can hold, or undefined when it is one. */
export function decimalProblem(text: string): string | undefined {
  const parts = parse(text);
  if (!parts) return 'not a decimal number';
  if (parts.digits.length > maxSignificantDigits) {
    return `${parts.digits.length} significant digits, at most ${maxSignificantDigits} are kept`;
  }
  if (parts.digits !== '' && (parts.exponent > maxExponent || parts.exponent < minExponent)) {
    return `magnitude 1E${parts.exponent}, outside 1E${minExponent} to 9.9E+${maxExponent}`;
  }
  return undefined;
}

function parseOrThrow(text: string): Parts {
  const parts = parse(text);
  if (!parts) throw new RangeError(`not a decimal number: ${JSON.stringify(text)}`);
  return parts;
}

/** The one spelling of a number: equal numbers have equal canonical texts. */
export function canonicalDecimal(text: string): string {
  return print(parseOrThrow(text));
}

/**
 * What a number takes of a key's length: a byte for each pair of digits beside the point, one for the exponent, one for a minus.
 * The Developer Guide only says "approximately"; these are the sizes that Amazon's engine names when it refuses a key.
 */
export function decimalKeyBytes(text: string): number {
  const { negative, digits, exponent } = parseOrThrow(text);
  const beforeFirstPair = digits !== '' && exponent % 2 === 0 ? 1 : 0;
  return Math.ceil((digits.length + beforeFirstPair) / 2) + 1 + (negative ? 1 : 0);
}

export function negateDecimal(text: string): string {
  const parts = parseOrThrow(text);
  return print({ ...parts, negative: !parts.negative });
}

/** The exact sum, however many digits it takes; `decimalProblem` says whether DynamoDB can hold it. */
export function addDecimals(a: string, b: string): string {
  const left = unitsOf(parseOrThrow(a));
  const right = unitsOf(parseOrThrow(b));
  const power = Math.min(left.power, right.power);
  const at = ({ units, power: own }: typeof left): bigint => units * 10n ** BigInt(own - power);
  return canonicalDecimal(`${at(left) + at(right)}E${power}`);
}

/** Whole units of a power of ten. */
function unitsOf({ negative, digits, exponent }: Parts): { readonly units: bigint; readonly power: number } {
  const units = BigInt(digits || '0');
  return { units: negative ? -units : units, power: exponent - Math.max(0, digits.length - 1) };
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: string, b: string): number {
  const left = parseOrThrow(a);
  const right = parseOrThrow(b);
  const leftSign = signOf(left);
  const rightSign = signOf(right);
  if (leftSign !== rightSign || leftSign === 0) return leftSign - rightSign;
  return leftSign * compareMagnitudes(left, right);
}

function signOf(parts: Parts): number {
  if (parts.digits === '') return 0;
  return parts.negative ? -1 : 1;
}

function compareMagnitudes(left: Parts, right: Parts): number {
  if (left.exponent !== right.exponent) return left.exponent - right.exponent;
  const width = Math.max(left.digits.length, right.digits.length);
  const a = left.digits.padEnd(width, '0');
  const b = right.digits.padEnd(width, '0');
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
