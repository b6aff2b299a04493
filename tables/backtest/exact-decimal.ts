import { canonicalDecimal, compareDecimals } from '../model/decimal.ts';

/** A decimal as whole units of 10^-scale. */
interface Scaled {
  readonly units: bigint;
  readonly scale: number;
}

/** Means are rounded to this many digits after the point, halves away from zero; sums are not rounded at all. */
export const meanDigits = 8;

/** The sum divided by the count, rounded to `meanDigits`. */
export function meanOf(sum: string, count: number): string {
  const { units, scale } = parse(sum);
  const wanted = Math.max(scale, meanDigits) + 1;
  const numerator = units * 10n ** BigInt(wanted - scale);
  return print(rounded({ units: numerator / BigInt(count), scale: wanted }, meanDigits));
}

export function leastOf(a: string, b: string): string {
  return compareDecimals(a, b) <= 0 ? a : b;
}

export function greatestOf(a: string, b: string): string {
  return compareDecimals(a, b) >= 0 ? a : b;
}

function parse(text: string): Scaled {
  const [, sign = '', whole = '', fraction = '', power = '0'] = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const units = BigInt(`${whole}${fraction}` || '0') * (sign === '-' ? -1n : 1n);
  const scale = fraction.length - Number(power);
  return scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale };
}

function rounded({ units, scale }: Scaled, digits: number): Scaled {
  if (scale <= digits) return { units, scale };
  const step = 10n ** BigInt(scale - digits);
  const half = units < 0n ? -(step / 2n) : step / 2n;
  return { units: (units + half) / step, scale: digits };
}

function print({ units, scale }: Scaled): string {
  return canonicalDecimal(`${units}E-${scale}`);
}
