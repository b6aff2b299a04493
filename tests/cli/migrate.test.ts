import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Copy, copyRepository } from '../support/copy-repository.ts';
import { type CliResult, repository, runCli } from '../support/run-cli.ts';

describe('the migration commands', () => {
  let copy: Copy;
  const run = (...args: readonly string[]): Promise<CliResult> => runCli(copy.root, args, { bin: copy.bin });

  before(async function () {
    this.timeout(120_000);
    copy = await copyRepository();
    expect((await run('up', '--quiet')).code).to.equal(0);
  });
  after(() => copy.remove());

  it('up leaves every migration verified, and a further migrate has nothing to do', async () => {
    const status = await run('status', '--json');
    expect(status.code).to.equal(0);
    const { migrations, lock } = JSON.parse(status.stdout) as { migrations: { id: string; state: string }[]; lock: unknown };
    expect(migrations.length).to.be.greaterThan(9);
    expect(migrations.filter(({ state }) => state !== 'verified')).to.deep.equal([]);
    expect(lock).to.equal(null);
    expect(await run('migrate')).to.deep.equal({
      code: 0,
      stdout: 'Nothing to do: every migration is applied and verified.\n',
      stderr: '',
    });
  });

  it('rollback, dry run and migrate follow one another, and the report needs no network', async () => {
    const undone = await run('rollback', '--to', '9');
    expect(undone.code).to.equal(0);
    expect(undone.stdout).to.include('0010-index-order-management rolled-back: 5 items: 5 restored');
    const plan = await run('migrate', '--dry-run', '--to', '10');
    expect(plan.code).to.equal(0);
    expect(plan.stdout).to.include('0010-index-order-management (from the start: it was rolled back)');
    expect(plan.stdout).to.include('5 to change');
    expect(plan.stdout).to.include('+ "GSI2-PK":"ITEMSTATUS#Separado"');
    expect(plan.stdout).to.include('Nothing was written.');
    const done = await run('migrate', '--to', '0010-index-order-management', '--json');
    expect(done.code).to.equal(0);
    const events = done.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.at(-1)).to.include({ outcome: 'done' });
    expect(events.map(({ event }) => event)).to.include.members(['migration-started', 'progress', 'step-done', 'migration-done']);
    const report = await run('report', '10', '--out', 'page.html');
    expect(report.stdout).to.equal('Wrote page.html; open it in a browser.\n');
    const page = await readFile(join(copy.root, 'page.html'), 'utf8');
    expect(page)
      .to.include('0010-index-order-management')
      .and.not.match(/<script|https?:\/\//);
  });

  it('name what is wrong and what to do next', async () => {
    const cases: readonly (readonly [readonly string[], number, string])[] = [
      [['migrate', '--to', '99'], 2, 'UNKNOWN_NAME: there is no migration 99\n'],
      [
        ['migration', 'new', 'Bad_Name', '--table', 'orders'],
        2,
        'BAD_ARGUMENT: migration new: <name>: expected a name like index-orders (verb-noun, lower case, at most 100 characters), found Bad_Name\n',
      ],
    ];
    for (const [args, code, message] of cases) {
      const result = await run(...args);
      expect([result.code, result.stderr.slice(0, message.length)], args.join(' ')).to.deep.equal([code, message]);
      expect(result.stderr).to.include('\n→ ');
    }
  });

  it('pause keeps everybody out until resume', async () => {
    expect((await run('pause')).code).to.equal(0);
    const refused = await run('migrate');
    expect(refused.code).to.equal(3);
    expect(refused.stderr).to.match(/^LOCKED: the migrations of this stack were paused by /);
    expect((await run('resume')).stdout).to.equal('Resumed: a waiting run goes on by itself.\n');
  });

  it('a changed source is refused, and repair or --accept take it', async () => {
    const file = join(copy.root, 'migrations/0005-index-markets.ts');
    const text = await readFile(file, 'utf8');
    await writeFile(file, `${text}// changed\n`);
    const refused = await run('migrate');
    expect(refused.code).to.equal(2);
    expect(refused.stderr).to.match(
      /^LEDGER_MISMATCH: .*\n {2}- 0005-index-markets: its source was changed after it was verified: expected checksum \w{12}, found \w{12}\n→ /,
    );
    expect((await run('repair')).stdout).to.equal(
      "0005-index-markets: its changed source was accepted; 'tablewright migrate' proves it\n",
    );
    expect((await run('status')).stdout).to.match(/0005-index-markets +applied/);
    expect((await run('migrate', '--to', '5')).stdout).to.contain('1 migration applied and verified.');
    expect((await run('status')).stdout).to.match(/0005-index-markets +verified/);
  });

  it('migration new writes what is not run until it is written, and a test that fails with that sentence', async () => {
    const made = await run('migration', 'new', 'mark-orders', '--table', 'orders');
    expect(made.code, made.stderr).to.equal(0);
    const [, id = ''] = /migrations\/(\d{4}-mark-orders)\.ts/.exec(made.stdout) ?? [];
    const file = join(copy.root, `migrations/${id}.ts`);
    const sentence = `migrations/${id}.ts is not written yet: let its change say what is set and removed.`;
    expect(await readFile(file, 'utf8')).to.contain('table: marketOrders,');
    for (const command of [['migrate'], ['up', '--quiet'], ['plan']]) {
      const refused = await run(...command);
      expect([refused.code, refused.stderr], command.join()).to.deep.equal([
        2,
        `BAD_MIGRATION: what is to run is not written yet; nothing was run\n  - ${id}.ts: ${sentence}\n→ Write what each line asks for, or take the file away; 'tablewright migrate --to ID' runs those before it.\n`,
      ]);
    }
    expect((await run('status')).stdout).to.contain(`${id}  `);
    // The generated test imports tests/support, which a copy of the project does not have.
    await symlink(join(repository, 'tests/support'), join(copy.root, 'tests/support'));
    const [, test = ''] = /^wrote (tests\/\S+)$/m.exec(made.stdout) ?? [];
    const mocha = [join(repository, 'node_modules/mocha/bin/mocha.js'), '--no-config', '--no-package', test];
    const tested = await promisify(execFile)(process.execPath, ['--import', 'tsx', ...mocha], { cwd: copy.root }).catch(
      (error: { readonly code: number; readonly stdout: string }) => error,
    );
    expect(tested).to.have.property('code', 1);
    expect(tested.stdout).to.contain(sentence);
    await rm(file);
  });

  it('dead letters are told with their reasons by migrate, in its file and in history; the file of a rolled-back one may go', async function () {
    // Some fifteen commands.
    this.timeout(240_000);
    const id = '0090-break-markets';
    const source = `import { backfill, defineMigration } from '../engine/author.ts';
import { markets } from '../tables/catalogue.ts';
export default defineMigration({
  id: '${id}',
  description: 'Gives a text',
  steps: [backfill({ name: 'broken', table: markets, reads: [], change: (() => 'x') as never })],
});
`;
    const file = join(copy.root, `migrations/${id}.ts`);
    await writeFile(file, source);
    const done = await run('migrate');
    const reason = 'change gave a string: expected { set, remove }, or undefined for nothing to do';
    expect(done.code).to.equal(1);
    expect(done.stdout).to.match(new RegExp(`\\n  \\S+: ${reason.replace(/[{}]/g, '\\$&')}\\n`));
    const [, letters = ''] = /all with their reasons in (\S+jsonl)/.exec(done.stdout) ?? [];
    expect(letters, done.stdout + done.stderr).not.to.equal('');
    expect(await readFile(join(copy.root, letters), 'utf8')).to.contain(`"reason":"${reason}"`);
    expect((await run('history', '90')).stdout).to.contain(reason);
    const { dead } = JSON.parse((await run('history', '90', '--json')).stdout) as { readonly dead: readonly object[] };
    expect(dead[0]).to.include({ migration: id, table: 'markets-dev', reason });
    // Where the file cannot be written, how the run ended is told all the same.
    await rm(join(copy.root, letters));
    await mkdir(join(copy.root, letters));
    for (const command of [['migrate'], ['retry', '90']]) {
      const blocked = await run(...command);
      expect([blocked.code, blocked.stdout], command.join(' ')).to.satisfy(
        ([code, stdout]: [number, string]) =>
          code === 1 && stdout.includes(`${id} is incomplete`) && stdout.includes('dead letters'),
      );
      expect(blocked.stderr).to.match(
        /^FILE_FAILED: \S+jsonl: it is a folder, and a file is needed \(EISDIR\)\n→ Name a file\.\n$/,
      );
    }
    await rm(join(copy.root, letters), { recursive: true });
    await run('pause');
    expect(JSON.parse((await run('status', '--json')).stdout).paused).to.have.all.keys('scope', 'by', 'at');
    await run('resume');
    await rm(file);
    expect((await run('status')).stdout).to.contain(`! ${id}: incomplete in the ledger, but its file is not in migrations/`);
    // A rollback needs no file; what was undone and has none is history.
    expect((await run('rollback')).stdout).to.contain(`${id} rolled-back: 0 items\n`);
    const status = await run('status');
    expect([status.code, status.stderr]).to.deep.equal([0, '']);
    expect(status.stdout)
      .to.match(new RegExp(`${id} +rolled-back, no file`))
      .and.contain('All migrations are applied.');
    expect((await run('history', '90')).stdout).to.contain('rolled-back');
  });

  it('unlock, pause, resume, history and rollback work while migrations/ does not compile', async () => {
    const file = join(copy.root, 'migrations/0091-half-written.ts');
    await writeFile(file, 'export default {');
    expect((await run('status')).stderr).to.match(/^BAD_MIGRATION: migrations\/0091-half-written.ts cannot be loaded: /);
    for (const command of [['unlock'], ['unlock', '--force'], ['pause'], ['resume'], ['history', '6']]) {
      const { code, stderr } = await run(...command);
      expect([code, stderr.replace(/^Left out: .*\n(.*\n)*/, '')], command.join(' ')).to.deep.equal([0, '']);
    }
    const undone = await run('rollback');
    expect([undone.code, undone.stderr.split('\n')[0]?.slice(0, 55)]).to.deep.equal([
      0,
      'Left out: migrations/0091-half-written.ts cannot be loa',
    ]);
    await rm(file);
    expect((await run('migrate')).code).to.equal(0);
  });

  it('a report that cannot be written says why', async () => {
    const cases = [
      ['.', 2, 'BAD_ARGUMENT: --out .: it is a folder, and a file is needed (EISDIR)\n→ Name a file.\n'],
      ['/proc/page.html', 2, 'BAD_ARGUMENT: --out /proc/page.html: it is not there, or its folder is not (ENOENT)\n'],
      ['/proc/a/page.html', 2, 'BAD_ARGUMENT: --out /proc/a/page.html: it is not there, or its folder is not (ENOENT)\n'],
      ['/dev/full', 1, 'FILE_FAILED: /dev/full: there is no room left on its disk (ENOSPC)\n'],
    ] as const;
    for (const [out, code, says] of cases) {
      const { stderr, ...rest } = await run('report', '5', '--out', out);
      expect({ ...rest, says: stderr.slice(0, says.length) }, out).to.deep.equal({ code, stdout: '', says });
    }
  });

  it('a run whose reader goes away (… | head -1) stops quietly and lets go of the lock', async () => {
    expect((await run('rollback', '--to', '0')).code).to.equal(0);
    const child = spawn(process.execPath, [copy.bin, 'migrate', '--json'], { cwd: copy.root, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stderr.on('data', (text) => {
      said += String(text);
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, said }).to.deep.equal({ code: 130, said: '' });
    expect((await run('unlock')).stdout).to.equal('The lock is free.\n');
    expect((await run('migrate')).code).to.equal(0);
  });
});
