import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { fromJsonItem, toJsonItem } from '../../../engine/core/item/dynamo-json.ts';
import { printDeadLetter } from '../../../engine/core/write/dead-letter.ts';
import { deadLetterFile } from '../../../engine/local/dead-letter-file.ts';
import { anyItem } from '../../support/any-item.ts';
import { parseDeadLetter } from '../../support/parse-dead-letter.ts';

const reason = { code: 'unprocessed', message: 'the store did not process it' };

describe('DynamoDB JSON', () => {
  it('gives every item back exactly', () => {
    fc.assert(
      fc.property(anyItem, (item) => {
        expect(fromJsonItem(JSON.parse(JSON.stringify(toJsonItem(item))))).to.deep.equal(item);
      }),
    );
  });

  it('keeps an attribute called __proto__', () => {
    const item = JSON.parse('{"__proto__":{"S":"x"}}');
    expect(Object.keys(fromJsonItem(toJsonItem(item)) ?? {})).to.deep.equal(['__proto__']);
  });

  it('reads nothing from what is not an item', () => {
    for (const text of [
      '1',
      'null',
      '[]',
      '{"a":1}',
      '{"a":{"N":1}}',
      '{"a":{"S":"x","N":"1"}}',
      '{"a":{"X":"x"}}',
      '{"a":{"L":[1]}}',
    ]) {
      expect(fromJsonItem(JSON.parse(text)), text).to.equal(undefined);
    }
  });
});

describe('a dead letter', () => {
  it('comes back from its line exactly, put or delete', () => {
    fc.assert(
      fc.property(anyItem, fc.boolean(), fc.nat(20), (item, isPut, attempts) => {
        const request = isPut ? { table: 't', put: item } : { table: 't', delete: item };
        const line = printDeadLetter({ request, reason, attempts });
        expect(line).not.to.contain('\n');
        expect(parseDeadLetter(line)).to.deep.equal({ request, reason, attempts });
      }),
    );
  });

  it('is not read from a line that is cut short or something else', () => {
    const line = printDeadLetter({ request: { table: 't', put: { k: { S: 'x' } } }, reason, attempts: 1 });
    for (let length = 0; length < line.length; length += 1) expect(parseDeadLetter(line.slice(0, length))).to.equal(undefined);
    expect(parseDeadLetter('{"table":"t","put":{"k":{"S":1}},"reason":{"code":"a","message":"b"}}')).to.equal(undefined);
  });
});

describe('the dead letter file', () => {
  it('is there only when a letter is, holds them in order, and is read by its owner only', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tablewright-letters-'));
    try {
      const path = join(folder, 'deep', 'letters.jsonl');
      const empty = deadLetterFile(path);
      await empty.close();
      expect(await stat(path).catch(() => undefined)).to.equal(undefined);
      const letters = [1, 2, 3].map((n) => ({ request: { table: 't', put: { k: { N: String(n) } } }, reason, attempts: n }));
      for (const round of [letters.slice(0, 2), letters.slice(2)]) {
        const file = deadLetterFile(path);
        await Promise.all(round.map((letter) => file.write(letter)));
        await file.close();
      }
      const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
      expect(lines.map(parseDeadLetter)).to.deep.equal(letters);
      expect((await stat(path)).mode & 0o777).to.equal(0o600);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
