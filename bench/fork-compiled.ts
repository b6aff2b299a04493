import { type ChildProcess, execFileSync, type ForkOptions, fork } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const target = join(folder, '../node_modules/.cache/bench');
let isCompiled = false;

/**
 * A process of the bench, compiled as the package is. Run from its sources every function is wrapped to keep its name and the compiler stays in
 * memory: that costs a third more time for an item, and nobody who installed the package pays it.
 */
export function forkCompiled(module: string, args: readonly string[] = [], options: ForkOptions = {}): ChildProcess {
  return fork(compiled(`bench/${module}`), args, { execArgv: [], ...options });
}

/** Where a file of the repository is, compiled. */
export function compiled(path: string): string {
  if (!isCompiled) compile();
  isCompiled = true;
  return join(target, path.replace(/\.ts$/, '.js'));
}

function compile(): void {
  rmSync(target, { recursive: true, force: true });
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(folder, 'tsconfig.json')], { stdio: 'inherit' });
  // The peers are this folder's own; the toolkit's packages are found above.
  symlinkSync(join(folder, 'node_modules'), join(target, 'bench/node_modules'), 'dir');
}
