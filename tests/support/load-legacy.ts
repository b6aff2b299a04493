import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { repository } from './run-cli.ts';
import type { TestEngine } from './test-engine.ts';

/**
 * Loads every fixture and the legacy set, as `up` does. In a process of its own: mocha requires its tests, seed sets are
 * imported, and the two would see two copies of the catalogue.
 */
export async function loadLegacy(engine: TestEngine): Promise<void> {
  const script = fileURLToPath(new URL('./load-legacy-process.ts', import.meta.url));
  await promisify(execFile)(process.execPath, ['--import', 'tsx', script, engine.endpoint], { cwd: repository });
}
