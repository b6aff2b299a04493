import { expect } from 'chai';
import fc from 'fast-check';
import {
  addDecimals,
  canonicalDecimal,
  compareDecimals,
  decimalKeyBytes,
  decimalProblem,
  negateDecimal,
} from '../../tables/model/decimal.ts';

/** Any number DynamoDB can hold, in some spelling of it. */
const decimalText = fc
  .record({
    negative: fc.boolean(),
    digits: fc.stringMatching(/^\d{1,38}$/),
    shift: fc.integer({ min: -60, max: 60 }),
    zeros: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ negative, digits, shift, zeros }) => `${negative ? '-' : ''}${'0'.repeat(zeros)}${digits}E${shift}`);

/** The exact value, as an integer over a power of ten big enough for all of the above. */
function exact(text: string): bigint {
  const [mantissa = '', power = '0'] = text.toUpperCase().split('E');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const value = BigInt(whole + fraction || '0') * 10n ** BigInt(120 + Number(power) - fraction.length);
  return mantissa.startsWith('-') ? -value : value;
}

describe('decimals', () => {
  it('keep their exact value in canonical form', () => {
    fc.assert(
      fc.property(decimalText, (text) => {
        expect(exact(canonicalDecimal(text))).to.equal(exact(text));
      }),
    );
  });

  it('take as much of a key’s length as Amazon’s engine says', () => {
    const sizes = { 0: 1, 1: 2, 12: 2, 123: 3, '1.5': 3, '-2': 3, '-2.5': 4, '-12345': 5, '0.001': 2, '1e20': 2, '1e-100': 2 };
    for (const [text, bytes] of Object.entries(sizes)) expect(decimalKeyBytes(text), text).to.equal(bytes);
    expect(decimalKeyBytes('9'.repeat(38))).to.equal(20);
  });

  it('have one canonical form per value', () => {
    fc.assert(
      fc.property(decimalText, decimalText, (a, b) => {
        expect(canonicalDecimal(a) === canonicalDecimal(b)).to.equal(exact(a) === exact(b));
      }),
    );
  });

  it('negate exactly, and twice is nothing', () => {
    fc.assert(
      fc.property(decimalText, (text) => {
        expect(exact(negateDecimal(text))).to.equal(-exact(text));
        expect(negateDecimal(negateDecimal(text))).to.equal(canonicalDecimal(text));
      }),
    );
  });

  it('add exactly, whatever their size', () => {
    fc.assert(
      fc.property(decimalText, decimalText, (a, b) => {
        expect(exact(addDecimals(a, b))).to.equal(exact(a) + exact(b));
      }),
    );
  });

  it('compare by value, not by spelling', () => {
    fc.assert(
      fc.property(decimalText, decimalText, (a, b) => {
        const difference = exact(a) - exact(b);
        expect(Math.sign(compareDecimals(a, b))).to.equal(difference === 0n ? 0 : difference < 0n ? -1 : 1);
      }),
    );
  });

  it('of 38 digits pass without rounding', () => {
    const text = '12345678901234567890.123456789012345678';
    expect(canonicalDecimal(text)).to.equal(text);
    expect(negateDecimal(text)).to.equal(`-${text}`);
  });

  it('zero has no sign', () => {
    for (const zero of ['0', '-0', '0.00', '-0e7']) expect(negateDecimal(zero)).to.equal('0');
  });

  it('say why a text is none that DynamoDB holds', () => {
    expect(decimalProblem('1.5')).to.equal(undefined);
    expect(decimalProblem('')).to.equal('not a decimal number');
    expect(decimalProblem('.')).to.equal('not a decimal number');
    expect(decimalProblem('1,5')).to.equal('not a decimal number');
    expect(decimalProblem('NaN')).to.equal('not a decimal number');
    expect(decimalProblem('1'.repeat(39))).to.equal('39 significant digits, at most 38 are kept');
    expect(decimalProblem('1E126')).to.equal('magnitude 1E126, outside 1E-130 to 9.9E+125');
    expect(decimalProblem('1E-131')).to.equal('magnitude 1E-131, outside 1E-130 to 9.9E+125');
    expect(decimalProblem(`1${'0'.repeat(125)}`)).to.equal(undefined);
  });
});
