import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The peers are this folder's own dependencies: installed by its lockfile when they are not there yet or it is newer. */
export function installPeers(): void {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const installedMs = changedMs('node_modules/.package-lock.json');
  if (installedMs !== undefined && installedMs >= (changedMs('package-lock.json') ?? 0)) return;
  process.stderr.write('installing the peers of the bench (npm ci in bench/)\n');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error('npm ci in bench/ failed');
}

function changedMs(file: string): number | undefined {
  return statSync(new URL(file, import.meta.url), { throwIfNoEntry: false })?.mtimeMs;
}
