import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { PatternRead } from '../../engine/console/wire-types.ts';
import { startBrowser } from '../support/browser.ts';
import { type ServedConsole, serveConsole } from '../support/console-bed.ts';
import { type ConsoleStack, startConsoleStack } from '../support/console-stack.ts';
import { leaveOut } from '../support/left-out.ts';

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const coins = 10_000;
const everyPage = [
  ['', 'Overview'],
  ['tables', 'Tables'],
  ['tables/oms_trading_data', 'oms_trading_data'],
  ['patterns', 'Patterns'],
  ['patterns/markets.orders.bestBids', 'markets.orders.bestBids'],
  ['model/oms_trading_data', 'Model'],
  ['migrations', 'Migrations'],
  ['migrations/0001-index-oms-config', '0001-index-oms-config'],
  ['cutover', 'Cut-over'],
  ['transfers', 'Transfers'],
] as const;

/** Asks the page again and again; its policy lets nobody leave code in it that does so there. */
async function until(page: Page, condition: string): Promise<void> {
  while ((await page.evaluate(condition)) !== true) await page.waitForTimeout(100);
}

describe('the console in a browser', function () {
  this.timeout(180_000);
  let browser: Browser | undefined;
  let stack: ConsoleStack;
  let served: ServedConsole;
  let refusals = 0;

  before(async function () {
    browser = await startBrowser();
    // A machine where no browser starts has said so.
    if (browser === undefined) leaveOut(this, 'no browser starts on this machine');
    stack = await startConsoleStack(coins);
    served = await serveConsole(stack.root, stack.args);
  });
  after(async () => {
    await browser?.close();
    await served?.close();
    await stack?.close();
  });

  /** Opens the link and does the work. */
  async function look(
    options: BrowserContextOptions,
    work: (page: Page, goTo: (path: string) => Promise<void>) => Promise<void>,
  ) {
    if (browser === undefined) return;
    const context = await browser.newContext(options);
    try {
      const page = await context.newPage();
      const wrong: string[] = [];
      page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
      page.on('pageerror', (error) => wrong.push(error.message));
      page.on('request', (sent) => sent.url().startsWith(served.origin) || wrong.push(`outside: ${sent.url()}`));
      await page.goto(served.link);
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await work(page, async (path) => {
        await page.evaluate(`location.hash = '#/${path}'`);
      });
      // A browser notes every answer that is a refusal; those that a test provokes are no errors of the page.
      expect(wrong.filter((text) => !(refusals > 0 && text.includes('status of 422')))).to.deep.equal([]);
    } finally {
      refusals = 0;
      await context.close();
    }
  }

  /** Everything that was asked for has come. */
  const settled = (page: Page) => until(page, "!document.body.innerText.includes('Loading …')");

  it('the link opens it, and the token leaves the address', () =>
    look({}, async (page) => {
      expect(page.url()).to.equal(`${served.origin}/#/`);
      await page.getByText('As the catalogue says').waitFor();
      await page.getByRole('link', { name: 'crypto-active-coins-dev' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    }));

  /** Nothing sticks out to the side, and axe finds nothing to say. */
  async function isWhole(page: Page, what: string): Promise<void> {
    const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(over, `${what} sticks out`).to.be.at.most(0);
    if (!(await page.evaluate("'axe' in window"))) await page.evaluate(await axe);
    const found = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: { html: string }[] }[] };
    expect(found.violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes[0]?.html}`)).to.deep.equal([]);
  }

  for (const [width, colorScheme] of [
    [360, 'dark'],
    [1_280, 'light'],
    [2_560, 'dark'],
  ] as const) {
    it(`every page is whole at ${width} pixels, ${colorScheme}: nothing sticks out, and axe finds no violation`, () =>
      look({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true }, async (page, goTo) => {
        for (const [path, title] of everyPage) {
          await goTo(path);
          await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
          await settled(page);
          await isWhole(page, path);
        }
      }));
  }

  for (const [width, colorScheme] of [
    [360, 'light'],
    [1_280, 'dark'],
  ] as const) {
    it(`and so is what they show when asked, at ${width} pixels, ${colorScheme}: an item, an answer, a plan, a comparison, a mistake`, () =>
      look({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true }, async (page, goTo) => {
        await goTo('tables/oms_trading_data');
        await page.locator('.rows a').nth(2).click();
        await page.getByRole('region', { name: 'Index keys' }).getByText('raw').first().click();
        await isWhole(page, 'an item');
        await goTo('patterns/markets.orders.bestBids');
        await page.getByRole('button', { name: 'Read' }).click();
        await page.getByText('Why it is not a Scan').waitFor();
        await settled(page);
        await isWhole(page, 'an answer');
        await goTo('migrations');
        await page.getByRole('button', { name: 'Look at every item' }).click();
        await page.getByText('1 migration pending:').waitFor();
        // Which key is the busiest, of which part, and how fast that lets it go.
        const hot = page.getByRole('group', { name: 'Hot keys of marks' });
        await hot.getByRole('row', { name: /the table/ }).waitFor();
        await isWhole(page, 'a plan');
        await goTo('cutover');
        await page.getByRole('button', { name: 'Compare now markets.orders.byOwner' }).click();
        const card = page.getByRole('article').filter({ hasText: 'markets.orders.byOwner' });
        await card.getByText('holds', { exact: true }).waitFor();
        // Cost and latency of both ways.
        expect(await card.locator('.bar-name').allTextContents()).to.deep.equal(['scan', 'query', 'scan', 'query']);
        expect((await card.locator('.bar-value').allTextContents()).map((text) => text.split(' ')[1])).to.deep.equal([
          ...['units', 'units', 'ms', 'ms'],
        ]);
        await isWhole(page, 'a comparison');
        refusals += 1;
        await goTo('tables/oms_tradng_data');
        await page.getByText(/Did you mean oms_trading_data/).waitFor();
        await isWhole(page, 'a mistake');
        await goTo('tables/%E0%A4%A');
        await page.getByRole('alert').waitFor();
      }));
  }

  it('transfers are seen: what was exported, what was imported', async () => {
    for (const words of [
      ['export', 'control', '--portable'],
      ['export', 'control', '--portable', '--to', 'out'],
      ['import', 'out', '--table', 'control'],
    ])
      expect((await stack.run(...words)).code, words.join(' ')).to.equal(0);
    await look({}, async (page, goTo) => {
      await goTo('transfers');
      const row = (panel: string) => page.getByRole('region', { name: panel }).getByRole('row').nth(1);
      await row('Exports').getByText('complete').waitFor();
      expect(await row('Exports').textContent()).to.match(/^control-dev\/.*complete\d+[\d.,]+ (B|KB)$/);
      expect(await row('Imports').textContent()).to.match(/^control-dev.*out/);
    });
  });

  it('who chooses tables of the model by keyboard keeps the focus', () =>
    look({}, async (page, goTo) => {
      await goTo('model/control');
      const choice = page.getByLabel('Table');
      await choice.focus();
      await choice.selectOption('orders');
      await page.getByText('orders_by_owner').first().waitFor();
      expect(await page.evaluate('document.activeElement.tagName')).to.equal('SELECT');
    }));

  it('the keyboard alone gets past the navigation, from page to page, and asks a pattern', () =>
    look({}, async (page) => {
      const focused = () => page.evaluate("document.activeElement.textContent + (document.activeElement.name ?? '')");
      const goTo = async (name: string, key: 'Tab' | 'Shift+Tab') => {
        const passed: unknown[] = [];
        for (let presses = 0; presses < 60 && passed.at(-1) !== name; presses += 1) {
          await page.keyboard.press(key);
          passed.push(await focused());
        }
        expect(passed.at(-1), `not reached by ${key}: ${passed.join(', ')}`).to.equal(name);
        expect(
          await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'),
          `${name} shows no focus`,
        ).not.to.equal('none');
      };
      await goTo('Skip to content', 'Shift+Tab');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).to.equal('main');
      await goTo('Patterns', 'Shift+Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Patterns' }).waitFor();
      await page.getByRole('link', { name: 'oms.trading.orderById' }).waitFor();
      await goTo('oms.trading.orderById', 'Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'oms.trading.orderById' }).waitFor();
      await page.getByLabel(/^orderId/).waitFor();
      await page.keyboard.press('Tab');
      while ((await page.evaluate('document.activeElement.tagName')) !== 'INPUT') await page.keyboard.press('Tab');
      await page.keyboard.press('Control+A');
      await page.keyboard.type('order_456');
      await page.keyboard.press('Enter');
      await page.getByRole('table', { name: 'Items' }).getByRole('link').first().waitFor();
    }));

  it('a list of 10,000 items scrolls, holds few rows at a time, and is there again after a look at one item', () =>
    look({}, async (page, goTo) => {
      await goTo('tables/crypto-active-coins');
      await page.getByText('100 items').waitFor();
      await page.getByLabel('Items a page').selectOption('1000');
      const next = page.getByRole('button', { name: 'Next page' });
      for (let loaded = 1_100; loaded < coins; loaded += 1_000) {
        await next.click();
        await page.getByText(`${loaded.toLocaleString('en-US')} items`).waitFor();
      }
      await next.click();
      await page.getByText(/the end$/).waitFor();
      const rows = page.getByRole('table', { name: 'Items' });
      expect(Number(await rows.getAttribute('aria-rowcount'))).to.be.at.least(coins);
      expect(await rows.getByRole('row').count()).to.be.below(60);
      await page.evaluate("document.querySelector('.window').scrollTop = 1e9");
      await until(page, "[...document.querySelectorAll('.row')].at(-1).getAttribute('aria-rowindex') > 10000");
      await page.getByLabel('Find in what is loaded').fill('coin007777');
      await rows.getByRole('link', { name: 'COIN007777' }).click();
      await page.getByRole('heading', { level: 1, name: 'COIN007777' }).waitFor();
      await page.getByText('7,777', { exact: true }).waitFor();
      await page.goBack();
      await page.getByText(/the end$/).waitFor();
    }));

  it('an item tells its keys from what writers gave, with the rules, and the raw value one click away', () =>
    look({}, async (page, goTo) => {
      await goTo('tables/oms_trading_data');
      await page.getByLabel('Find in what is loaded').fill('order_456');
      await page
        .getByRole('link', { name: /ORDER#.*order_456/ })
        .first()
        .click();
      const keys = page.getByRole('region', { name: 'Index keys' });
      await keys.getByText(/rule/).first().waitFor();
      const given = page.getByRole('region', { name: 'Attributes' });
      await given.getByText('raw').first().click();
      await given
        .getByText(/^\{"[SN]":/)
        .first()
        .waitFor();
    }));

  it('a pattern is asked by its form: the answer, its cost, why it is no Scan, and the request to take away', () =>
    look({}, async (page, goTo) => {
      await goTo('patterns/oms.trading.orderById');
      await page.getByRole('button', { name: 'Read' }).click();
      await page.getByText('Why it is not a Scan').waitFor();
      await page.getByRole('table', { name: 'Items' }).getByRole('link').first().waitFor();
      await page.getByText(/npx tablewright query oms.trading.orderById orderId=/).waitFor();
      await page.getByText(/aws dynamodb (query|get-item)/).waitFor();
      await page.getByLabel(/^orderId/).fill('');
      await page.getByRole('button', { name: 'Read' }).click();
      refusals += 1;
      await page.getByRole('alert').getByText('BAD_PARAMETER').waitFor();
      await goTo('patterns/markets.orders.bestBids');
      await page.getByLabel(/^n /).fill('2');
      await page.getByRole('button', { name: 'Read' }).click();
      await page.getByText(/2 records/).waitFor();
    }));

  it('an answer goes on page by page by its cursor, which knows its index: every record once', async () => {
    const path = '/api/patterns/markets.orders.bestAsks/read';
    const read = async (more: object) =>
      (await (await served.ask(path, { body: { params: { marketId: 'mkt123' }, ...more } })).json()) as PatternRead;
    const whole = await read({});
    expect(whole.items.length).to.be.above(1);
    const paged: unknown[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await read({ size: 1, ...(cursor === undefined ? {} : { cursor }) });
      paged.push(...page.items);
      cursor = page.cursor;
      if (cursor !== null) expect(JSON.parse(cursor)).to.include({ index: 'orders_by_market_sell' });
    } while (cursor !== null);
    expect(paged).to.deep.equal(whole.items);
  });

  it('the board compares both ways of a pattern', () =>
    look({}, async (page, goTo) => {
      await goTo('cutover');
      await page.getByRole('button', { name: 'Compare now markets.orders.bestBids' }).click();
      await page.getByText('holds', { exact: true }).waitFor();
    }));

  it('a migration is watched from its start to its end, with a pause in between, a runner that is killed and workers that go on', () =>
    look({ bypassCSP: true }, async (page, goTo) => {
      await goTo('migrations');
      await page.getByRole('button', { name: 'Plan what is pending' }).click();
      await page
        .getByText(/to change/)
        .first()
        .waitFor();
      await isWhole(page, 'nothing goes on');
      const percent = async () => Number.parseFloat((await page.locator('.percent').textContent()) ?? '');
      const first = stack.start('migrate', '--rate', '1000');
      await page.getByRole('progressbar').waitFor();
      await until(page, "parseFloat(document.querySelector('.percent').textContent) > 5");
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('paused', { exact: true }).waitFor();
      await page.waitForTimeout(5_000);
      const still = await percent();
      await page.waitForTimeout(2_000);
      expect(await percent(), 'it went on while paused').to.equal(still);
      expect(still).to.be.below(100);
      await page.getByRole('button', { name: 'Resume' }).click();
      await until(page, `parseFloat(document.querySelector('.percent').textContent) > ${still}`);
      first.kill('SIGKILL');
      await page.getByText(/No word from the runner/).waitFor();
      expect((await stack.run('unlock', '--force', '--yes')).code).to.equal(0);
      await page.getByText(/It was cut off/).waitFor();
      stack.start('migrate', '--on', 'local', '--workers', '2', '--rate', '600');
      // The function is bundled first, which takes a busy machine a while.
      await until(page, "document.querySelector('.run-title').textContent.includes('· 2 workers')");
      await until(page, `parseFloat(document.querySelector('.percent').textContent) > ${still}`);
      // As of a run of one process: how fast, within which budget.
      await until(page, "/^[1-9][\\d,]* of 600$/.test(document.querySelector('.figures div:nth-child(4) dd').textContent)");
      await isWhole(page, 'a run');
      await until(page, "document.querySelector('.percent').textContent === '100 %'");
      await page
        .getByRole('row', { name: /0090-mark-coins/ })
        .getByText('verified')
        .waitFor();
    }));
});
