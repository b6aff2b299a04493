import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import {
  engineFor,
  furtherTools,
  ignoreFile,
  packageManifest,
  projectFiles,
  projectNameFrom,
} from '../../core/begin/project-templates.ts';
import { makeFolder } from '../../local/make-folder.ts';
import { isThere, writeFile } from '../../local/write-file.ts';
import type { Action } from '../context.ts';
import { packageFile } from '../package-file.js';
import type spec from './init.spec.js';

const usualRegion = 'us-east-1';

/** Begins a project. What is there stays as it is; package.json and .gitignore get what they lack. */
const init: Action<typeof spec> = async (context, given) => {
  const { cwd: root, env } = context;
  const manifest = await readManifest(root);
  const name = projectNameFrom(given.name ?? textOf(manifest?.name) ?? basename(root));
  const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? usualRegion;
  const written: string[] = [];
  const kept: string[] = [];
  for (const { path, text } of projectFiles({ name, region })) {
    context.signal.throwIfAborted();
    ((await writeNew(join(root, path), text)) ? written : kept).push(path);
  }
  const ignored = await addIgnored(root);
  const added = await addPackages(root, name, manifest);
  context.output.result({ name, written, kept, ignored, package: added }, () =>
    [
      ...written.map((path) => `wrote ${path}`),
      ...kept.map((path) => `kept  ${path}, which was there`),
      ...(ignored ? ['added to .gitignore'] : []),
      ...(added.length === 0 ? [] : [`added to package.json: ${added.join(', ')}`]),
      '→ npm install',
      '  npx tablewright up     # every table on an engine on this machine, with its seeds and patterns',
      '  npm test',
    ].join('\n'),
  );
  return 0;
};

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

async function readManifest(root: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await readPresent(join(root, 'package.json'));
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new TablewrightError('BAD_CONFIG', `package.json is no valid JSON: ${(error as Error).message}`, {
      cause: error,
      next: 'Correct package.json; nothing was written yet.',
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
  present: Readonly<Record<string, unknown>> | undefined,
): Promise<readonly string[]> {
  const { version, peerDependencies, optionalDependencies = {} } = packageFile();
  const engine = engineFor(process.platform, process.arch);
  const tools = { ...peerDependencies, [engine]: optionalDependencies[engine] ?? '*', ...furtherTools };
  const { manifest, added } = packageManifest({ name, present, version, tools });
  if (added.length > 0) await writeFile(join(root, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return added;
}

export default init;
