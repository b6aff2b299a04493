import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';
import { exitCodes } from '../engine/cli/exit-codes.js';
import { errorExitCodes } from '../tables/model/error.ts';
import { ledgerKeys } from '../tables/model/ledger/ledger-keys.ts';
import { literalPrefix } from '../tables/model/template.ts';
import { cyclesOf, readModule } from './support/module-graph.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What each folder may import, as in the layout rules: own folders by path, packages by name. Node's own modules are apart. */
const rules: Readonly<
  Record<string, { readonly own: readonly string[]; readonly packages: readonly string[]; readonly node: boolean }>
> = {
  'tables/model': { own: ['tables/model'], packages: ['zod', 'zod/'], node: false },
  // A further table may import the package by its name, as the README's does.
  tables: { own: ['tables'], packages: ['zod', 'zod/', 'tablewright'], node: false },
  infra: {
    own: ['infra', 'tables/model'],
    packages: ['@pulumi/', '@grpc/grpc-js', 'google-protobuf/', 'yaml'],
    node: true,
  },
  // The document client's type alone: it is what custom steps are given.
  'engine/core': { own: ['engine/core', 'tables/model'], packages: ['@aws-sdk/lib-dynamodb'], node: false },
  'engine/run': { own: ['engine/run', 'engine/core', 'tables/model'], packages: ['p-limit'], node: false },
  'engine/aws': { own: ['engine/aws', 'engine/core', 'tables/model'], packages: ['@aws-sdk/', '@smithy/', 'tsx/'], node: true },
  'engine/local': {
    own: ['engine/local', 'engine/core', 'tables/model'],
    packages: ['@aws-sdk/', '@20minutes/s3rver'],
    node: true,
  },
  'engine/cli': {
    own: ['engine', 'tables/model'],
    packages: [
      'yaml',
      'csv-parse',
      'jsonc-parser',
      'esbuild',
      'fflate',
      'get-east-asian-width',
      'tsx/',
      'aws-local-stepfunctions',
    ],
    node: true,
  },
  'engine/console': {
    own: ['engine', 'tables/model'],
    packages: ['hono', 'hono/', '@hono/node-server', 'esbuild', 'preact', 'preact/', '@preact/signals', 'uplot', 'uplot/'],
    node: true,
  },
  'engine/testing': { own: ['engine', 'tables/model'], packages: ['@aws-sdk/client-dynamodb'], node: true },
  'engine/audit': { own: ['engine/audit', 'tables/model'], packages: ['typescript'], node: false },
  migrations: { own: ['tables', 'engine/author.ts', 'tablewright.config.ts'], packages: ['tablewright'], node: false },
  seeds: { own: ['tables', 'seeds', 'engine/author.ts'], packages: ['tablewright'], node: false },
};

/** Exports that nothing here takes, and why they are there. */
const published: Readonly<Record<string, string>> = {
  'engine/cli/lambda/handler.ts lambdaHandler': 'what the module of a bundle imports',
};

interface Import {
  readonly file: string;
  readonly target: string;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|js)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

const sources = (folders: readonly string[]) =>
  folders
    .flatMap(filesIn)
    .filter((file) => !file.endsWith('.d.ts'))
    .map((file) => readModule(root, file));

/** By the compiler's own reader, so that code inside a text is not taken for an import. */
function importsOf(file: string): readonly Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName: target }) => ({
    file,
    target: target.startsWith('.') ? relative(root, resolve(root, dirname(file), target)) : target,
  }));
}

function isWithin(target: string, folders: readonly string[]): boolean {
  return folders.some((folder) => target === folder || target.startsWith(`${folder}/`));
}

/** The Pulumi program of this repository: the content side of infra/, which is not published. */
const ownPrograms = ['infra/index.ts'];

