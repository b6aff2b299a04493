import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { repository } from '../support/run-cli.ts';

const run = promisify(execFile);
const fixture = fileURLToPath(new URL('./project/', import.meta.url));

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project of somebody else's in an empty folder, with this package installed from its tarball. */
export interface InstalledProject {
  readonly root: string;
  /** How `init` went. */
  readonly begun: Ran;
  /** Runs a program there; an exit code other than 0 is a result as well. */
  node(...args: readonly string[]): Promise<Ran>;
  tablewright(...args: readonly string[]): Promise<Ran>;
  npm(...args: readonly string[]): Promise<Ran>;
  /** Bundles `NAME.ts` by the commands of docs/package.md, which have an application of another name, and gives what they made. */
  bundle(name: string): Promise<readonly string[]>;
  /** Megabytes of what was installed, before the packages of commands were added. */
  readonly megabytes: number;
  remove(): Promise<void>;
}

/** Packs this repository as `npm publish` would. */
export async function packRepository(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: repository });
  return join(folder, stdout.trim().split('\n').at(-1) ?? '');
}

/**
 * Begins a project as a person does: an empty folder, the tarball, `init`; then a table with two indexes, its seed, a migration and an
 * application. What an application needs comes from the tarball and npm; what commands need is linked, as it is here already.
 */
export async function installProject(tarball: string, kind: 'module' | 'commonjs'): Promise<InstalledProject> {
  const root = await mkdtemp(join(tmpdir(), 'tablewright-installed-'));
  const type = kind === 'module' ? { type: kind } : {};
  await writeFile(join(root, 'package.json'), JSON.stringify({ name: 'parcel-shop', private: true, ...type }));
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--silent'];
  const lean = ['--omit=optional', '--omit=peer', '--omit=dev'];
  await run('npm', ['install', ...quiet, ...lean, tarball], { cwd: root });
  const { stdout: size } = await run('du', ['-sm', 'node_modules'], { cwd: root });
  await linkPackages(root);
  const ran = (program: string, args: readonly string[]): Promise<Ran> =>
    run(program, args, { cwd: root }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: Ran) => ({ code, stdout, stderr }),
    );
  const node = (...args: readonly string[]) => ran(process.execPath, args);
  const tablewright = (...args: readonly string[]) => node('node_modules/.bin/tablewright', ...args);
  const begun = await tablewright('init');
  await addParcels(root);
  return {
    root,
    begun,
    node,
    tablewright,
    npm: (...args) => ran('npm', args),
    bundle: (name) => bundleIn(root, name),
    megabytes: Number.parseInt(size, 10),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** What a team adds: files of its own, and the lines of its table in the project file. */
async function addParcels(root: string): Promise<void> {
  await cp(fixture, root, { recursive: true, filter: (from) => !from.endsWith('tablewright.config.ts') });
  const path = join(root, 'tablewright.config.ts');
  const text = await readFile(path, 'utf8');
  const imported = "import { orders } from './tables/orders.ts';\n";
  const added = text
    .replace(imported, `${imported}import { parcels } from './tables/parcels.ts';\n`)
    .replace('tables: { orders }', 'tables: { orders, parcels }');
  await writeFile(path, added);
}

/** The lines run in a shell as they are written, but for the application's name. */
async function bundleIn(root: string, name: string): Promise<readonly string[]> {
  const page = await readFile(join(repository, 'docs/package.md'), 'utf8');
  const lines = [...page.matchAll(/^(npx esbuild app\.ts .*)$/gm)].map(([, line = '']) =>
    line.replaceAll(/\bapp\./g, `${name}.`),
  );
  for (const line of lines) await run('sh', ['-c', line], { cwd: root });
  return lines.map((line) => /--outfile=(\S+)/.exec(line)?.[1] ?? '');
}

async function linkPackages(root: string): Promise<void> {
  const engines = Object.keys(packageJson.optionalDependencies);
  const types = ['@types/node', 'undici-types', 'esbuild'];
  for (const name of [...Object.keys(packageJson.peerDependencies), ...engines, ...types]) {
    const place = join(root, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    const there = await readdir(place).catch(() => undefined);
    const here = join(repository, 'node_modules', name);
    // An engine of another platform is not here either.
    if (there === undefined && (await readdir(here).catch(() => undefined)) !== undefined) await symlink(here, place);
  }
  // The commands of what is linked, as npm makes them.
  for (const name of ['tsx', 'tsc', 'esbuild']) {
    await symlink(join(repository, 'node_modules/.bin', name), join(root, 'node_modules/.bin', name));
  }
}
