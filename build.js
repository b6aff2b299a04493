// Makes dist/, which is what is published: modules for Node with declarations and source maps, and beside them the files that are no code.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const compiler = findCompiler();

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
copyOthers();
dropIdleDeclarations();
nameModules();
await makePages();

/** `npm pack` in a fresh clone comes here first. */
function findCompiler() {
  try {
    return createRequire(import.meta.url).resolve('typescript/bin/tsc');
  } catch {
    console.error("The package cannot be built: its packages are not installed. Run 'npm ci' first.");
    process.exit(1);
  }
}

/** Pages, pictures and the like beside the code. */
function copyOthers() {
  for (const folder of ['engine', 'infra']) {
    for (const path of filesIn(join(root, folder))) {
      if (!/\.(tsx?|js|json|css)$/.test(path)) cpSync(path, join(dist, relative(root, path)));
    }
  }
}

/** The console's pages, ready for a browser: whoever installs the package needs nothing to make them. */
async function makePages() {
  const { makeConsolePages } = await import(new URL('./dist/engine/console/bundle.js', import.meta.url).href);
  const { script, style } = await makeConsolePages(join(root, 'engine/console/pages'));
  writeFileSync(join(dist, 'engine/console/pages/app.js'), script);
  writeFileSync(join(dist, 'engine/console/pages/app.css'), style);
}

/** Types that no entry of the package leads to serve nobody, and hardly anybody reads those sources: the command line is no library. */
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
  for (const path of filesIn(dist)) {
    if (!path.endsWith('.d.ts') || reached.has(path)) continue;
    rmSync(path);
    dropText(path.replace(/\.d\.ts$/, '.js.map'));
  }
}

/** The compiler writes the names of modules into code, and leaves those of sources, which are not published, in declarations. */
function nameModules() {
  for (const path of filesIn(dist)) {
    if (!path.endsWith('.d.ts')) continue;
    const text = readFileSync(path, 'utf8');
    const named = text.replace(/((?:from |import |import\()(['"])\.[^'"]*)\.ts\2/g, '$1.js$2');
    if (named !== text) writeFileSync(path, named);
  }
}

/**
 * The text of the source in a map. Lines and names of a trace need none, and an application carries the command line along as well.
 * @param {string} map
 */
function dropText(map) {
  if (!existsSync(map)) return;
  const { sourcesContent: _, ...rest } = JSON.parse(readFileSync(map, 'utf8'));
  writeFileSync(map, JSON.stringify(rest));
}

/** @param {string} folder */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
