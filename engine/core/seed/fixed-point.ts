import { canonicalDecimal } from '../../../tables/model/decimal.ts';

/** A decimal as whole units of 10^-scale: sums and products are exact, no float is involved. */
export function decimalText(units: bigint, scale: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale);
  return canonicalDecimal(scale === 0 ? `${sign}${whole}` : `${sign}${whole}.${fraction}`);
}

/** The units of a decimal at a scale; undefined when it has more digits than the scale keeps. */
export function decimalUnits(text: string, scale: number): bigint | undefined {
  const found = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (found === null) return undefined;
  const [, sign = '', whole = '', fraction = ''] = found;
  if (fraction.length > scale) return undefined;
  return BigInt(`${sign}${whole}${fraction.padEnd(scale, '0')}`);
}

/** The nearest whole quotient, halves away from zero. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const negative = dividend < 0n !== divisor < 0n;
  const a = dividend < 0n ? -dividend : dividend;
  const b = divisor < 0n ? -divisor : divisor;
  const quotient = (2n * a + b) / (2n * b);
  return negative ? -quotient : quotient;
}
