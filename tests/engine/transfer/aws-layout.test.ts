import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { useEngine } from '../../support/test-engine.ts';
import { importFrom, itemsOf, plainTable, useFolder } from '../../support/transfer-bed.ts';

const table = plainTable('aws-layout');
const newer = plainTable('aws-newer');

interface Layout {
  readonly prefix?: string;
  readonly hashEnding?: 'checksum' | 'md5';
  readonly incremental?: 'NEW_AND_OLD_IMAGES' | 'NEW_IMAGE';
}

/** Writes an export as DynamoDB does: random file names, keys with the prefix, data of incremental exports in a shared folder. */
async function writeExport(root: string, files: readonly (readonly object[])[], layout: Layout = {}): Promise<string> {
  const { prefix = '', hashEnding = 'checksum', incremental } = layout;
  const id = `01693685827463-${createHash('md5').update(root).digest('hex').slice(0, 8)}`;
  const data = incremental === undefined ? `AWSDynamoDB/${id}/data` : 'AWSDynamoDB/data';
  const write = async (name: string, content: string | Uint8Array): Promise<void> => {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  };
  const entries: string[] = [];
  for (const [at, lines] of files.entries()) {
    const name = `${data}/${createHash('md5').update(`${root}${at}`).digest('hex').slice(0, 26)}.json.gz`;
    const bytes = gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await write(name, bytes);
    const md5 = createHash('md5').update(bytes);
    const md5Checksum = md5.copy().digest('base64');
    entries.push(
      JSON.stringify({ itemCount: lines.length, md5Checksum, etag: `${md5.digest('hex')}-1`, dataFileS3Key: prefix + name }),
    );
  }
  const summary = JSON.stringify({
    version: incremental === undefined ? '2020-06-30' : '2023-08-01',
    exportArn: `arn:aws:dynamodb:us-east-1:123456789012:table/ProductCatalog/export/${id}`,
    startTime: '2023-08-20T07:28:34.028Z',
    endTime: '2023-08-20T07:33:43.897Z',
    tableArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/ProductCatalog',
    tableId: '12345a12-abcd-123a-ab12-1234abc12345',
    ...(incremental === undefined
      ? { exportTime: '2023-08-20T07:28:34.028Z' }
      : {
          exportFromTime: '2023-08-20T06:00:00.000Z',
          exportToTime: '2023-08-20T07:00:00.000Z',
          exportType: 'INCREMENTAL_EXPORT',
          outputView: incremental,
        }),
    s3Bucket: 'somewhere',
    s3Prefix: prefix,
    s3SseAlgorithm: 'AES256',
    s3SseKmsKeyId: null,
    manifestFilesS3Key: `${prefix}AWSDynamoDB/${id}/manifest-files.json`,
    billedSizeBytes: 0,
    itemCount: files.reduce((sum, lines) => sum + lines.length, 0),
    outputFormat: 'DYNAMODB_JSON',
  });
  for (const [name, text] of [
    ['manifest-summary', summary],
    ['manifest-files', `${entries.join('\n')}\n`],
  ] as const) {
    await write(`AWSDynamoDB/${id}/${name}.json`, text);
    await write(`AWSDynamoDB/${id}/${name}.${hashEnding}`, createHash('md5').update(text).digest('base64'));
  }
  await write(`AWSDynamoDB/${id}/_started`, '');
  return join(root, 'AWSDynamoDB', id);
}

const item = (id: string, rest: object = {}) => ({ Item: { id: { S: id }, ...rest } });
const metadata = { Metadata: { WriteTimestampMicros: { N: '1680109764000000' } } };
const keys = (id: string) => ({ Keys: { id: { S: id } } });
const image = (id: string, version: string) => ({ id: { S: id }, version: { N: version } });

