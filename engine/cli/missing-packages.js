import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageFile } from './package-file.js';

/**
 * What commands need beside what applications do, and is not installed. An import that fails does not say of which package in
 * any other way than by its text, so all are looked for.
 * @returns {readonly string[]}
 */
function missingPackages() {
  const { resolve } = createRequire(import.meta.url);
  return Object.keys(packageFile().peerDependencies).filter((name) => {
    try {
      resolve(`${name}/package.json`);
      return false;
    } catch (error) {
      // A package that does not show its package.json is there.
      return /** @type {NodeJS.ErrnoException} */ (error).code === 'MODULE_NOT_FOUND';
    }
  });
}

/**
 * A command that could not load one of its packages, as a failure; undefined for any other error.
 * @param {unknown} error
 * @param {string} folder Where the command was run.
 * @returns {import('./failure.js').Failure | undefined}
 */
export function missingPackageFailure(error, folder) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (error instanceof Error ? error : {});
  if (code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  const missing = missingPackages();
  if (missing.length === 0) return undefined;
  return {
    code: 'PACKAGE_MISSING',
    summary: 'this command needs packages that applications do not, and not all are installed',
    problems: missing.map((name) => `${name}: not installed`),
    next: adviceFor(missing, listedFrom(folder)),
  };
}

/**
 * What is listed is only to be installed; what is not, `init` adds, in versions that fit.
 * @param {readonly string[]} missing
 * @param {ReadonlySet<string>} listed
 */
function adviceFor(missing, listed) {
  if (missing.every((name) => listed.has(name))) return "Run 'npm install': package.json lists them already.";
  return "Run 'npx tablewright init' where package.json is, which adds them to it and overwrites nothing, then 'npm install'.";
}

/**
 * The packages of the nearest package.json upwards.
 * @param {string} folder
 * @returns {ReadonlySet<string>}
 */
function listedFrom(folder) {
  for (let at = folder; ; at = dirname(at)) {
    const text = textOf(join(at, 'package.json'));
    if (text !== undefined) return namesIn(text);
    if (at === dirname(at)) return new Set();
  }
}

/** @param {string} path */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * None where it cannot be read: `init` says what is wrong with it.
 * @param {string} text
 * @returns {ReadonlySet<string>}
 */
function namesIn(text) {
  try {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(text);
    return new Set(Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }));
  } catch {
    return new Set();
  }
}
