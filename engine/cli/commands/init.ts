import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import {
  engineFor,
  furtherTools,
  manifestProblems,
  type PackageChange,
  packageManifest,
} from '../../core/begin/package-manifest.ts';
import {
  compilerSettings,
  type Example,
  exampleAt,
  ignoreFile,
  type ProjectFacts,
  projectFiles,
  projectNameFrom,
  type TemplateFile,
} from '../../core/begin/project-templates.ts';
import { plural } from '../../core/show/numbers.ts';
import { makeFolder } from '../../local/make-folder.ts';
import { readFolder } from '../../local/read-folder.ts';
import { isThere, writeFile } from '../../local/write-file.ts';
import type { Action } from '../context.ts';
import { packageFile } from '../package-file.js';
import { projectFile } from '../project/load-project.ts';
import type spec from './init.spec.js';

const usualRegion = 'us-east-1';
const usualMigrations = 'migrations';

/** Begins a project. What is there stays as it is; package.json and .gitignore get what they lack. */
const init: Action<typeof spec> = async (context, given) => {
  const { cwd: root, env } = context;
  const present = await readManifest(root);
  const name = projectNameFrom(given.name ?? textOf(present?.manifest.name) ?? basename(root));
  const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? usualRegion;
  const begun = existsSync(join(root, projectFile));
  const facts = { name, region, migrations: begun ? usualMigrations : await freeFolder(root) };
  // A team that took the example away must not get it back: what lacks packages is told to run this.
  const example = begun ? undefined : await freeExample(root, facts);
  const written: string[] = [];
  const kept: string[] = begun ? [projectFile] : [];
  for (const { path, text } of [...(example?.files ?? []), ...projectFiles(facts)]) {
    context.signal.throwIfAborted();
    ((await writeNew(join(root, path), text)) ? written : kept).push(path);
  }
  const ignored = await addIgnored(root);
  const { added, kept: own } = await addPackages(root, name, present);
  const result = {
    name,
    written,
    kept: [...kept, ...own.map((script) => `package.json ${script}`)],
    ignored,
    package: added,
  };
  context.output.result(result, () => [...describe(result), ...nextSteps(result, example)].join('\n'));
  return 0;
};

interface Result {
  readonly written: readonly string[];
  readonly kept: readonly string[];
  readonly ignored: boolean;
  readonly package: readonly string[];
}

function describe({ written, kept, ignored, package: added }: Result): readonly string[] {
  return [
    ...written.map((path) => `wrote ${path}`),
    ...kept.map((what) => `kept  ${what}, which was there`),
    ...(ignored ? ['added to .gitignore'] : []),
    ...(added.length === 0 ? [] : [`added to package.json: ${describeAdded(added)}`]),
  ];
}

function nextSteps({ kept }: Result, example: Example | undefined): readonly string[] {
  const isTheirs = (what: string) => example !== undefined && kept.includes(what);
  return [
    ...(isTheirs(compilerSettings)
      ? [`→ ${compilerSettings} stays yours: docs/package.md says what it needs for definitions`]
      : []),
    '→ npm install',
    '  npx tablewright up     # every table on an engine on this machine, with its seeds and patterns',
    isTheirs('package.json scripts.test') ? `  npx tsx --test ${example?.test}     # 'npm test' stays yours` : '  npm test',
  ];
}

/** Every file in it would be taken for a migration of ours, and another tool's may lie in the usual one. */
async function freeFolder(root: string): Promise<string> {
  const there = await readFolder(join(root, usualMigrations));
  return there.length === 0 ? usualMigrations : `table-${usualMigrations}`;
}

/** The first example whose places are all free, or hold what an `init` that was killed had written. */
async function freeExample(root: string, facts: ProjectFacts): Promise<Example> {
  const isFree = async ({ path, text }: TemplateFile) => [undefined, text].includes(await readPresent(join(root, path)));
  for (let place = 0; ; place += 1) {
    const example = exampleAt(place, facts);
    const free = await Promise.all(example.files.map(isFree));
    if (!free.includes(false)) return example;
  }
}

/** Scripts by name, since people call them; of some thirty packages their number: package.json lists them. */
function describeAdded(added: readonly string[]): string {
  const scripts = added.filter((name) => name.startsWith('scripts.'));
  const packages = added.length - scripts.length;
  return [...scripts, ...(packages === 0 ? [] : [plural(packages, 'package')])].join(', ');
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** False where such a file is there already. */
async function writeNew(path: string, text: string): Promise<boolean> {
  await makeFolder(join(path, '..'));
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (!isThere(error)) throw error;
    if ((await stat(path)).isFile()) return false;
    throw new TablewrightError('FILE_FAILED', `${path}: it is a folder, and a file is needed`, {
      cause: error,
      next: "Move it away, then run 'tablewright init' again; what was written stays.",
    });
  }
}

async function readPresent(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

interface PresentManifest {
  readonly text: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

async function readManifest(root: string): Promise<PresentManifest | undefined> {
  const text = await readPresent(join(root, 'package.json'));
  if (text === undefined) return undefined;
  const manifest = parseManifest(text);
  const problems = manifestProblems(manifest);
  if (problems.length === 0) return { text, manifest: manifest as PresentManifest['manifest'] };
  throw new TablewrightError('BAD_CONFIG', 'package.json cannot be added to', { problems, next: correctManifest });
}

const correctManifest = 'Correct package.json; nothing was written yet.';

function parseManifest(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    throw new TablewrightError('BAD_CONFIG', `package.json is no valid JSON: ${message}`, {
      cause: error,
      next: correctManifest,
    });
  }
}

async function addIgnored(root: string): Promise<boolean> {
  const path = join(root, '.gitignore');
  const text = ignoreFile(await readPresent(path));
  if (text !== undefined) await writeFile(path, text);
  return text !== undefined;
}

async function addPackages(
  root: string,
  name: string,
  present: PresentManifest | undefined,
): Promise<Pick<PackageChange, 'added' | 'kept'>> {
  const { version, peerDependencies, optionalDependencies = {} } = packageFile();
  const engine = engineFor(process.platform, process.arch);
  const engines = { [engine]: optionalDependencies[engine] ?? '*' };
  const tools = { ...peerDependencies, ...furtherTools };
  const { manifest, added, kept } = packageManifest({ name, present: present?.manifest, version, tools, engines });
  // Written as it was, so that a comparison shows what was added and nothing else.
  const indent = /^[{\s]*?\n([ \t]+)"/.exec(present?.text ?? '')?.[1] ?? '  ';
  if (added.length > 0) await writeFile(join(root, 'package.json'), `${JSON.stringify(manifest, null, indent)}\n`);
  return { added, kept };
}

export default init;
