import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { PatternRead } from '../../engine/console/wire-types.ts';
import { startBrowser } from '../support/browser.ts';
import { type ServedConsole, serveConsole } from '../support/console-bed.ts';
import { type ConsoleStack, startConsoleStack } from '../support/console-stack.ts';
import { leaveOut } from '../support/left-out.ts';
import { runMain } from '../support/run-main.ts';

const run = promisify(execFile);

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

/** Asks the page again and again; its policy lets nobody leave code in it that does so there. One that is on its way elsewhere is asked when it is there. */
async function until(page: Page, condition: string): Promise<void> {
  const holds = (): Promise<unknown> =>
    page.evaluate(condition).catch((error: Error) => {
      if (!/context was destroyed/.test(error.message)) throw error;
    });
  while ((await holds()) !== true) await page.waitForTimeout(100);
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
      expect(wrong.filter((text) => !(refusals > 0 && /status of (401|422)/.test(text)))).to.deep.equal([]);
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

  it('the overview has the stack, what doctor says, migrations, cut-over, and every table with its figures', () =>
    look({}, async (page) => {
      const panel = (name: string) => page.getByRole('region', { name, exact: true });
      await settled(page);
      await panel('Doctor').getByText('✓ As the catalogue says').waitFor();
      expect(await panel('Stack local').locator('dd').allTextContents()).to.deep.equal([
        ...['Pulumi.dev.yaml', stack.engine.endpoint, 'us-east-1', 'allowed'],
      ]);
      await panel('Migrations').getByText('12 of 13 verified').waitFor();
      await panel('Migrations').getByText('Nobody runs them now.').waitFor();
      await panel('Cut-over').getByText('16 of 16 cut over').waitFor();
      const row = panel('Tables').getByRole('row', { name: /oms_trading_data_dev/ });
      const [name, system, items, size, ...rest] = await row.getByRole('cell').allTextContents();
      expect([name, system, ...rest]).to.deep.equal(['oms_trading_data_dev', 'oms', '3', '9', 'on demand', 'ACTIVE']);
      expect(Number(items)).to.be.above(40);
      expect(size).to.match(/^about [\d.]+ KB$/);
    }));

  it('a table has its keys and indexes, its entities and its patterns beside its items, which say what they cost', () =>
    look({}, async (page, goTo) => {
      await goTo('tables/oms_trading_data');
      await page.getByText(/^\d+ items, [\d.]+ read units by Scan, the end$/).waitFor();
      const panel = (name: string) => page.getByRole('region', { name, exact: true });
      const rows = panel('Keys and indexes').getByRole('row');
      expect(await rows.nth(3).getByRole('cell').allTextContents()).to.deep.equal(['GSI2', 'GSI2_PK', 'GSI2_SK', 'keys only']);
      await panel('Entities').getByText('ANALYST_ORDER', { exact: true }).waitFor();
      await panel('Entities')
        .getByText(/order_id, client_id, product_id/)
        .first()
        .waitFor();
      await panel('Patterns').getByRole('link', { name: 'oms.trading.executionsOfOrder' }).waitFor();
    }));

  it('the model shows which pattern reads what, and two entities of one primary key as a collision', () =>
    look({}, async (page, goTo) => {
      // No table of ours has two such entities: the answer is given one.
      await page.route('**/api/tables/oms_trading_data', async (route) => {
        const answer = await (await route.fetch()).json();
        answer.model.rows[0].cells[0].shared = ['EXECUTION'];
        await route.fulfill({ json: answer });
      });
      await goTo('model/oms_trading_data');
      const row = page.getByRole('row', { name: /^ORDER / });
      const own = row.getByRole('cell').first();
      expect(await own.textContent()).to.match(/^CLIENT#\{client_id\}ORDER#.*collides with EXECUTION$/);
      await page.getByRole('link', { name: 'oms.trading.ordersOfClient' }).focus();
      expect(await row.locator('td.lit').count()).to.equal(1);
    }));

  it('what is taken away gives the same: as a command and as a program', async () => {
    const taken: Record<string, string> = {};
    await look({}, async (page, goTo) => {
      await goTo('patterns/markets.orders.byOwner');
      await page.getByText('last first').click();
      await page.getByRole('button', { name: 'Read' }).click();
      for (const form of ['command', 'program'] as const) {
        const label = form === 'command' ? 'as a tablewright command' : 'as TypeScript';
        taken[form] = (await page.getByRole('group', { name: label }).textContent()) ?? '';
      }
      await page.getByText(/ records, 1 page/).waitFor();
      // Its first records are what it is for: there is no last first.
      await goTo('patterns/markets.orders.bestBids');
      await page.getByRole('button', { name: 'Read' }).waitFor();
      expect(await page.getByText('last first').count()).to.equal(0);
    });
    const [, , ...words] = taken.command?.split(' ') ?? [];
    const { code, stdout } = await runMain(stack.root, [...words, '--json']);
    expect([code, words]).to.deep.include(0);
    const ids = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).id]));
    expect(ids.length).to.be.above(1);
    await writeFile(join(stack.root, 'taken.ts'), taken.program?.replace('console.log(record)', 'console.log(record.id)') ?? '');
    const ran = await run(process.execPath, ['--import', 'tsx', 'taken.ts'], { cwd: stack.root });
    expect(ran.stdout.trim().split('\n')).to.deep.equal(ids);
  });

  it('on a production stack the page says that it only reads, or asks for the stack’s name before it pauses or resumes', async () => {
    const asProduction = (page: Page, writes: boolean) =>
      page.route('**/api/stack', async (route) => {
        const facts = await (await route.fetch()).json();
        await route.fulfill({ json: { ...facts, production: true, confirm: true, writes } });
      });
    expect((await stack.run('pause')).code).to.equal(0);
    await look({}, async (page, goTo) => {
      await asProduction(page, false);
      await page.reload();
      await goTo('migrations');
      await page.getByText('read-only: this is production').waitFor();
      expect(await page.getByRole('button', { name: 'Resume' }).count()).to.equal(0);
      await asProduction(page, true);
      await page.reload();
      await page.getByText('paused', { exact: true }).waitFor();
      const sent = page.waitForRequest('**/api/resume');
      await page.getByLabel('Type dev').fill('dev');
      await page.getByRole('button', { name: 'Resume' }).click();
      expect((await sent).postDataJSON()).to.deep.equal({ confirm: 'dev' });
      await page.getByText('paused', { exact: true }).waitFor({ state: 'detached' });
    });
  });

  it('a link that is put into a page of the console before opens it, and the token leaves the address', () =>
    look({}, async (page) => {
      await page.evaluate(`document.body.dataset.before = 'yes'; location.hash = '#token=${served.token}'`);
      await until(page, 'document.body.dataset.before === undefined');
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      expect(page.url()).to.equal(`${served.origin}/#/`);
    }));

  it('a page whose console was started anew says so, instead of that it is asked again', () =>
    look({}, async (page, goTo) => {
      refusals += 1;
      await page.route('**/api/live', (route) => route.fulfill({ status: 401, json: { error: 'NO_SESSION' } }));
      await goTo('migrations');
      await page.getByText('Open the link that the command printed.').waitFor();
    }));

  it('a plan that nobody waits for any longer is asked for no longer', () =>
    look({}, async (page, goTo) => {
      await page.route('**/api/plan*', () => undefined);
      await goTo('migrations');
      const asked = page.waitForRequest('**/api/plan*');
      await page.getByRole('button', { name: 'Plan what is pending' }).click();
      await asked;
      const left = page.waitForEvent('requestfailed', (sent) => sent.url().endsWith('/api/plan'));
      await goTo('tables');
      await left;
    }));

  it('an item that is gone has a page all the same', () =>
    look({ bypassCSP: true }, async (page, goTo) => {
      refusals += 1;
      await goTo(`tables/control/item?key=${encodeURIComponent('{"name":{"S":"nobody"}}')}`);
      await page.getByText(/there is no item nobody any more/).waitFor();
      await isWhole(page, 'an item that is gone');
    }));

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
