// Makes dist/, which is what is published: modules for Node with declarations and source maps, and beside them the files that are no code.
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
copyOthers();
dropIdleDeclarations();

/** Pages, pictures and the like beside the code. */
function copyOthers() {
  for (const folder of ['engine', 'infra']) {
    for (const path of filesIn(join(root, folder))) {
      if (!/\.(ts|js|json)$/.test(path)) cpSync(path, join(dist, relative(root, path)));
    }
  }
}

/** Types that no entry of the package leads to serve nobody: the command line is no library. */
function dropIdleDeclarations() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  /** @type {Set<string>} */
  const reached = new Set();
  /** @param {string} file */
  const reach = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]*)['"]/g)) {
      reach(join(dirname(file), target.replace(/\.[jt]s$/, '.d.ts')));
    }
  };
  for (const { types } of Object.values(exports)) if (types !== undefined) reach(join(root, types));
  for (const path of filesIn(dist)) if (path.endsWith('.d.ts') && !reached.has(path)) rmSync(path);
}

/** @param {string} folder */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
