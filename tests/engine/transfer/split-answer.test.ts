import { expect } from 'chai';
import fc from 'fast-check';
import { toJsonItem } from '../../../engine/core/item/dynamo-json.ts';
import { parseLine, printItemLines } from '../../../engine/core/transfer/export-line.ts';
import { splitAnswer } from '../../../engine/core/transfer/split-answer.ts';
import { anyItem } from '../../support/any-item.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (raw: Uint8Array): string => new TextDecoder().decode(raw);

/** Answers with their parts in any order, printed in any way. */
const anyAnswer = fc
  .record({
    items: fc.array(anyItem, { maxLength: 5 }),
    key: fc.option(anyItem, { nil: undefined }),
    indent: fc.constantFrom(undefined, 1, '\t', '\n '),
    itemsFirst: fc.boolean(),
  })
  .map(({ items, key, indent, itemsFirst }) => {
    const list = items.map(toJsonItem);
    const others = {
      Count: items.length,
      ...(key === undefined ? {} : { LastEvaluatedKey: toJsonItem(key) }),
      // A nested `Items` and text that looks like the end of the list are no part of it.
      ConsumedCapacity: { CapacityUnits: 12.5, TableName: 'a"]}', Items: [{ no: 'item' }] },
    };
    const answer = itemsFirst ? { Items: list, ...others } : { ...others, Items: list };
    return { items, others, printed: JSON.stringify(answer, undefined, indent) };
  });

describe('splitting an answer', () => {
  it('finds every item and leaves the rest, however it is printed', () => {
    fc.assert(
      fc.property(anyAnswer, ({ items, others, printed }) => {
        const split = splitAnswer(bytes(printed));
        expect(split?.items.map((raw) => JSON.parse(text(raw)))).to.deep.equal(items.map(toJsonItem));
        expect(split?.rest).to.deep.equal({ ...others, Items: [] });
      }),
    );
  });

  it('gives lines that read back as the same items, one line each', () => {
    fc.assert(
      fc.property(anyAnswer, ({ items, printed }) => {
        const lines = text(printItemLines(splitAnswer(bytes(printed))?.items ?? [])).split('\n');
        expect(lines.pop()).to.equal('');
        expect(lines.map((line) => parseLine(line))).to.deep.equal(items.map((item) => ({ kind: 'item', item })));
      }),
    );
  });

  it('takes no answer that was cut off for a whole one', () => {
    fc.assert(
      fc.property(anyAnswer, fc.nat(), ({ printed }, at) => {
        const whole = bytes(printed);
        expect(splitAnswer(whole.subarray(0, at % whole.length))).to.equal(undefined);
      }),
    );
  });

  it('takes no answer that has fewer items than it says, and none whose items are no objects', () => {
    const answers = [
      '{"Items":[{"a":{"S":"x"}}],"Count":2}',
      '{"Count":1}',
      '{"Items":["x"],"Count":1}',
      '[]',
      '{}',
      '7',
      '',
      '{"Items":[{]}',
    ];
    for (const answer of answers) expect(splitAnswer(bytes(answer)), answer).to.equal(undefined);
  });
});
