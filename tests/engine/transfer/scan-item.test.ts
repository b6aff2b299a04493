import { expect } from 'chai';
import fc from 'fast-check';
import { toJsonItem } from '../../../engine/core/item/dynamo-json.ts';
import { itemBytes } from '../../../engine/core/item/item-size.ts';
import { parseLine } from '../../../engine/core/transfer/export-line.ts';
import { lineRequests } from '../../../engine/core/transfer/line-requests.ts';
import { type ItemScanner, itemScanner } from '../../../engine/core/transfer/scan-item.ts';
import { measuredNames, requestChecker } from '../../../engine/core/write/check-request.ts';
import type { WriteTable } from '../../../engine/core/write/write-request.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { anyItem, anyNumber } from '../../support/any-item.ts';

const table: WriteTable = {
  name: 'orders',
  key: { hash: { name: 'PK', type: 'S' }, range: { name: 'n', type: 'N' } },
  indexes: [
    { name: 'some', hash: [{ name: 'g', type: 'S' }], range: [], projection: { include: ['more', '__proto__'] } },
    { name: 'all', hash: [{ name: 'PK', type: 'S' }], range: [{ name: 'g', type: 'S' }], projection: 'ALL' },
  ],
};
const check = requestChecker(table);

/** What the writer makes of a line: its key, units and problems, and the item that arrives. */
function seen(line: string, scan?: ItemScanner): unknown {
  const parsed = parseLine(line, scan);
  if ('problem' in parsed) return parsed;
  return lineRequests(table, parsed, undefined).map((request) => {
    const checked = check(request);
    const put = 'put' in request ? request.put : undefined;
    // The bound of its bytes on the wire is another one for a text.
    return 'problems' in checked ? checked : { key: checked.key, units: checked.units, put };
  });
}

const lineOf = (item: Item): string => `{"Item":${JSON.stringify(toJsonItem(item))}}`;
const plainText = fc.string().filter((text) => !/["\\]/.test(text));
const keyed = fc.record(
  {
    PK: fc.oneof(
      plainText.map((S) => ({ S })),
      fc.constant({ BOOL: true }),
    ),
    n: fc.oneof(
      anyNumber.map((N) => ({ N })),
      plainText.map((N) => ({ N })),
    ),
    g: fc.string({ unit: 'grapheme' }).map((S) => ({ S })),
    more: fc.array(plainText.map((S) => ({ S }))).map((L) => ({ L })),
  },
  { requiredKeys: [] },
);
const anyKeyed: fc.Arbitrary<Item> = fc.tuple(keyed, anyItem).map(([key, rest]) => ({ ...rest, ...key }) as Item);

describe('an item that stays text', () => {
  it('is seen by the writer as the parsed one: the same key, units, problems, and the same item', () => {
    const scan = itemScanner(measuredNames(table));
    fc.assert(
      fc.property(anyKeyed, (item) => {
        expect(seen(lineOf(item), scan)).to.deep.equal(seen(lineOf(item)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is never one that the parser reads otherwise: of damaged lines, doubled names, spaces and escapes', () => {
    const scan = itemScanner(measuredNames(table));
    const piece = fc.constantFrom(
      '"',
      '{',
      '}',
      ',',
      ':',
      '\\',
      ' ',
      '[',
      ']',
      '\u0001',
      'é',
      '\\u0041',
      '"PK":{"S":"x"}',
      '"a":1',
      'S',
      'N',
    );
    const damage = fc.tuple(fc.nat(), fc.nat({ max: 6 }), fc.oneof(piece, fc.constant('')));
    fc.assert(
      fc.property(anyKeyed, fc.array(damage, { maxLength: 2 }), fc.boolean(), (item, damages, doubled) => {
        let line = doubled ? lineOf(item).replace(/("[^"]*":\{"S":"[^"]*"\})/, '$1,$1') : lineOf(item);
        for (const [at, gone, put] of damages) {
          const place = at % line.length;
          line = line.slice(0, place) + put + line.slice(place + gone);
        }
        const scanned = parseLine(line, scan);
        expect(seen(line, scan)).to.deep.equal(seen(line));
        // What is sent is the text: it must be the item's own, each name once.
        if ('kind' in scanned && scanned.kind === 'text') {
          const names = [...scanned.asText.text.matchAll(/"/g)].length;
          expect(names).to.equal([...JSON.stringify(JSON.parse(scanned.asText.text)).matchAll(/"/g)].length);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it('has the size that DynamoDB gives it, in any script', () => {
    const scan = itemScanner(new Set());
    const values = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((S) => ({ S })),
      anyNumber.map((N) => ({ N })),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'ключ', '🗝', 'd'), values), (item) => {
        const text = JSON.stringify(item);
        const scanned = scan(text, 0, text.length);
        if (scanned !== undefined) expect(scanned.bytes).to.equal(itemBytes(item));
        expect(scanned !== undefined || Object.keys(item).length === 0 || text.includes('\\')).to.equal(true);
      }),
    );
  });

  it('is made for orders as they are exported, whatever they hold besides texts and numbers', () => {
    const scan = itemScanner(new Set(['PK']));
    const text =
      '{"PK":{"S":"CLIENT#1"},"n":{"N":"-1.50"},"ok":{"BOOL":true},"m":{"M":{"l":{"L":[{"N":"1"},{"NULL":true}]}}},"s":{"SS":["é"]}}';
    for (let times = 0; times < 2; times += 1) {
      expect(scan(text, 0, text.length)).to.deep.equal({
        text,
        bytes: itemBytes(JSON.parse(text) as Item),
        part: { PK: { S: 'CLIENT#1' } },
      });
    }
  });

  it('is left to the parser where its names are ever new', () => {
    const scan = itemScanner(new Set());
    const taken = Array.from({ length: 5_000 }, (_, n) => `{"id_${n}":{"S":"x"}}`).filter((text) => scan(text, 0, text.length));
    expect(taken.length).to.be.greaterThan(0).and.lessThan(100);
  });
});
