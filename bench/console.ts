/** npm run bench:console: how soon the first page is there, and what a page that watches a migration costs the server. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../tests/support/browser.ts';
import { startConsoleStack } from '../tests/support/console-stack.ts';

const rounds = 7;
const watchedMs = 20_000;

/** Seconds of processor time that a process has taken; Linux counts in hundredths. */
async function processorSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** From the link to the overview with every table in it, in a browser that has never been here. */
async function firstPageMs(browser: Browser, link: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const startedMs = performance.now();
  await page.goto(link);
  await page.getByRole('link', { name: 'tablewright-ledger-dev' }).waitFor();
  const ms = performance.now() - startedMs;
  await context.close();
  return ms;
}

const browser = await startBrowser();
if (browser === undefined) throw new Error('no browser starts here');
const stack = await startConsoleStack(60_000);
const child = spawn(process.execPath, [join(stack.root, 'engine/cli/bin.js'), 'console', '--no-open', '--json', ...stack.args], {
  cwd: stack.root,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.includes('"link"')) break;
  }
  const { link } = JSON.parse(printed.trim().split('\n').at(-1) ?? '{}') as { readonly link: string };
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await firstPageMs(browser, link));
  const sorted = times.toSorted((a, b) => a - b).map(Math.round);
  process.stdout.write(`first page: median ${sorted[Math.floor(rounds / 2)]} ms of ${sorted.join(', ')}\n`);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('link', { name: 'Migrations', exact: true }).click();
  stack.start('migrate', '--rate', '2000');
  await page.locator('.percent').waitFor();
  await page.waitForTimeout(2_000);
  const before = await processorSeconds(child.pid ?? 0);
  await page.waitForTimeout(watchedMs);
  const share = ((await processorSeconds(child.pid ?? 0)) - before) / (watchedMs / 1_000);
  const shown = await page.locator('.percent').textContent();
  process.stdout.write(
    `watching a migration (at ${shown} after ${watchedMs / 1_000} s): ${(share * 100).toFixed(1)} % of a core\n`,
  );
} finally {
  child.kill();
  await browser.close();
  await stack.close();
}
