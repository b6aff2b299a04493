import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { useEngine } from '../../support/test-engine.ts';
import { contentOf, exportTo, importFrom, itemsOf, plainTable, useFolder } from '../../support/transfer-bed.ts';

const source = plainTable('round-trip-source');
const target = plainTable('round-trip-target');
const crowdSource = plainTable('crowd-source');
const crowdTarget = plainTable('crowd-target');

const digits38 = '12345678901234567890123456789012345678';
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => at % 256);

/** A value of every type that DynamoDB has, at the edges of what each may hold. */
const values: Readonly<Record<string, AttributeValue>> = {
  text: { S: 'São Paulo – 서울 – 🪙 "quoted" \\ \n\t\u0000' },
  'empty text': { S: '' },
  '38 digits': { N: digits38 },
  'a negative of 38 digits after the point': { N: `-0.${digits38}` },
  'about 1e120': { N: '9.9999999999999999999999999999999999999E+120' },
  'the smallest magnitude': { N: '1E-130' },
  zero: { N: '0' },
  binary: { B: bytes(300) },
  'empty binary': { B: new Uint8Array() },
  yes: { BOOL: true },
  no: { BOOL: false },
  nothing: { NULL: true },
  'a set of texts': { SS: ['b', 'a', 'ü'] },
  'a set of numbers': { NS: [digits38, '-1', '2.5'] },
  'a set of binaries': { BS: [bytes(3), bytes(4)] },
  'a list of everything': { L: [{ S: '' }, { N: '1' }, { L: [] }, { M: {} }, { NULL: true }, { BOOL: false }] },
  'sets in maps in lists': { L: [{ M: { inner: { M: { set: { NS: ['1', digits38] }, bin: { BS: [bytes(2)] } } } } }] },
  'an odd attribute name': { M: { ['__proto__']: { S: 'x' }, 'a.b#c "d"': { S: 'y' }, constructor: { N: '1' } } },
};

const typed: readonly Item[] = Object.entries(values).map(([id, value]) => ({ id: { S: id }, value }));
/** Names of a whole item's attributes, that every object has something under already. */
const named: Item = { id: { S: 'named' }, ['__proto__']: { S: 'x' }, constructor: { N: '1' }, toString: { SS: ['a'] } };
const large: Item = { id: { S: 'large' }, value: { S: 'x'.repeat(400 * 1_024 - 'id'.length - 'large'.length - 'value'.length) } };

describe('an export that is imported again', () => {
  const engine = useEngine([source, target, crowdSource, crowdTarget, ledger]);
  const folder = useFolder();

  it('brings every type back as it was, up to an item of 400 KB', async () => {
    await engine().putRaw(source, [...typed, named, large]);
    const { result, place } = await exportTo(engine(), source, join(folder(), 'types'));
    expect(result).to.include({ outcome: 'complete', items: typed.length + 2 });
    const { result: imported } = await importFrom(engine(), target, place);
    expect(imported).to.include({ outcome: 'complete', written: typed.length + 2, deadLettered: 0 });
    expect(imported.verified).to.deep.include({ depth: 'full', compared: typed.length + 2, differing: 0 });
    expect(await contentOf(engine(), target)).to.deep.equal(await contentOf(engine(), source));
    const stored = new Map((await itemsOf(engine(), target)).map((item) => [(item.id as { S: string }).S, item.value]));
    for (const [id, value] of Object.entries(values)) expect(typeOfValue(stored.get(id)), id).to.equal(typeOfValue(value));
  });

  it('has the layout of a DynamoDB export: manifests with counts and MD5, a JSON line per item', async () => {
    const { result, place } = await exportTo(engine(), source, join(folder(), 'layout'));
    const summary = JSON.parse(await readFile(join(place, 'manifest-summary.json'), 'utf8'));
    expect(summary).to.include({ itemCount: typed.length + 2, outputFormat: 'DYNAMODB_JSON', exportType: 'FULL_EXPORT' });
    expect(summary.exportArn).to.match(new RegExp(`/export/${result.id}$`));
    const files = (await readFile(join(place, 'manifest-files.json'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(files.map((file) => file.itemCount).reduce((a, b) => a + b)).to.equal(typed.length + 2);
    for (const file of files) {
      expect(Object.keys(file)).to.deep.equal(['itemCount', 'md5Checksum', 'etag', 'dataFileS3Key']);
      const lines = gunzipSync(await readFile(join(place, file.dataFileS3Key.slice(file.dataFileS3Key.indexOf('data/')))))
        .toString()
        .split('\n')
        .filter((line) => line !== '');
      expect(lines).to.have.length(file.itemCount);
      for (const line of lines) expect(Object.keys(JSON.parse(line))).to.deep.equal(['Item']);
    }
  });

  it('holds for thousands of items in many files', async () => {
    const items = Array.from({ length: 3_000 }, (_, at) => ({
      id: { S: `item-${at}` },
      n: { N: String(at) },
      pad: { S: 'p'.repeat(at % 90) },
    }));
    await engine().putRaw(crowdSource, items);
    const { result, place } = await exportTo(engine(), crowdSource, join(folder(), 'crowd'), { fileBytes: 1, segments: 7 });
    expect(result).to.include({ outcome: 'complete', items: 3_000 });
    const { result: imported } = await importFrom(engine(), crowdTarget, place);
    expect(imported).to.include({ outcome: 'complete', written: 3_000, lines: 3_000 });
    expect(await contentOf(engine(), crowdTarget)).to.deep.equal(await contentOf(engine(), crowdSource));
    const again = await importFrom(engine(), crowdTarget, place);
    expect(again.result).to.include({ outcome: 'complete', already: true });
  });
});

function typeOfValue(value: AttributeValue | undefined): string {
  return Object.keys(value ?? {}).join();
}