describe('an export as DynamoDB writes it', () => {
  const engine = useEngine([table, newer, ledger]);
  const folder = useFolder();
  const idsOf = async (of = table) => (await itemsOf(engine(), of)).map((one) => (one.id as { S: string }).S).toSorted();

  for (const hashEnding of ['checksum', 'md5'] as const) {
    it(`is read with its hash files named .${hashEnding}, with empty files, and from where it was copied to`, async () => {
      const lines = [[item(`${hashEnding}-1`), item(`${hashEnding}-2`)], [], [item(`${hashEnding}-3`)]];
      const place = await writeExport(join(folder(), hashEnding), lines, { hashEnding, prefix: '2020-Nov/' });
      const { result } = await importFrom(engine(), table, place);
      expect(result).to.include({ outcome: 'complete', written: 3 });
      expect(await idsOf()).to.include.members([`${hashEnding}-1`, `${hashEnding}-2`, `${hashEnding}-3`]);
    });
  }

  it('is found from the folder above AWSDynamoDB, and two there have to be told apart', async () => {
    const root = join(folder(), 'above');
    await writeExport(root, [[item('above')]]);
    expect((await importFrom(engine(), table, root)).result).to.include({ outcome: 'complete', written: 1 });
    const second = await writeExport(join(folder(), 'elsewhere'), [[item('x')]]);
    const { cp } = await import('node:fs/promises');
    await cp(second, join(root, 'AWSDynamoDB', '01999999999999-ffffffff'), { recursive: true });
    const error = await importFrom(engine(), table, root).catch((reason: Error) => reason);
    expect(error).to.include({ code: 'BAD_EXPORT' });
    expect((error as { next?: string }).next).to.contain('AWSDynamoDB/01999999999999-ffffffff');
  });

  it('with changes of a window puts new images, deletes what was deleted, and touches nothing else', async () => {
    await engine().putRaw(newer, [
      { ...image('updated', '1'), extra: { S: 'old' } },
      image('deleted', '1'),
      image('untouched', '1'),
    ]);
    const changes = [
      { ...metadata, ...keys('inserted'), NewImage: image('inserted', '1') },
      { ...metadata, ...keys('updated'), OldImage: image('updated', '1'), NewImage: image('updated', '2') },
      { ...metadata, ...keys('deleted'), OldImage: image('deleted', '1') },
    ];
    const place = await writeExport(join(folder(), 'window'), [changes], { incremental: 'NEW_AND_OLD_IMAGES' });
    const { result } = await importFrom(engine(), newer, place);
    expect(result).to.include({ outcome: 'complete', written: 3 });
    expect(result.verified).to.include({ compared: 3, differing: 0 });
    const found = new Map((await itemsOf(engine(), newer)).map((one) => [(one.id as { S: string }).S, one]));
    expect([...found.keys()].toSorted()).to.deep.equal(['inserted', 'untouched', 'updated']);
    expect(found.get('updated')).to.deep.equal(image('updated', '2'));
  });

  it('with new images only deletes by key', async () => {
    await engine().putRaw(newer, [image('gone', '1')]);
    const place = await writeExport(join(folder(), 'new-images'), [[{ ...metadata, ...keys('gone') }]], {
      incremental: 'NEW_IMAGE',
    });
    expect((await importFrom(engine(), newer, place)).result).to.include({ outcome: 'complete' });
    expect(await idsOf(newer)).not.to.include('gone');
  });

  it('replaces with --if-newer only what is older here, and deletes only what is no newer', async () => {
    await engine().putRaw(newer, [image('older', '1'), image('newer', '9'), image('kept', '9'), image('dropped', '1')]);
    const changes = [
      { ...metadata, ...keys('older'), NewImage: image('older', '5') },
      { ...metadata, ...keys('newer'), NewImage: image('newer', '5') },
      { ...metadata, ...keys('fresh'), NewImage: image('fresh', '5') },
      { ...metadata, ...keys('kept'), OldImage: image('kept', '5') },
      { ...metadata, ...keys('dropped'), OldImage: image('dropped', '5') },
    ];
    const place = await writeExport(join(folder(), 'if-newer'), [changes], { incremental: 'NEW_AND_OLD_IMAGES' });
    const mode = { kind: 'if-newer', attribute: 'version' } as const;
    const { result } = await importFrom(engine(), newer, place, { mode });
    expect(result).to.include({ outcome: 'complete', written: 3, skipped: 2 });
    const found = new Map((await itemsOf(engine(), newer)).map((one) => [(one.id as { S: string }).S, one.version]));
    expect(found.get('older')).to.deep.equal({ N: '5' });
    expect(found.get('newer')).to.deep.equal({ N: '9' });
    expect(found.get('kept')).to.deep.equal({ N: '9' });
    expect(found.has('dropped')).to.equal(false);
    expect(found.has('fresh')).to.equal(true);
  });

  it('leaves with --skip-existing every item that is there as it is', async () => {
    await engine().putRaw(table, [{ id: { S: 'mine' }, owner: { S: 'me' } }]);
    const place = await writeExport(join(folder(), 'skip'), [[item('mine', { owner: { S: 'them' } }), item('theirs')]]);
    const { result } = await importFrom(engine(), table, place, { mode: { kind: 'skip-existing' } });
    expect(result).to.include({ outcome: 'complete', written: 1, skipped: 1 });
    expect((await itemsOf(engine(), table)).find((one) => (one.id as { S: string }).S === 'mine')).to.deep.include({
      owner: { S: 'me' },
    });
  });

  it('goes through a transform, item to items; what an old image had become is deleted', async () => {
    await engine().putRaw(newer, [image('a-copy', '1'), image('a', '1')]);
    const changes = [{ ...metadata, ...keys('a'), OldImage: image('a', '1'), NewImage: image('a', '2') }];
    const place = await writeExport(join(folder(), 'transform'), [changes], { incremental: 'NEW_AND_OLD_IMAGES' });
    const transform = (one: Parameters<NonNullable<Parameters<typeof importFrom>[3]>['transform'] & object>[0]) =>
      (one.version as { N: string }).N === '1' ? [one, { ...one, id: { S: 'a-copy' } }] : [one];
    const { result } = await importFrom(engine(), newer, place, { transform });
    expect(result).to.include({ outcome: 'complete', written: 2 });
    expect(await idsOf(newer))
      .to.include('a')
      .and.not.to.include('a-copy');
  });
});