function allowed(folder: string, { file, target }: Import): boolean {
  if (ownPrograms.includes(file) && target === 'tablewright.config.ts') return true;
  const rule = rules[folder];
  if (rule === undefined) return false;
  if (target.startsWith('node:')) return rule.node;
  const ownFolders = ['tablewright.config.ts', 'tables', 'infra', 'engine', 'migrations', 'seeds', 'tests', 'bench', 'examples'];
  if (isWithin(target, ownFolders)) return isWithin(target, rule.own);
  return rule.packages.some((name) => target === name || (name.endsWith('/') && target.startsWith(name)));
}

describe('the architecture', () => {
  for (const folder of Object.keys(rules)) {
    it(`${folder} imports only what its layer may`, () => {
      const files = filesIn(folder);
      expect(files, `no source in ${folder}`).not.to.have.length(0);
      const broken = files.flatMap(importsOf).filter((found) => !allowed(folder, found));
      expect(broken.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([]);
    });
  }

  it('no modules need one another before they are there', () => {
    const modules = sources(['engine', 'tables', 'infra', 'seeds', 'migrations']);
    expect(modules.flatMap(({ uses }) => uses)).to.have.length.above(1_000);
    expect(cyclesOf(modules)).to.deep.equal([]);
    const asIf = { name: 'x', file: 'tables/model/decimal.ts', target: 'tables/model/item.ts', erased: false };
    const decimal = modules.find(({ file }) => file === asIf.file);
    const broken = [...modules.filter((module) => module !== decimal), { ...decimal, uses: [asIf] } as (typeof modules)[number]];
    expect(cyclesOf(broken)[0]).to.include.members([asIf.file, asIf.target]);
  });

  it('every exported name has one home', () => {
    // Operations are words of their systems: an application says `operations.markets.takeLock`.
    const isOperation = (file: string) => /^tables\/[^/]+\/operations\.ts$/.test(file);
    const homes = new Map<string, string[]>();
    for (const { name, file } of sources(['engine', 'tables', 'infra']).flatMap(({ exports }) => exports)) {
      if (!isOperation(file)) homes.set(name, [...(homes.get(name) ?? []), file]);
    }
    expect(homes.size).to.be.above(1_000);
    expect(
      [...homes].filter(([, files]) => files.length > 1).map(([name, files]) => `${name}: ${files.join(', ')}`),
    ).to.deep.equal([]);
  });

  it('every export serves the program itself, not only its tests', () => {
    const modules = [
      ...sources(['engine', 'tables', 'infra', 'seeds', 'migrations', 'examples']),
      readModule(root, 'tablewright.config.ts'),
    ];
    const taken = new Set(modules.flatMap(({ uses }) => uses.map(({ target, name }) => `${target} ${name}`)));
    const idle = modules.flatMap(({ file, exports, mentions }) =>
      exports
        .filter(({ name }) => !taken.has(`${file} ${name}`) && !taken.has(`${file} *`) && !mentions.has(name))
        .map(({ name }) => `${file} ${name}`),
    );
    expect(idle.filter((one) => !(one in published))).to.deep.equal([]);
    expect(Object.keys(published).filter((one) => !idle.includes(one))).to.deep.equal([]);
  });

  it('nothing that is published imports content, which is the tables of systems, migrations, seeds and the project file', () => {
    const ours = filesIn('engine')
      .concat(filesIn('tables/model'), filesIn('infra'))
      .filter((file) => !ownPrograms.includes(file));
    expect(ours, 'those beside the folders, too').to.include.members(['engine/index.ts', 'engine/application.ts']);
    const isContent = (target: string) =>
      isWithin(target, ['migrations', 'seeds', 'tablewright.config.ts']) ||
      (isWithin(target, ['tables']) && !isWithin(target, ['tables/model']));
    expect(
      isContent('tables/catalogue.ts') && isContent('tablewright.config.ts') && !isContent('tables/model/table.ts'),
    ).to.equal(true);
    const taken = ours.flatMap(importsOf).filter(({ target }) => isContent(target));
    expect(taken.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([]);
  });

  it('every folder of engine has a rule', () => {
    const folders = readdirSync(join(root, 'engine'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((entry) => `engine/${entry.name}`).filter((folder) => !(folder in rules))).to.deep.equal([]);
  });

  it('only two files make AWS clients: what applications need, and what commands do', () => {
    const makers = ['tables', 'infra', 'engine', 'migrations', 'seeds']
      .flatMap(filesIn)
      .filter((file) => /new (\w+\.)?[A-Z]\w*Client\(/.test(readFileSync(join(root, file), 'utf8')));
    expect(makers).to.have.members(['engine/aws/clients.ts', 'engine/aws/command-clients.ts']);
  });

  it('only the expression builder writes expressions', () => {
    const byHand = /attribute_(not_)?exists\(|begins_with\(|\} BETWEEN |Expression['"]?\s*[:=]\s*['"`]/;
    // The audit reads other people's.
    const own = filesIn('engine').filter((file) => !file.startsWith('engine/audit/'));
    const writers = own.filter((file) => byHand.test(readFileSync(join(root, file), 'utf8')));
    expect(writers).to.deep.equal(['engine/core/store/expression.ts']);
    // What is given as an expression comes from a builder, at once or by the name of what came from one.
    const given = /\b\w+Expression\??\s*[:=]\s*(?!string\b|expressions\.|conditionOf\(expressions|filter\b)[^=\s].*/g;
    const others = own.flatMap((file) =>
      (readFileSync(join(root, file), 'utf8').match(given) ?? []).map((line) => `${file}: ${line}`),
    );
    expect(others.filter((line) => !line.startsWith('engine/core/store/expression.ts'))).to.deep.equal([]);
  });

  it('there is one retry policy: nothing else doubles a delay or draws one', () => {
    const draws = /\b2 \*\* [A-Za-z(]|Math\.pow\(2|DelayMs \*|\* \w*[dD]elayMs/;
    const guilty = filesIn('engine').filter((file) => draws.test(readFileSync(join(root, file), 'utf8')));
    expect(guilty).to.deep.equal(['engine/core/store/retry-policy.ts']);
  });

  it('every wait of the runners ends with a signal', () => {
    const waits = filesIn('engine/run').flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\bsleep\(([^()]*(?:\([^()]*\))?[^()]*)\)/g)]
        .filter(([, args = '']) => !/^ms: number/.test(args) && !/(signal|stop|stopping)$/i.test(args.trim()))
        .map(([whole]) => `${file}: ${whole}`),
    );
    expect(waits).to.deep.equal([]);
  });

  it('rooms have the same names in every layer, and their tests lie in folders of these names', () => {
    const foldersIn = (folder: string): readonly string[] =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);
    const rooms = foldersIn('engine/core');
    expect(rooms).to.include.members([...foldersIn('engine/run')]);
    // How requests get to the network is a matter of that layer alone.
    expect([...rooms, 'wire']).to.include.members([...foldersIn('engine/aws')]);
    expect(foldersIn('tests/engine')).to.have.members([...rooms, 'wire', 'audit', 'local']);
    expect(
      readdirSync(join(root, 'engine/core'), { withFileTypes: true }).filter((entry) => entry.isFile()),
      'loose files in engine/core',
    ).to.deep.equal([]);
  });

  it('help needs no compiler and no SDK: plain JavaScript of the command line and of Node alone', () => {
    const reached = new Set<string>();
    const reach = (file: string): readonly string[] => {
      if (reached.has(file)) return [];
      reached.add(file);
      const text = readFileSync(join(root, file), 'utf8');
      const loaded = [...text.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'/gm)].flatMap(
        ([, from, effect]) => from ?? effect ?? [],
      );
      return loaded.flatMap((target) => {
        if (target.startsWith('node:')) return [];
        if (!target.startsWith('.')) return [`${file} loads ${target}`];
        const path = relative(root, resolve(root, dirname(file), target));
        return /^engine\/(cli|core\/show)\/.*\.js$/.test(path) ? reach(path) : [`${file} loads ${path}`];
      });
    };
    expect(reach('engine/cli/start.js')).to.deep.equal([]);
    expect(reached.size).to.be.above(40);
  });

  it('errors end with the exit codes that there are', () => {
    expect(Object.values(exitCodes)).to.include.members([...new Set<number>(Object.values(errorExitCodes))]);
  });

  it('ARNs are put together in one file', () => {
    const spelling = ['tables', 'infra', 'engine']
      .flatMap(filesIn)
      .filter((file) => /arn:\$\{|`arn:aws/.test(readFileSync(join(root, file), 'utf8')));
    expect(spelling).to.deep.equal(['tables/model/stack/aws-place.ts']);
  });

  it('the keys of the ledger are spelt in one file', () => {
    const prefixes = Object.values(ledgerKeys).flatMap(({ PK, SK }) => [literalPrefix(PK), literalPrefix(SK)]);
    const spelt = new RegExp(`['"\`](${[...new Set(prefixes)].filter((prefix) => prefix.endsWith('#')).join('|')})`);
    const spelling = ['tables/model/ledger', 'infra', 'engine']
      .flatMap(filesIn)
      .filter((file) => spelt.test(readFileSync(join(root, file), 'utf8')));
    expect(spelling).to.deep.equal(['tables/model/ledger/ledger-keys.ts']);
  });

  it('the core imports nothing of the SDK but types', () => {
    const guilty = filesIn('engine/core').filter((file) =>
      /^import (?!type )[^;]*'@aws-sdk\//m.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(guilty).to.deep.equal([]);
  });

  it('only tests import the policy evaluator, whose licence (AGPL) is for development alone', () => {
    const users = ['tables', 'infra', 'engine', 'migrations', 'seeds', 'bench', 'examples']
      .flatMap(filesIn)
      .flatMap(importsOf)
      .filter(({ target }) => target.startsWith('@cloud-copilot/'));
    expect(users).to.deep.equal([]);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Readonly<
      Record<'dependencies' | 'devDependencies', object>
    >;
    expect(dependencies).not.to.have.property('@cloud-copilot/iam-simulate');
    expect(devDependencies).to.have.property('@cloud-copilot/iam-simulate');
  });

  it('only infra imports Pulumi', () => {
    const users = ['tables', 'engine', 'migrations', 'seeds']
      .flatMap(filesIn)
      .flatMap(importsOf)
      .filter(({ target }) => target.startsWith('@pulumi/'));
    expect(users).to.deep.equal([]);
  });

  it('the core reads no clock, randomness, environment or console', () => {
    const forbidden =
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.(env|argv|cwd|hrtime|exit|pid|std)|\bconsole\.|\bperformance\.now\(|\bfetch\(/;
    const guilty = ['tables', 'engine/core']
      .flatMap(filesIn)
      .filter((file) => forbidden.test(readFileSync(join(root, file), 'utf8')));
    expect(guilty).to.deep.equal([]);
  });

  it('only the command line prints', () => {
    const guilty = ['tables', 'engine/core', 'engine/run', 'engine/aws', 'engine/local']
      .flatMap(filesIn)
      .filter((file) => /\bconsole\.|process\.std(out|err)\b/.test(readFileSync(join(root, file), 'utf8')));
    expect(guilty).to.deep.equal([]);
  });

  it('no test is put aside in the sources; one place skips what a machine cannot run, with the reason', () => {
    const aside = /\b(?:it|describe|context)\.(?:skip|only)\b|\bx(?:it|describe)\(|\bit\((?:'[^']*'|`[^`]*`)\);|\.skip\(\)/;
    const guilty = filesIn('tests').filter((file) => aside.test(readFileSync(join(root, file), 'utf8')));
    expect(guilty).to.deep.equal(['tests/support/left-out.ts']);
  });
});
