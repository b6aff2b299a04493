import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The peers are this folder's own dependencies: installed by its lockfile when they are not there yet. */
export function installPeers(): void {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  if (existsSync(new URL('node_modules/.package-lock.json', import.meta.url))) return;
  process.stderr.write('installing the peers of the bench (npm ci in bench/)\n');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error('npm ci in bench/ failed');
}
