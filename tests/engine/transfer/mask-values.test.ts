import { expect } from 'chai';
import fc from 'fast-check';
import { checkDigits, cnpjWeights, cpfWeights } from '../../../engine/core/transfer/mask/check-digits.ts';
import { shiftDate } from '../../../engine/core/transfer/mask/mask-date.ts';
import { leastPermuted, maskNumber, maskText } from '../../../engine/core/transfer/mask/mask-value.ts';
import { permute } from '../../../engine/core/transfer/mask/permute.ts';
import { testHash as hash } from '../../support/mask-bed.ts';

const digit = fc.constantFrom(...'0123456789');
const texts = (unit: fc.Arbitrary<string>, length: number) => fc.string({ unit, minLength: length, maxLength: length });

describe('a masked value', () => {
  it('comes from a permutation of the values of its shape, and none stands for itself', () => {
    for (const radices of [[2], [7], [3, 4], [10, 10], [2, 3, 5], [26, 10, 2]]) {
      const size = radices.reduce((a, b) => a * b, 1);
      const all = Array.from({ length: size }, (_, at) => {
        let rest = at;
        return radices.map((radix) => {
          const value = rest % radix;
          rest = Math.floor(rest / radix);
          return { value, radix };
        });
      });
      const masked = all.map((digits) => permute(digits, 't', hash).join());
      expect(new Set(masked).size, radices.join('x')).to.equal(size);
      for (const [at, digits] of all.entries()) expect(masked[at]).not.to.equal(digits.map((one) => one.value).join());
    }
  });

  it('of names, texts and e-mails is a token of one length, whatever the original’s', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }), (text) => {
        expect(maskText('text', text, hash)).to.match(/^[a-z2-7]{16}$/);
        expect(maskText('name', text, hash)).to.equal(maskText('text', text, hash));
        expect(maskText('email', `${text}@x.com`, hash)).to.match(/^[a-z2-7]{16}@[a-z2-7]{12}\.example$/);
      }),
    );
    const provider = (address: string) => maskText('email', address, hash).split('@')[1];
    expect(provider('a@x.com')).to.equal(provider('b@X.com')).and.not.to.equal(provider('a@y.com'));
  });

  it('of CPF has right check digits exactly where the original had, in the original’s punctuation', () => {
    expect(checkDigits('529982247', cpfWeights)).to.equal('25');
    fc.assert(
      fc.property(texts(digit, 9), (base) => {
        const plain = base + checkDigits(base, cpfWeights);
        const original = plain.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4');
        const masked = maskText('cpf', original, hash);
        const digits = masked.replaceAll(/\D/g, '');
        expect(masked)
          .to.match(/^\d{3}\.\d{3}\.\d{3}-\d{2}$/)
          .and.not.to.equal(original);
        expect(checkDigits(digits.slice(0, 9), cpfWeights)).to.equal(digits.slice(9));
        expect(maskText('cpf', plain, hash)).to.equal(digits);
        expect(maskNumber('cpf', plain, hash)).to.equal(digits.replace(/^0+/, ''));
      }),
    );
    const wrong = maskText('cpf', '123.456.789-00', hash).replaceAll(/\D/g, '');
    expect(checkDigits(wrong.slice(0, 9), cpfWeights)).not.to.equal(wrong.slice(9));
  });

  it('of CNPJ has right check digits too, with letters as of July 2026 and without', () => {
    // Receita Federal's own example of the new form.
    expect(checkDigits('12ABC34501DE', cnpjWeights)).to.equal('35');
    expect(checkDigits('112223330001', cnpjWeights)).to.equal('81');
    const either = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ');
    fc.assert(
      fc.property(fc.oneof(texts(digit, 12), texts(either, 12)), (base) => {
        const original = (base + checkDigits(base, cnpjWeights)).replace(/(..)(...)(...)(....)(..)/, '$1.$2.$3/$4-$5');
        const masked = maskText('cnpj', original, hash);
        const symbols = masked.replaceAll(/[^0-9A-Z]/g, '');
        const shape = (text: string) => text.replaceAll(/\d/g, '9').replaceAll(/[A-Z]/g, 'A');
        expect(shape(masked)).to.equal(shape(original));
        expect(masked).not.to.equal(original);
        expect(checkDigits(symbols.slice(0, 12), cnpjWeights)).to.equal(symbols.slice(12));
      }),
    );
  });

  it('of a phone keeps the country and the form', () => {
    expect(maskText('phone', '+55 (11) 91234-5678', hash)).to.match(/^\+55 \(\d\d\) \d{5}-\d{4}$/);
    const national = maskText('phone', '(11) 91234-5678', hash);
    expect(maskText('phone', '+55 (11) 91234-5678', hash)).to.equal(`+55 ${national}`);
    expect(maskText('phone', '+5511912345678', hash)).to.equal(`+55${national.replaceAll(/\D/g, '')}`);
  });

  it('is no permutation where the form has fewer than a million values', () => {
    expect(leastPermuted).to.equal(1_000_000n);
    for (const short of ['7', '42', '99999', '(1) 23']) {
      expect(maskText('digits', short, hash), short).to.match(/^[1-9]\d{11}$/);
      expect(maskText('phone', short, hash), short).to.match(/^[1-9]\d{11}$/);
    }
    expect(maskText('digits', '123456', hash)).to.match(/^\d{6}$/);
    expect(maskNumber('digits', '12', hash)).to.match(/^[1-9]\d{11}$/);
    expect(maskNumber('digits', '-1234567.5', hash)).to.match(/^-[1-9]\d{6}(\.\d)?$/);
  });

  it('keeps the order and the distance of the dates of one subject, in every spelling', () => {
    const day = fc.date({ min: new Date('1990-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(day, day, fc.string({ minLength: 1 }), (a, b, subject) => {
        const of = (date: Date) => maskText('date', date.toISOString(), hash, subject);
        expect(Date.parse(of(a)) - Date.parse(of(b))).to.equal(a.getTime() - b.getTime());
        expect(of(a)).not.to.equal(a.toISOString());
        const seconds = String(Math.floor(a.getTime() / 1_000)).padStart(9, '0');
        fc.pre(seconds.length >= 9);
        expect(Number(maskNumber('date', seconds, hash, subject)) * 1_000).to.equal(
          Math.floor(Date.parse(of(a)) / 1_000) * 1_000,
        );
      }),
    );
    expect(shiftDate('31/12/2025 23:00:01', 1)).to.equal('01/01/2026 23:00:01');
    expect(shiftDate('2024-02-28', 1)).to.equal('2024-02-29');
    expect(shiftDate('soon', 1)).to.equal(undefined);
  });

  it('is the same for the same value and key, and another one for another key', () => {
    const other = (text: string) => hash(`${text}!`);
    for (const kind of ['text', 'email', 'cpf', 'cnpj', 'phone'] as const) {
      const value = { text: 'Ana', email: 'a@b.c', cpf: '52998224725', cnpj: '12ABC34501DE35', phone: '11912345678' }[kind];
      expect(maskText(kind, value, hash)).to.equal(maskText(kind, value, hash));
      expect(maskText(kind, value, hash)).not.to.equal(maskText(kind, value, other));
    }
  });
});
