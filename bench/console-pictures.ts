/** npm run console:pictures: the pictures of docs/console.md, of a stack of its own, with a migration that runs. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startBrowser } from '../tests/support/browser.ts';
import { serveConsole } from '../tests/support/console-bed.ts';
import { startConsoleStack } from '../tests/support/console-stack.ts';
import { repository } from '../tests/support/run-cli.ts';

const folder = join(repository, 'docs/images');

const pictures = [
  { name: 'overview', path: '', width: 1_200, height: 820 },
  { name: 'items', path: 'tables/oms_trading_data', width: 1_200, height: 620 },
  { name: 'pattern', path: 'patterns/markets.orders.bestBids', width: 1_200, height: 900, press: 'Read' },
  { name: 'model', path: 'model/oms_trading_data', width: 1_400, height: 760 },
  { name: 'cutover', path: 'cutover', width: 1_200, height: 760, press: 'Compare all' },
  { name: 'narrow', path: 'patterns', width: 360, height: 640, dark: true },
  { name: 'migration', path: 'migrations', width: 1_200, height: 860, dark: true, run: true },
] as const;

/** More than half of the run is done. */
const isFar = "parseFloat(document.querySelector('.percent')?.textContent ?? '0') > 55";

const isComparing = "document.body.innerText.includes('Comparing …')";

const browser = await startBrowser();
if (browser === undefined) throw new Error('no browser starts here');
const stack = await startConsoleStack(20_000);
const served = await serveConsole(stack.root, stack.args);
try {
  await mkdir(folder, { recursive: true });
  for (const picture of pictures) {
    const { name, path, width, height } = picture;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: 'dark' in picture ? 'dark' : 'light' });
    const page = await context.newPage();
    await page.goto(served.link);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(`location.hash = '#/${path}'`);
    await page.waitForTimeout(1_000);
    if ('press' in picture) await page.getByRole('button', { name: picture.press }).click();
    while (await page.evaluate(isComparing)) await page.waitForTimeout(200);
    if ('run' in picture) {
      stack.start('migrate', '--rate', '1500');
      while (!(await page.evaluate(isFar))) await page.waitForTimeout(200);
    }
    await page.waitForTimeout(800);
    await page.screenshot({ path: join(folder, `console-${name}.png`) });
    await context.close();
  }
} finally {
  await browser.close();
  await served.close();
  await stack.close();
}
