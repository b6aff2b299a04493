import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { boot } from './infra/support/boot.ts';
import { place } from './infra/support/fake-aws.ts';
import type { Settings } from './infra/support/stack-file.ts';
import { repository } from './support/run-cli.ts';

/** What a package is made of. */
const sources = [
  'engine',
  'infra',
  'tables',
  'docs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'build.js',
  'tablewright.config.ts',
];

/** The commands of the README's section, each with its remark left out. */
async function commandsOf(title: string): Promise<readonly string[]> {
  const readme = await readFile(join(repository, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((part) => part.startsWith(title)) ?? '';
  return (/```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? '')
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, ''));
}

/** Runs lines in one shell, as a person does; stops at the first that fails. */
function runLines(cwd: string, lines: readonly string[]): Promise<{ readonly code: number | null; readonly printed: string }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, npm_config_prefer_offline: 'true', npm_config_progress: 'false', npm_config_loglevel: 'warn' };
    const script = lines.map((line) => `echo '$ ${line.replaceAll("'", '')}'; ${line} || exit 1`).join('\n');
    const child = spawn('sh', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, printed }));
  });
}

describe('the README', function () {
  this.timeout(600_000);
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tablewright-readme-'));
    await mkdir(join(folder, 'tablewright'));
    for (const name of sources) await cp(join(repository, name), join(folder, 'tablewright', name), { recursive: true });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('leads to a first table, command by command as written', async () => {
    const lines = await commandsOf('A first table');
    expect(lines).to.have.length.above(6);
    const { code, printed } = await runLines(join(folder, 'tablewright'), lines);
    expect(code, printed).to.equal(0);
    expect(printed).to.contain('wrote tablewright.config.ts').and.to.contain('All 2 access patterns found their records');
    expect(printed).to.match(/2 records, 1 page/);
    expect(await readFile(join(folder, 'shop/tables/audit-log.ts'), 'utf8')).to.contain("name: 'audit-log'");
  });

  it('leads to a Pulumi program that deploys the table, in a package of whichever type npm made', async () => {
    const shop = join(folder, 'shop');
    const { config } = parse(await readFile(join(shop, 'Pulumi.dev.yaml'), 'utf8')) as { readonly config: Settings };
    const settings = { ...config, 'aws:region': place.region };
    const { exitCode, printed, logs, resources } = await boot('dev', settings, 'infra/index.ts', shop);
    const errors = logs.filter(({ severity }) => severity === 'error');
    expect({ exitCode, printed, errors }).to.deep.equal({ exitCode: 0, printed: '', errors: [] });
    const tables = resources.filter(({ type }) => type === 'aws:dynamodb/table:Table').map(({ name }) => name);
    expect(tables).to.have.members(['orders', 'tablewright-ledger']);
  });

  it('leads to a project that compiles', async () => {
    const { code, printed } = await runLines(join(folder, 'shop'), ['npm run --silent typecheck']);
    expect(code, printed).to.equal(0);
  });
});
