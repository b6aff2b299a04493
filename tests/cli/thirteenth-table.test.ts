import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Copy, copyRepository } from '../support/copy-repository.ts';
import { repository, runCli } from '../support/run-cli.ts';

/** The table's file and its line in the catalogue, as the README's section on a further table has them. */
async function textsOfReadme(): Promise<readonly [file: string, line: string]> {
  const readme = await readFile(join(repository, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((part) => part.startsWith('Adding a table')) ?? '';
  return [/```ts\n([\s\S]*?)```/.exec(section)?.[1] ?? '', `${/`(export \{[^`]+)`/.exec(section)?.[1] ?? ''}\n`];
}

describe('a thirteenth table', () => {
  let copy: Copy;

  before(async () => {
    copy = await copyRepository();
    const [file, line] = await textsOfReadme();
    expect(line.trim().split('\n'), 'one line in the catalogue').to.have.length(1);
    const path = /from '(\.\/[^']+)'/.exec(line)?.[1] ?? '';
    const target = join(copy.root, 'tables', path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, file);
    await appendFile(join(copy.root, 'tables/catalogue.ts'), line);
  });

  after(() => copy.remove());

  const run = (...args: readonly string[]) => runCli(copy.root, args, { bin: copy.bin });

  it('is listed, proven and created from one file and one line', async () => {
    const listed = await run('tables', 'audit-log');
    expect(listed.stdout).to.contain('audit-log-dev').and.to.contain('ByActor');
    const up = await run('up', '--json');
    // Its example finds nothing, because no fixture was written for it, and `up` says so.
    expect(up.code, up.stderr).to.equal(0);
    const { patterns } = JSON.parse(up.stdout.trim().split('\n').at(-1) ?? '{}') as {
      readonly patterns: readonly { readonly pattern: string; readonly error: string | null }[];
    };
    expect(patterns.filter((trial) => trial.error !== null || 'empty' in trial)).to.deep.equal([
      { pattern: 'audit.byActor', operation: 'Query', index: 'ByActor', items: 0, units: 0.5, error: null, empty: true },
    ]);
    expect(JSON.parse((await run('doctor', '--json')).stdout))
      .to.include({ stack: 'local', tables: 14 })
      .and.to.deep.include({ differences: [] });
  });

  it('is in the form that lint asks for, once its line is in its place', async () => {
    await cp(join(repository, 'biome.json'), join(copy.root, 'biome.json'));
    const biomeProgram = 'node_modules/@biomejs/biome/bin/biome';
    const biome = (...args: readonly string[]) =>
      promisify(execFile)(process.execPath, [biomeProgram, ...args, '--vcs-enabled=false', 'tables'], { cwd: copy.root });
    await biome('check', '--write');
    await biome('ci');
    const [file] = await textsOfReadme();
    expect(await readFile(join(copy.root, 'tables/audit/audit-log.ts'), 'utf8')).to.equal(file);
  });

  it('breaks none of the tests that read the catalogue or the sources', async () => {
    for (const name of ['tests', 'bench', 'examples', 'docs', 'README.md', 'tsconfig.build.json', 'build.js']) {
      await cp(join(repository, name), join(copy.root, name), { recursive: true });
    }
    const files = [
      'tests/architecture.test.ts',
      'tests/infra/shape.test.ts',
      'tests/infra/program.test.ts',
      'tests/tables/prove.test.ts',
    ];
    const mocha = ['--import', 'tsx', 'node_modules/mocha/bin/mocha.js', '--reporter', 'json', '--timeout', '120000', ...files];
    const failed = await promisify(execFile)(process.execPath, mocha, { cwd: copy.root, maxBuffer: 64_000_000 }).then(
      () => [],
      ({ stdout }: { readonly stdout: string }) => {
        const { failures } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
          readonly failures: readonly { fullTitle: string }[];
        };
        return failures.map(({ fullTitle }) => fullTitle);
      },
    );
    expect(failed).to.deep.equal([]);
  }).timeout(180_000);

  it('answers its pattern', async () => {
    const { code, stdout } = await run('query', 'audit.byActor', 'actor=me');
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '0 records, 1 page, 0.5 read units, by query\n' });
  });
});
