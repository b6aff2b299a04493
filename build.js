// Makes dist/, which is what is published: modules for Node with declarations and source maps, and beside them the files that are no code.
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

rmSync(join(root, 'dist'), { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
for (const folder of ['engine', 'infra']) {
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || /\.(ts|js|json)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    cpSync(path, join(root, 'dist', path.slice(root.length)));
  }
}
