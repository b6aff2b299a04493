import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { commands } from '../../engine/cli/commands/all.js';
import { offerFor } from '../../engine/cli/complete/complete.js';
import { completionScripts } from '../../engine/cli/complete/scripts.js';
import { leaveOut } from '../support/left-out.ts';
import { repository } from '../support/run-cli.ts';
import { runMain } from '../support/run-main.ts';

const run = promisify(execFile);

/** What the program answers a script for a line; the last word is the one under the cursor. */
async function answer(line: string): Promise<readonly string[]> {
  const words = line.split(' ');
  const { code, stdout, stderr } = await runMain(repository, ['--complete', String(words.length), ...words]);
  expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
  return stdout.split('\n').slice(0, -1);
}

describe('completion', () => {
  it('offers commands, the second words of groups, and options that apply', async () => {
    expect(await answer('mi')).to.deep.equal(['migrate', 'migration']);
    expect(await answer('cutover ')).to.deep.equal(['status', 'check', 'apply', 'revert', 'shadow']);
    expect(await answer('status --st')).to.deep.equal(['--stack']);
    expect(await answer('tables --end')).to.deep.equal([]);
    expect(await answer('export orders --poll')).to.deep.equal([]);
    expect(await answer('audit scans --format ')).to.deep.equal(['text', 'json', 'sarif']);
  });

  it('offers the names of the project', async () => {
    expect(await answer('export cry')).to.deep.equal([
      'crypto-active-coins',
      'crypto-backtest-results',
      'crypto-scan-history',
      'crypto-trading-positions',
    ]);
    expect(await answer('query oms.config.all')).to.deep.equal([
      'oms.config.allProducts',
      'oms.config.allClients',
      'oms.config.allSettings',
    ]);
    expect(await answer('query markets.orders.bestBids ')).to.deep.equal(['marketId=', 'n=']);
    expect(await answer('check index orders ')).to.include('orders_by_owner');
    expect(await answer('seed m')).to.deep.equal(['markets']);
    expect(await answer('seed --system back')).to.deep.equal(['backtest']);
    expect(await answer('rollback --to 0001')).to.deep.equal(['0001-index-oms-config']);
    expect(await answer('status --stack ')).to.deep.equal(['local', 'dev', 'prod', 'staging']);
    expect(await answer('mask plan masks.yaml --table oms_config o')).to.include('oms_config');
    expect(await answer('audit scans ')).to.deep.equal([':files']);
  });

  it('says nothing where there is no project, and nothing wrong', async () => {
    const { code, stdout, stderr } = await runMain(tmpdir(), ['--complete', '2', 'query', '']);
    expect({ code, stdout, stderr }).to.deep.equal({ code: 0, stdout: '', stderr: '' });
  });

  it('has something to offer for every argument that names something of the project', () => {
    const named = /^(table|pattern|patterns|migration|index|sets|prefix|parameters)$/;
    const without = commands.flatMap(({ words, args = {} }) =>
      Object.entries(args).flatMap(([name, { type }]) =>
        named.test(name) && type.completes === undefined ? [`${words} ${name}`] : [],
      ),
    );
    expect(without, 'give these a type that completes, from engine/cli/spec/values.js').to.deep.equal([]);
    for (const { words } of commands) expect(() => offerFor(words.split(' '), '', commands)).to.not.throw();
  });

  /** The lines that a shell prints which finds the program by its name. */
  async function printed(shell: string, options: readonly string[], lines: readonly string[]): Promise<readonly string[]> {
    const folder = await mkdtemp(join(tmpdir(), 'tablewright-completion-'));
    try {
      const program = join(folder, 'tablewright');
      await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${repository}/engine/cli/bin.js "$@"\n`);
      await chmod(program, 0o755);
      const env = { ...process.env, HOME: folder, PATH: `${folder}:${process.env.PATH}` };
      const { stdout } = await run(shell, [...options, '-c', lines.join('\n')], { cwd: repository, env });
      return stdout.split('\n');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  const isHere = (shell: string) =>
    run(shell, ['--version']).then(
      () => true,
      () => false,
    );

  it('works in a real bash', async () => {
    const lines = [
      'source <(tablewright completion bash)',
      `try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _tablewright; echo "\${COMPREPLY[*]}"; }`,
      'try tablewright cuto',
      'try tablewright cutover ""',
      'try tablewright query oms.config.client',
      'try tablewright query oms.config.clientById clientId = c',
      'try tablewright audit scans tsconfig.b',
      'complete -p tablewright',
    ];
    expect(await printed('bash', ['--norc'], lines)).to.deep.equal([
      'cutover',
      'status check apply revert shadow',
      'oms.config.clientById',
      '',
      'tsconfig.build.json',
      'complete -F _tablewright tablewright',
      '',
    ]);
  });

  it('works in a real fish', async function () {
    if (!(await isHere('fish'))) leaveOut(this, 'there is no fish on this machine');
    const lines = [
      'tablewright completion fish | source',
      'complete -C "tablewright cuto"',
      'complete -C "tablewright cutover "',
      'complete -C "tablewright query oms.config.client"',
      'complete -C "tablewright audit scans tsconfig.b"',
    ];
    expect(await printed('fish', ['--no-config'], lines)).to.deep.equal([
      'cutover',
      ...['status', 'check', 'apply', 'revert', 'shadow'].toSorted(),
      'oms.config.clientById',
      'tsconfig.build.json',
      '',
    ]);
  });

  it('works in a real zsh', async function () {
    if (!(await isHere('zsh'))) leaveOut(this, 'there is no zsh on this machine');
    // compadd alone knows an interactive line; what it is given is what zsh would offer.
    const lines = [
      'compdef() { print -r -- "compdef $*"; }',
      'compadd() { while [[ "$1" != -- ]]; do shift; done; shift; print -r -- "$@"; }',
      '_files() { print -r -- "files"; }',
      'source <(tablewright completion zsh)',
      'try() { words=("$@"); CURRENT=$#; _tablewright; }',
      'try tablewright cuto',
      'try tablewright query oms.config.client',
      'try tablewright audit scans tsconfig.b',
    ];
    expect(await printed('zsh', ['-f'], lines)).to.deep.equal([
      'compdef _tablewright tablewright',
      'cutover',
      'oms.config.clientById',
      'files',
      '',
    ]);
  });

  it('prints a script for each shell', async () => {
    for (const [shell, script] of Object.entries(completionScripts)) {
      const { code, stdout } = await runMain(tmpdir(), ['completion', shell]);
      expect({ code, stdout }).to.deep.equal({ code: 0, stdout: script });
      expect(script).to.contain('--complete');
    }
  });
});
