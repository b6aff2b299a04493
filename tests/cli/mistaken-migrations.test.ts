import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { marketOrders, trades } from '../../tables/catalogue.ts';
import { type Item, scalarText } from '../../tables/model/attribute-value.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { linkProject } from '../support/project-folder.ts';
import { repository, runCli } from '../support/run-cli.ts';
import { runMain } from '../support/run-main.ts';
import { useEngine } from '../support/test-engine.ts';
import { itemsOf } from '../support/transfer-bed.ts';

const step = (table: 'marketOrders' | 'trades', value = 'red') =>
  `backfill({ name: 'mark ${table}', table: ${table}, reads: [], writes: ['marked'], change: () => ({ set: { marked: { S: '${value}' } } }) })`;

const source = (
  id: string,
  steps: readonly string[],
  more = '',
): string => `import { backfill, defineMigration } from '${repository}engine/author.ts';
import { marketOrders, trades } from '${repository}tables/catalogue.ts';
void [marketOrders, trades];
export default defineMigration({ id: '${id}', description: 'Marks', ${more} steps: [${steps.join(', ')}] });
`;

/** What a person does wrong, or what somebody takes out of the ledger, through the commands that they would type. */
describe('a mistake with migrations', function () {
  this.timeout(120_000);
  const engine = useEngine();
  let folder = '';
  const both = '0001-mark-both';

  const at = (args: readonly string[]) => [...args, '--stack', 'test', '--endpoint', engine().endpoint];
  const run = (...args: readonly string[]) => runMain(folder, at(args));
  /** In a process of its own: this one has loaded the file as it was before. */
  const runAnew = (...args: readonly string[]) => runCli(folder, at(args));
  const write = (id: string, steps: readonly string[], more = '') =>
    writeFile(join(folder, `migrations/${id}.ts`), source(id, steps, more));
  const marked = async () => {
    const all = [...(await itemsOf(engine(), marketOrders)), ...(await itemsOf(engine(), trades))];
    return all.filter((item) => item.marked !== undefined).length;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tablewright-mistaken-'));
    await linkProject(folder);
    await mkdir(join(folder, 'migrations'));
    await writeFile(join(folder, 'Pulumi.test.yaml'), 'config:\n  aws:region: us-east-1\n');
    const fifty = (name: string): readonly Item[] => Array.from({ length: 50 }, (_, at) => ({ id: { S: `${name}-${at}` } }));
    await engine().removeRaw(ledger, await itemsOf(engine(), ledger));
    await engine().putRaw(marketOrders, fifty('order'));
    await engine().putRaw(trades, fifty('trade'));
    await write(both, [step('marketOrders'), step('trades')]);
    expect((await run('migrate')).code).to.equal(0);
    expect(await marked()).to.equal(100);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('a file that was edited is rolled back as it was run', async () => {
    await write(both, [step('marketOrders')]);
    const undone = await runAnew('rollback');
    expect([undone.code, undone.stderr]).to.deep.equal([0, '']);
    expect(undone.stdout).to.match(new RegExp(`\\n${both} rolled-back: 100 items: 100 restored\n$`));
    expect(await marked()).to.equal(0);
    expect((await run('rollback')).stdout).to.equal('Nothing to roll back.\n');
  });

  it('a part of the journal that is gone is told with what it held, and the rest restored only when that is asked for', async () => {
    const parts = (await itemsOf(engine(), ledger)).filter(({ SK }) => scalarText(SK)?.startsWith('PART#') === true);
    const [lost = {}] = parts;
    const held = Number(scalarText(lost.count));
    await engine().removeRaw(ledger, [lost]);
    const refused = await run('rollback');
    expect([refused.code, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr)
      .to.match(/^JOURNAL_GAP: a part of the journal is missing, so not everything can be restored; nothing was changed\n/)
      .and.contain(`part 1 is missing: it may hold ${held} item`)
      .and.contain("\n→ Run 'tablewright rollback --accept-gaps' to restore the rest");
    expect(await marked()).to.equal(100);
    const accepted = await run('rollback', '--accept-gaps');
    expect([accepted.code, accepted.stderr]).to.deep.equal([0, '']);
    expect(accepted.stdout)
      .to.contain(`${both} rolled-back: ${100 - held} items: ${100 - held} restored\n`)
      .and.contain(`  not restored, because their journal is missing: ${held} item`);
    expect(await marked()).to.equal(held);
  });

  it('what verify finds is repaired by the command that it names', async () => {
    await engine().putRaw(marketOrders, [{ id: { S: 'order-7' }, marked: { S: 'blue' } }]);
    const found = await run('verify');
    expect([found.code, found.stderr]).to.deep.equal([1, '']);
    expect(found.stdout).to.contain(`\n${both}: 1 item left over: order-7\n→ Run 'tablewright migrate' to take them in.\n`);
    expect((await run('status')).code).to.equal(1);
    const repaired = await run('migrate');
    expect([repaired.code, repaired.stderr]).to.deep.equal([0, '']);
    expect(repaired.stdout).to.contain('1 migration applied and verified.');
    expect((await run('verify')).stdout).to.contain('\n1 migration verified: nothing is left over.\n');
  });

  it('a file that comes back after a repair with another source is run', async () => {
    await rm(join(folder, `migrations/${both}.ts`));
    expect((await run('repair')).stdout).to.contain(`${both}: its file is gone: forgotten`);
    await write(both, [step('marketOrders', 'green'), step('trades', 'green')]);
    expect((await runAnew('plan')).stdout).to.contain(`${both} (from the start: its file came back with another source)`);
    expect((await runAnew('migrate')).code).to.equal(0);
    const values = new Set((await itemsOf(engine(), marketOrders)).map(({ marked: value }) => scalarText(value)));
    expect([...values]).to.deep.equal(['green']);
  });

  it('two lines of a release pipeline run what belongs before it, and what belongs after it', async () => {
    const phase = (when: string) => `phase: '${when}-deploy',`;
    await write('0002-mark-later', [step('marketOrders', 'later')], phase('after'));
    await write('0003-mark-first', [step('trades', 'first')], phase('before'));
    expect((await run('migrate', '--phase', 'sometime')).code).to.equal(2);
    expect((await run('plan', '--phase', 'before-deploy')).stdout)
      .to.contain('0003-mark-first [before-deploy]')
      .and.not.contain('0002-mark-later');
    const ids = async (when: string) => {
      const { code, stdout, stderr } = await run('migrate', '--phase', `${when}-deploy`, '--json');
      expect([code, stderr]).to.deep.equal([0, '']);
      const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { readonly results: readonly { readonly id: string }[] };
      return last.results.map(({ id }) => id);
    };
    expect(await ids('before')).to.deep.equal(['0003-mark-first']);
    expect(await ids('after')).to.deep.equal(['0002-mark-later']);
    expect((await run('status')).code).to.equal(0);
  });
});
