import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where people and Debian have one. */
const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium'];

/** A Chromium of this machine, `CHROMIUM=PATH` before others, else the one of the npm package; undefined where none starts. */
export async function startBrowser(): Promise<Browser | undefined> {
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  const named = process.env.CHROMIUM;
  for (const executablePath of [...(named === undefined ? [] : [named]), ...usual.filter(isProgram)]) {
    const started = await chromium.launch({ executablePath, args }).catch(tell);
    if (started !== undefined) return started;
  }
  try {
    const { default: packed } = await import('@sparticuz/chromium');
    // Not the package's own arguments: they are for AWS Lambda, with one process and without the rules that are tested here.
    return await chromium.launch({ executablePath: await packed.executablePath(), args: [...args, '--disable-gpu'] });
  } catch (error) {
    return tell(error);
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function tell(error: unknown): undefined {
  process.stdout.write(`  (a browser does not start: ${String(error).split('\n')[0]})\n`);
}
