import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { csvCodec } from '../../../engine/cli/transfer/csv-codec.ts';
import { cellTypes } from '../../../engine/core/transfer/csv/csv-cell.ts';
import { directoryBlobStore } from '../../../engine/local/directory-blob-store.ts';
import { gzipCodec } from '../../../engine/local/gzip-codec.ts';
import { openCsv } from '../../../engine/run/transfer/open-csv.ts';
import { openExport } from '../../../engine/run/transfer/open-export.ts';
import { readLines } from '../../../engine/run/transfer/read-lines.ts';
import { writeCsv } from '../../../engine/run/transfer/write-csv.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import type { Table } from '../../../tables/model/table.ts';
import { omsTradingData } from '../../../tables/oms/trading-data.ts';
import { useEngine } from '../../support/test-engine.ts';
import { contentOf, exportTo, plainTable, useFolder } from '../../support/transfer-bed.ts';

const table = plainTable('csv-source');

describe('CSV', () => {
  const engine = useEngine([table]);
  const folder = useFolder();

  async function read(
    of: Table,
    directory: string,
    options: { readonly delimiter?: string; readonly header?: readonly string[] } = {},
  ) {
    const problems: { readonly line: number; readonly problem: string }[] = [];
    const settings = { table: of, delimiter: ',', ...options };
    const codec = csvCodec({ ...settings, onProblem: (line, problem) => problems.push({ line, problem }) });
    const opened = await openCsv({ source: directoryBlobStore(directory), codec, problems });
    const items: Item[] = [];
    for (const file of opened.files) {
      for await (const lines of readLines(file, csvCodec(settings), 0)) {
        for (const { content } of lines) if (content?.kind === 'item') items.push(content.item);
      }
    }
    return { opened, items };
  }

  async function folderOf(name: string, files: Readonly<Record<string, string | Buffer>>): Promise<string> {
    const directory = join(folder(), name);
    await mkdir(directory, { recursive: true });
    for (const [file, content] of Object.entries(files)) await writeFile(join(directory, file), content);
    return directory;
  }

  it('is read with its header line or a given one, any delimiter that DynamoDB takes, plain or packed', async () => {
    const wanted = [{ id: { S: 'a' }, note: { S: 'x, "y"' } }, { id: { S: 'b' }, note: { S: '' } }, { id: { S: 'c' } }];
    const lines = (sign: string) => `a${sign}"x, ""y"""\nb${sign}""\nc${sign}\n`;
    for (const sign of [',', ';', ':', '|', '\t', ' ']) {
      const named = await folderOf(`named-${sign.charCodeAt(0)}`, { 'one.csv': `id${sign}note\n${lines(sign)}` });
      expect((await read(table, named, { delimiter: sign })).items).to.deep.equal(wanted);
      const bare = await folderOf(`bare-${sign.charCodeAt(0)}`, { 'one.csv.gz': gzipSync(lines(sign)) });
      expect((await read(table, bare, { delimiter: sign, header: ['id', 'note'] })).items).to.deep.equal(wanted);
    }
  });

  it('is typed by the table’s keys and the catalogue; what nobody knows is a text', () => {
    expect(cellTypes(plainTable('n', 'N'), ['id', 'other'])).to.deep.equal(['N', 'S']);
    expect(cellTypes(omsTradingData, ['PK', 'symbol', 'quantity', 'unheard_of'])).to.deep.equal(['S', 'S', 'N', 'S']);
  });

  it('tells all wrong cells together, by file and record, before anything is written', async () => {
    const directory = await folderOf('wrong', { 'one.csv': 'PK,SK,quantity\na,b,1\na,c,many\na,d\n' });
    const error = (await read(omsTradingData, directory).catch((reason: Error) => reason)) as Error & {
      problems: readonly string[];
    };
    expect(error).to.include({ code: 'BAD_EXPORT' });
    expect(error.problems).to.have.length(2);
    expect(error.problems[0]).to.match(/wrong\/one\.csv:3: quantity: expected a number/);
    expect(error.problems[1]).to.match(/wrong\/one\.csv:4: expected 3 cells, found 2$/);
  });

  it('that is none, or packed and torn, is told by its file', async () => {
    const torn = gzipSync('PK,SK\na,b\n').subarray(0, 20);
    const directory = await folderOf('none', { 'one.csv': 'PK,SK\n"a,b\n', 'two.csv.gz': torn });
    const error = (await read(omsTradingData, directory).catch((reason: Error) => reason)) as Error & {
      problems: readonly string[];
    };
    expect(error).to.include({ code: 'BAD_EXPORT' });
    expect(error.problems).to.have.length(2);
    expect(error.problems[0]).to.match(/none\/one\.csv:2: not valid CSV: CSV_QUOTE_NOT_CLOSED$/);
    expect(error.problems[1]).to.match(/none\/two\.csv\.gz:\d+: the gzip data ends too early or is none$/);
  });

  it('may have any attribute’s name in its header; one that comes twice or is none would lose cells', async () => {
    const names = ['id', 'constructor', '__proto__', 'toString'];
    const odd = await folderOf('odd', { 'one.csv': `${names.join(',')}\na,b,c,d\n` });
    const [item = {}] = (await read(table, odd)).items;
    expect(Object.entries(item)).to.deep.equal(names.map((name, at) => [name, { S: 'abcd'[at] }]));
    const wrong = await folderOf('header', { 'one.csv': 'note,,note\na,b,c\n' });
    for (const header of [undefined, ['note', '', 'note']]) {
      const error = (await read(table, wrong, header === undefined ? {} : { header }).catch(
        (reason: Error) => reason,
      )) as Error & {
        problems: readonly string[];
      };
      expect(error.problems.map((problem) => problem.replace(/^.*one\.csv:1: /, ''))).to.deep.equal([
        'no column id, which the table’s key needs',
        'column 2 has no name',
        'several columns are named note',
      ]);
    }
  });

  it('is UTF-8, or UTF-16 with its mark; other bytes, and what unpacks without end, are refused', async () => {
    const marked = await folderOf('marked', { 'one.csv': Buffer.from('\ufeffid,note\na,ação\n', 'utf16le') });
    expect((await read(table, marked)).items).to.deep.equal([{ id: { S: 'a' }, note: { S: 'ação' } }]);
    const files = {
      'latin.csv': Buffer.from('id,note\na,ação\n', 'latin1'),
      'packed.csv.gz': gzipSync(`id\n${'\n'.repeat(40_000_000)}`),
    };
    const error = (await read(table, await folderOf('bytes', files)).catch((reason: Error) => reason)) as Error & {
      problems: readonly string[];
    };
    expect(error).to.include({ code: 'BAD_EXPORT' });
    expect(error.problems[0]).to.match(/bytes\/latin\.csv:\d: expected UTF-8, found other bytes; save the file as UTF-8$/);
    expect(error.problems[1]).to.match(/bytes\/packed\.csv\.gz:\d: expected a record within 16 MB, found none$/);
  });

  it('that an export has written is read back as the same items', async () => {
    const items = [
      { id: { S: 'a' }, note: { S: 'two\nlines, "quoted"' } },
      { id: { S: 'b' }, note: { S: '' } },
      { id: { S: 'c, d' } },
      { id: { S: 'ação' }, other: { S: ' ' } },
    ];
    await engine().putRaw(table, items);
    const { place } = await exportTo(engine(), table, join(folder(), 'export'));
    const opened = await openExport({ source: directoryBlobStore(place), parent: undefined, codec: gzipCodec });
    const names = await writeCsv(opened, table, gzipCodec);
    expect((await readFile(join(place, names[0] ?? ''), 'utf8')).split('\n')[0]).to.equal('id,note,other');
    const back = await read(table, join(place, 'csv'));
    expect(back.items.map(canonicalItem).toSorted()).to.deep.equal(await contentOf(engine(), table));
  });
});
