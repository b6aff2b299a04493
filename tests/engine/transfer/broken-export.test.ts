import { createHash } from 'node:crypto';
import { cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { printDeadLetter } from '../../../engine/core/write/dead-letter.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { useEngine } from '../../support/test-engine.ts';
import { contentOf, exportTo, importFrom, itemsOf, plainTable, useFolder } from '../../support/transfer-bed.ts';

const source = plainTable('broken-source');
const target = plainTable('broken-target');
const numbers = plainTable('broken-numbers', 'N');

describe('an export that is not as its manifests say', () => {
  const engine = useEngine([source, target, numbers, ledger]);
  const folder = useFolder();
  let sound = '';
  let copies = 0;

  before(async () => {
    await engine().putRaw(
      source,
      Array.from({ length: 60 }, (_, at) => ({ id: { S: `item-${at}` }, secret: { S: `content-${at}` } })),
    );
    sound = (await exportTo(engine(), source, join(folder(), 'sound'))).place;
  });

  async function copy(): Promise<string> {
    copies += 1;
    const place = join(folder(), `copy-${copies}`);
    await cp(sound, place, { recursive: true });
    return place;
  }

  async function failure(place: string): Promise<TablewrightError> {
    const before = await contentOf(engine(), target);
    const error = await importFrom(engine(), target, place).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(await contentOf(engine(), target), 'nothing may have been written').to.deep.equal(before);
    if (!(error instanceof TablewrightError)) throw new Error(`expected a TablewrightError, found ${String(error)}`);
    expect(error).to.include({ code: 'BAD_EXPORT', exitCode: 2 });
    expect(error.next).to.be.a('string');
    expect(error.message).not.to.contain('content-');
    return error;
  }

  async function dataFiles(place: string): Promise<readonly string[]> {
    return (await readdir(join(place, 'data'))).toSorted().map((name) => join(place, 'data', name));
  }

  /** Writes a data file anew and makes the manifests agree with it, as a tool that edits exports would. */
  async function rewrite(place: string, file: string, lines: readonly string[], items = lines.length): Promise<void> {
    const bytes = gzipSync(lines.map((line) => `${line}\n`).join(''));
    await writeFile(file, bytes);
    const manifest = join(place, 'manifest-files.json');
    let total = 0;
    const entries = (await readFile(manifest, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => {
        const entry = JSON.parse(line);
        if (file.endsWith(entry.dataFileS3Key.split('/').at(-1))) {
          entry.itemCount = items;
          entry.md5Checksum = createHash('md5').update(bytes).digest('base64');
        }
        total += entry.itemCount;
        return JSON.stringify(entry);
      });
    await writeFile(manifest, `${entries.join('\n')}\n`);
    await rm(join(place, 'manifest-files.checksum'));
    const summary = JSON.parse(await readFile(join(place, 'manifest-summary.json'), 'utf8'));
    await writeFile(join(place, 'manifest-summary.json'), JSON.stringify({ ...summary, itemCount: total }));
    await rm(join(place, 'manifest-summary.checksum'));
  }

  it('is refused with every damaged, truncated and missing file named together', async () => {
    const place = await copy();
    const [first = '', second = '', third = ''] = await dataFiles(place);
    const bytes = await readFile(first);
    bytes[bytes.length - 3] = (bytes.at(-3) ?? 0) ^ 1;
    await writeFile(first, bytes);
    await truncate(second, 30);
    await rm(third);
    const error = await failure(place);
    expect(error.problems).to.have.length(3);
    expect(error.problems[0]).to.match(
      new RegExp(`^${first}: its MD5 is \\S+, the manifest says \\S+ \\(\\d+ bytes were found\\)$`),
    );
    expect(error.problems[1]).to.contain(`${second}: its MD5 is`).and.to.contain('(30 bytes were found)');
    expect(error.problems[2]).to.match(new RegExp(`^${third}: missing, the manifest lists it with \\d+ items$`));
  });

  it('is refused when a manifest does not agree with its hash file', async () => {
    const place = await copy();
    await writeFile(join(place, 'manifest-files.checksum'), 'AAAAAAAAAAAAAAAAAAAAAA==');
    const error = await failure(place);
    expect(error.problems[0]).to.match(
      /^manifest-files\.json: its MD5 is \S+, manifest-files\.checksum says AAAAAAAAAAAAAAAAAAAAAA==$/,
    );
  });

  it('is refused when the counts of summary and files differ', async () => {
    const place = await copy();
    const summary = JSON.parse(await readFile(join(place, 'manifest-summary.json'), 'utf8'));
    await writeFile(join(place, 'manifest-summary.json'), JSON.stringify({ ...summary, itemCount: 61 }));
    await rm(join(place, 'manifest-summary.checksum'));
    expect((await failure(place)).problems).to.deep.equal([
      'itemCount: manifest-summary.json says 61, the files of manifest-files.json add up to 60',
    ]);
  });

  it('is refused when it is unfinished', async () => {
    const place = await copy();
    await rm(join(place, 'manifest-summary.json'));
    expect((await failure(place)).message).to.contain('the export is unfinished: it has no manifest-summary.json');
  });

  it('is refused when it is in another format', async () => {
    const place = await copy();
    const summary = JSON.parse(await readFile(join(place, 'manifest-summary.json'), 'utf8'));
    await writeFile(join(place, 'manifest-summary.json'), JSON.stringify({ ...summary, outputFormat: 'ION' }));
    await rm(join(place, 'manifest-summary.checksum'));
    expect((await failure(place)).problems).to.deep.equal([
      'manifest-summary.json: outputFormat: expected DYNAMODB_JSON, found "ION"',
    ]);
  });

  it('is refused at the file and line that is no item, and says so in the ledger', async () => {
    const place = await copy();
    const [, , last = ''] = await dataFiles(place);
    const lines = gunzipSync(await readFile(last))
      .toString()
      .trim()
      .split('\n');
    await rewrite(place, last, [...lines.slice(0, 2), '{"Item":{"id":{"S":7}}}', ...lines.slice(2)]);
    const error = await importFrom(engine(), target, place).then(
      () => undefined,
      (reason: unknown) => reason as TablewrightError,
    );
    expect(error?.code).to.equal('BAD_EXPORT');
    expect(error?.message).to.equal(`${last}:3: Item: expected DynamoDB JSON such as {"id":{"S":"…"}}`);
    const [record] = (await itemsOf(engine(), ledger)).filter((item) => (item.PK as { S: string }).S.includes('broken-target'));
    expect(record?.state).to.deep.equal({ S: 'failed' });
  });

  it('puts an item that fits no key into the dead letters with its file and line, and the import is incomplete', async () => {
    const place = await copy();
    const [file = ''] = await dataFiles(place);
    const lines = gunzipSync(await readFile(file))
      .toString()
      .trim()
      .split('\n');
    await rewrite(place, file, [...lines, '{"Item":{"name":{"S":"no id"}}}', '{"Item":{"id":{"N":"1"}}}']);
    const { result, letters, rejected } = await importFrom(engine(), target, place);
    expect(result).to.include({ outcome: 'incomplete', deadLettered: 2, written: 60 });
    expect(rejected).to.have.members([
      `${file}:${lines.length + 1}: id: the key attribute is missing`,
      `${file}:${lines.length + 2}: id: a key of type S was expected, found type N`,
    ]);
    expect(letters.map((letter) => JSON.parse(printDeadLetter(letter)).reason.message)).to.have.members(rejected);
    expect(letters.every((letter) => !('file' in letter.request))).to.equal(true);
  });

  it('is refused when its manifest names files that are not its own, all of them together', async () => {
    const place = await copy();
    await writeFile(join(place, '..', 'outside.json.gz'), gzipSync('{"Item":{"id":{"S":"stolen"}}}\n'));
    const manifest = join(place, 'manifest-files.json');
    const lines = (await readFile(manifest, 'utf8')).trim().split('\n');
    const own = JSON.parse(lines[0] ?? '').dataFileS3Key.replace(/data\/.*$/, '');
    const wrong = [`${own}../outside.json.gz`, `${own}data/../../outside.json.gz`, '../../outside.json.gz', '/etc/hostname'];
    const changed = wrong.map((dataFileS3Key) => JSON.stringify({ ...JSON.parse(lines[0] ?? ''), dataFileS3Key, itemCount: 0 }));
    await writeFile(manifest, `${[...changed, ...lines].join('\n')}\n`);
    await rm(join(place, 'manifest-files.checksum'));
    expect((await failure(place)).problems).to.deep.equal(
      wrong.map(
        (key, at) => `manifest-files.json:${at + 1}: dataFileS3Key: expected a file of this export, found ${JSON.stringify(key)}`,
      ),
    );
  });

  it('is refused at a line of more than 16 MB, without reading on', async () => {
    const place = await copy();
    const [, , last = ''] = await dataFiles(place);
    const endless = `{"Item":{"id":{"S":"x"},"a":{"S":"${'y'.repeat(40 * 1_024 ** 2)}"}}}`;
    await rewrite(place, last, ['{"Item":{"id":{"S":"before"}}}', endless]);
    const error = await importFrom(engine(), target, place).catch((reason: TablewrightError) => reason);
    expect(error).to.include({ code: 'BAD_EXPORT' });
    expect((error as Error).message).to.equal(`${last}:2: expected a line of at most 16 MB, found a longer one`);
  });

  it('is refused at the first line beyond what its manifest says, so that what unpacks without end is left', async () => {
    for (const [lines, at] of [
      [Array.from({ length: 2_000_000 }, () => ''), 1_003],
      [Array.from({ length: 5_000 }, (_, id) => `{"Item":{"id":{"S":"more-${id}"}}}`), 3],
    ] as const) {
      const place = await copy();
      const [, , last = ''] = await dataFiles(place);
      await rewrite(place, last, lines, 2);
      const error = await importFrom(engine(), target, place).catch((reason: TablewrightError) => reason);
      expect((error as Error).message).to.equal(`${last}:${at}: expected 2 items as the manifest says, found more lines`);
    }
  });

  it('puts an item of more than 400 KB into the dead letters with its file and line', async () => {
    const place = await copy();
    const [, , last = ''] = await dataFiles(place);
    await rewrite(place, last, [
      `{"Item":{"id":{"S":"big"},"a":{"S":"${'y'.repeat(400 * 1_024)}"}}}`,
      '{"Item":{"id":{"S":"fits"}}}',
    ]);
    const { result, rejected } = await importFrom(engine(), target, place);
    expect(result).to.include({ outcome: 'incomplete', deadLettered: 1 });
    expect(rejected).to.deep.equal([`${last}:1: big: the item has 409606 bytes, DynamoDB holds at most 409600`]);
  });

  it('of another table is told at its first line', async () => {
    const error = await importFrom(engine(), numbers, sound).then(
      () => undefined,
      (reason: unknown) => reason as TablewrightError,
    );
    expect(error?.message).to.match(/\.json\.gz:1: the item does not fit the key of broken-numbers-test/);
    expect(error?.problems).to.deep.equal(['id: a key of type N was expected, found type S']);
  });
});
