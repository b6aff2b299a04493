import { expect } from 'chai';
import fc from 'fast-check';
import {
  matchTemplate,
  renderPrefix,
  renderTemplate,
  templateMayBeginWith,
  templatesOverlap,
} from '../../tables/model/template.ts';

const part = fc.string({ minLength: 1 }).filter((text) => !text.includes('#'));

describe('key templates', () => {
  it('give back what they were made of', () => {
    fc.assert(
      fc.property(part, part, (cnpj, orderId) => {
        const template = 'COMPANY#{cnpj}#ORDER#{orderId}';
        const rendered = renderTemplate(template, (name) => ({ cnpj, orderId })[name]);
        expect(rendered).to.deep.equal({ text: `COMPANY#${cnpj}#ORDER#${orderId}` });
        if ('text' in rendered) expect(matchTemplate(template, rendered.text)).to.deep.equal({ cnpj, orderId });
      }),
    );
  });

  it('never give two different keys the same text', () => {
    const values = fc.tuple(part, part);
    fc.assert(
      fc.property(values, values, (left, right) => {
        const text = ([a, b]: readonly [string, string]) => renderTemplate('X#{a}#{b}', (name) => (name === 'a' ? a : b));
        if (left[0] !== right[0] || left[1] !== right[1]) expect(text(left)).not.to.deep.equal(text(right));
      }),
    );
  });

  it('refuse a separator or nothing inside a key part', () => {
    expect(renderTemplate('A#{x}#{y}', () => 'b#c')).to.deep.equal({
      problem: 'x: "b#c" may not contain \'#\', which separates key parts',
    });
    expect(renderTemplate('A#{x}', () => '')).to.deep.equal({ problem: 'x: a key part may not be empty' });
    expect(renderTemplate('A#{x}', () => undefined)).to.deep.equal({ missing: 'x' });
  });

  it('turn the documented times and back', () => {
    const template = 'ORDER#{created_at|iso}#{order_id}';
    const values: Readonly<Record<string, string>> = { created_at: '14/11/2025 10:30:00', order_id: 'order_456' };
    expect(renderTemplate(template, (name) => values[name])).to.deep.equal({ text: 'ORDER#2025-11-14T10:30:00Z#order_456' });
    expect(matchTemplate(template, 'ORDER#2025-11-14T10:30:00Z#order_456')).to.deep.equal(values);
    expect(matchTemplate(template, 'EXECUTION#2025-11-14T10:30:00Z#order_456')).to.equal(undefined);
    expect(matchTemplate(template, 'ORDER#2025-02-30T10:30:00Z#order_456')).to.equal(undefined);
  });

  it('pad whole numbers so that they sort as texts, and give them back', () => {
    fc.assert(
      fc.property(fc.nat(999_999), fc.nat(999_999), (one, other) => {
        const text = (number: number) => renderTemplate('{n|pad5}', () => String(number));
        const rendered = text(one);
        if (!('text' in rendered)) throw new Error('no text');
        expect(matchTemplate('{n|pad5}', rendered.text)).to.deep.equal({ n: String(one) });
        const second = text(other);
        if (one < 100_000 && other < 100_000 && 'text' in second) expect(rendered.text < second.text).to.equal(one < other);
      }),
    );
    expect(renderTemplate('A#{n|pad3}', () => 'x')).to.deep.equal({ problem: 'n: "x" is no value for |pad3' });
    for (const text of ['A#7', 'A#0123', 'A#x23']) expect(matchTemplate('A#{n|pad3}', text), text).to.equal(undefined);
  });

  it('may end in anything, separators too', () => {
    const template = 'A#{v|pad3}#{key|rest}';
    expect(renderTemplate(template, (name) => (name === 'v' ? '1' : 'B#c / D#e'))).to.deep.equal({ text: 'A#001#B#c / D#e' });
    expect(matchTemplate(template, 'A#001#B#c / D#e')).to.deep.equal({ v: '1', key: 'B#c / D#e' });
    expect(templatesOverlap(template, 'A#{x}#{y}#{z}')).to.equal(true);
    expect(templatesOverlap(template, 'B#{x}#{y}#{z}')).to.equal(false);
  });

  it('have a beginning as far as their values are known', () => {
    const values: Readonly<Record<string, string>> = { a: 'x', b: '7' };
    expect(renderPrefix('P#{a}#{b|pad3}#{c}', (name) => values[name])).to.equal('P#x#007#');
    expect(renderPrefix('{c}', (name) => values[name])).to.equal('');
  });

  it('know whether they can meet', () => {
    expect(templatesOverlap('PRODUCT#{a}', 'PRODUCT#{b}')).to.equal(true);
    expect(templatesOverlap('PRODUCT#{a}', 'ANALYST#{b}')).to.equal(false);
    expect(templatesOverlap('{a}', 'anything#at#all')).to.equal(true);
    expect(templatesOverlap('{m}#Buy', '{m}#Sell')).to.equal(false);
    expect(templatesOverlap('A#{x}', 'A#{x}#{y}')).to.equal(false);
    expect(templateMayBeginWith('ORDER#{t}#{id}', 'ORDER#')).to.equal(true);
    expect(templateMayBeginWith('ANALYST_ORDER#{t}#{id}', 'ORDER#')).to.equal(false);
  });
});
