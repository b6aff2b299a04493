import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';
import * as published from '../engine/index.ts';
import type { Entity } from '../tables/model/entity.ts';
import { buildItem } from '../tables/model/item.ts';
import { prove } from '../tables/model/prove.ts';
import type { Table } from '../tables/model/table.ts';
import { tryReadRecord } from '../tables/model/unmarshal.ts';
import { repository } from './support/run-cli.ts';

interface Example {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

const pages = ['README.md', 'CONTRIBUTING.md', ...pagesIn('docs')];

function pagesIn(folder: string): readonly string[] {
  const files = readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.md')).map((file) => join(folder, file));
}

/** The blocks of TypeScript of a page. */
function examplesOf(page: string): readonly Example[] {
  const text = readFileSync(join(repository, page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((found) => ({
    page,
    line: text.slice(0, found.index).split('\n').length,
    text: found[1] ?? '',
  }));
}

/** Where an example stands in a project: its first line may say so, else at the root. */
function pathOf({ page, line, text }: Example): string {
  const told = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1];
  return told ?? `${page.replace(/[/.]/g, '-')}-${line}.ts`;
}

/** What is wrong with the examples, all compiled in one program beside this repository's own tables. */
function compile(root: string, examples: readonly Example[]): readonly string[] {
  const { config } = ts.readConfigFile(join(repository, 'tsconfig.json'), ts.sys.readFile) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.parseJsonConfigFileContent({ compilerOptions: config.compilerOptions, files: [] }, ts.sys, repository);
  const files = examples.map((example) => join(root, pathOf(example)));
  for (const [at, { text }] of examples.entries()) {
    const file = files[at] ?? '';
    mkdirSync(dirname(file), { recursive: true });
    // What is there may be a link to our own.
    rmSync(file, { force: true });
    writeFileSync(file, text);
  }
  const settings = { ...options, incremental: false, tsBuildInfoFile: undefined, noUnusedLocals: false, preserveSymlinks: true };
  const program = ts.createProgram(files, settings as unknown as ts.CompilerOptions);
  return files.flatMap((file, at) => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    const { page = '', line = 0 } = examples[at] ?? {};
    return found.map(({ messageText, start = 0 }) => {
      const inside = source?.getLineAndCharacterOfPosition(start).line ?? 0;
      return `${page}:${line + inside + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}

describe('the examples of the documentation', function () {
  this.timeout(120_000);
  let root = '';
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'tablewright-examples-'));
    for (const name of ['tablewright.config.ts', 'node_modules', 'package.json'])
      symlinkSync(join(repository, name), join(root, name));
    // Examples may write beside our own: their folders are copies made of links.
    for (const folder of ['engine', 'tables', 'migrations', 'seeds']) linkInto(join(repository, folder), join(root, folder));
    // What docs/package.md is about, a project of somebody else's.
    symlinkSync(join(repository, 'tests/package/project/tables/parcels.ts'), join(root, 'tables/parcels.ts'));
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it('compile, with what they import', () => {
    const examples = pages.flatMap(examplesOf);
    expect(examples.length).to.be.above(8);
    const broken = {
      page: 'broken.md',
      line: 1,
      text: "import { text } from 'tablewright';\nexport const n: number = text();\n",
    };
    const found = compile(root, [...examples, broken]);
    expect(found.filter((problem) => !problem.startsWith('broken.md'))).to.deep.equal([]);
    // A test that cannot fail proves nothing.
    expect(found)
      .to.have.length(1)
      .and.to.satisfy(([first]: readonly string[]) => first?.startsWith('broken.md:3: '));
  });

  it('of docs/model.md are proven, and its record is stored and read back as the page says', async () => {
    const found: Table[] = [];
    for (const example of examplesOf('docs/model.md')) {
      const path = join(root, pathOf(example));
      writeFileSync(path, example.text);
      const module = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
      const tables = Object.values(module).filter(
        (one): one is Table => typeof one === 'object' && one !== null && 'patterns' in one,
      );
      expect(prove(tables)).to.deep.equal([]);
      found.push(...tables);
      if (!('record' in module)) continue;
      const item = buildItem(module.samples as Table, module.sample as Entity, module.record as never);
      const read = tryReadRecord(module.sample as Entity, item);
      expect(read).to.have.property('record');
      const { record } = read as { readonly record: Readonly<Record<string, unknown>> };
      expect(record).to.deep.include({ price: '12345678901234567890.12345678', quantity: '1.5', remaining: '0', version: 3 });
      const types = Object.fromEntries(Object.entries(item).map(([name, value]) => [name, Object.keys(value)[0]]));
      expect(types).to.include({
        price: 'N',
        isOpen: 'BOOL',
        digest: 'B',
        labels: 'L',
        address: 'M',
        fees: 'M',
        settings: 'S',
        day: 'S',
      });
    }
    expect(found.map(({ name }) => name)).to.deep.equal(['samples', 'bids', 'parcels', 'events', 'accounts']);
  });

  it('of docs/model.md show every attribute kind, key condition, transform and projection', () => {
    const shown = examplesOf('docs/model.md')
      .map(({ text }) => text)
      .join('\n');
    const wordsIn = (file: string) =>
      [...readFileSync(join(repository, file), 'utf8').matchAll(/^export (?:const|function) (\w+)/gm)].map(
        ([, name = '']) => name,
      );
    const kinds = wordsIn('tables/model/attributes.ts').filter((name) => name in published);
    // Conditions of a key and of a rule are the published words that make an operation.
    const conditions = ['tables/model/pattern.ts', 'tables/model/condition.ts'].flatMap((file) =>
      wordsIn(file).filter((name) => name in published && !['ascending', 'descending', 'holds'].includes(name)),
    );
    expect(kinds.length).to.be.above(20);
    expect(conditions).to.include.members(['is', 'beginsWith', 'from', 'window', 'equals', 'absent', 'any']);
    expect(
      [...kinds, ...conditions].filter((name) => !new RegExp(`\\b${name}\\(`).test(shown.replace(/import[^;]*;/g, ''))),
    ).to.deep.equal([]);
    const transforms =
      readFileSync(join(repository, 'tables/model/template.ts'), 'utf8').match(/^ {2}(iso|negate|rest|pad\d+):/gm) ?? [];
    expect(transforms).to.have.length(8);
    expect(transforms.filter((name) => !shown.includes(`|${name.trim().slice(0, -1)}}`))).to.deep.equal([]);
    expect(["'KEYS_ONLY'", '{ include:', 'hydrate: true'].filter((part) => !shown.includes(part))).to.deep.equal([]);
  });
});

/** A folder with links to the files of another. */
function linkInto(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) linkInto(join(from, entry.name), join(to, entry.name));
    else symlinkSync(join(from, entry.name), join(to, entry.name));
  }
}
