import { createRequire } from 'node:module';
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
 * @returns {import('./failure.js').Failure | undefined}
 */
export function missingPackageFailure(error) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (error instanceof Error ? error : {});
  if (code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  const missing = missingPackages();
  if (missing.length === 0) return undefined;
  return {
    code: 'PACKAGE_MISSING',
    summary: 'this command needs packages that applications do not, and not all are installed',
    problems: missing.map((name) => `${name}: not installed`),
    next: `Run 'npm install --save-dev ${missing.join(' ')}'.`,
  };
}
