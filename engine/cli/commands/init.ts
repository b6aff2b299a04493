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
import { ignoreFile, projectFiles, projectNameFrom } from '../../core/begin/project-templates.ts';
import { plural } from '../../core/show/numbers.ts';
import { makeFolder } from '../../local/make-folder.ts';
import { isThere, writeFile } from '../../local/write-file.ts';
import type { Action } from '../context.ts';
import { packageFile } from '../package-file.js';
import type spec from './init.spec.js';

const usualRegion = 'us-east-1';

/** Begins a project. What is there stays as it is; package.json and .gitignore get what they lack. */
const init: Action<typeof spec> = async (context, given) => {
  const { cwd: root, env } = context;
  const present = await readManifest(root);
  const name = projectNameFrom(given.name ?? textOf(present?.manifest.name) ?? basename(root));
  const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? usualRegion;
  const written: string[] = [];
  const kept: string[] = [];
  for (const { path, text } of projectFiles({ name, region })) {
    context.signal.throwIfAborted();
    ((await writeNew(join(root, path), text)) ? written : kept).push(path);
  }
  const ignored = await addIgnored(root);
  const { added, kept: own } = await addPackages(root, name, present);
  const stayed = [...kept, ...own.map((script) => `package.json ${script}`)];
  context.output.result({ name, written, kept: stayed, ignored, package: added }, () =>
    [
      ...written.map((path) => `wrote ${path}`),
      ...stayed.map((what) => `kept  ${what}, which was there`),
      ...(ignored ? ['added to .gitignore'] : []),
      ...(added.length === 0 ? [] : [`added to package.json: ${describeAdded(added)}`]),
      '→ npm install',
      '  npx tablewright up     # every table on an engine on this machine, with its seeds and patterns',
      own.includes('scripts.test') ? "  npx tsx --test tests/orders.test.ts     # 'npm test' stays yours" : '  npm test',
    ].join('\n'),
  );
  return 0;
};

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
  const tools = { ...peerDependencies, [engine]: optionalDependencies[engine] ?? '*', ...furtherTools };
  const { manifest, added, kept } = packageManifest({ name, present: present?.manifest, version, tools });
  // Written as it was, so that a comparison shows what was added and nothing else.
  const indent = /^[{\s]*?\n([ \t]+)"/.exec(present?.text ?? '')?.[1] ?? '  ';
  if (added.length > 0) await writeFile(join(root, 'package.json'), `${JSON.stringify(manifest, null, indent)}\n`);
  return { added, kept };
}

export default init;
