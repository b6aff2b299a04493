import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { commands } from '../../engine/cli/commands/all.js';
import { readCommand } from '../../engine/cli/spec/read-command.js';
import { repository } from '../support/run-cli.ts';
import { runMain } from '../support/run-main.ts';
import { makeFolder, removeFolder } from '../support/seed-bench.ts';
import { useEngine } from '../support/test-engine.ts';
import { generatedInvocations, type Invocation, settingsOf } from './invocations.ts';
import { blunders, mistakeFiles, slips } from './mistakes.ts';

/** What no message may hold: a stack trace, our own helplessness, the SDK's inner words, values that were not there. */
const unspeakable =
  /\n\s+at .*:\d+|fault of tablewright|hidden field|[Dd]eserialization|\$response|\$metadata|\bundefined\b|\[object |\bNaN\b/;

/** The first line, or with --json its message. */
function firstLine(stderr: string): string {
  const [line = ''] = stderr.split('\n');
  if (!line.startsWith('{')) return line;
  const { error, message } = JSON.parse(line) as { readonly error: string; readonly message: string };
  return `${error}: ${message}`;
}

async function checkInvocation(folder: string, { args, code, says }: Invocation): Promise<void> {
  const shown = `tablewright ${args.map((word) => JSON.stringify(word)).join(' ')}`;
  const result = await runMain(folder, args);
  expect({ code: result.code, stdout: result.stdout }, shown).to.deep.equal({ code, stdout: '' });
  if (typeof says === 'string') expect(firstLine(result.stderr), shown).to.equal(says);
  else expect(result.stderr, shown).to.match(says);
  expect(result.stderr, shown).not.to.match(unspeakable);
  expect(result.stderr, `${shown}: no next step`).to.match(/\n→ .+\n$|"next":".+"/);
}

describe('a wrong invocation', function () {
  this.timeout(60_000);
  const generated = generatedInvocations();
  const engine = useEngine();
  let folder = '';

  before(async () => {
    folder = await makeFolder(mistakeFiles);
  });

  after(() => removeFolder(folder));

  it('every command is understood in every mode when it is used rightly', () => {
    for (const spec of commands) {
      for (const { mode, args } of settingsOf(spec)) {
        const reading = readCommand(args, commands, {});
        const found = reading.kind === 'run' ? { words: reading.spec.words, mode: reading.given.mode } : reading;
        expect(found, args.join(' ')).to.deep.equal({ words: spec.words, mode });
      }
    }
  });

  it('there are at least 350 of them', () => {
    const lines = new Set([...generated, ...slips, ...blunders].map(({ args }) => args.join('\u0001')));
    expect(lines.size).to.be.at.least(350);
  });

  for (const spec of commands) {
    it(`${spec.words}: words, values, modes and company of its options`, async () => {
      const own = generated.filter(({ args }) => spec.words.split(' ').every((word, at) => args[at] === word));
      expect(own.length).to.be.at.least(3);
      for (const invocation of own) await checkInvocation(repository, invocation);
    });
  }

  it('slips of the pen are named, with what was meant', async () => {
    for (const invocation of slips) await checkInvocation(folder, invocation);
  });

  it('what is not there, cannot be read or is not allowed is named before anything is changed', async () => {
    const files = await readdir(folder, { recursive: true });
    for (const { args, ...rest } of blunders) {
      const line = args.flatMap((word) => (word === '@' ? ['--stack', 'test', '--endpoint', 'ENGINE'] : [word]));
      await checkInvocation(folder, { ...rest, args: line.map((word) => (word === 'ENGINE' ? engine().endpoint : word)) });
    }
    expect(await readdir(folder, { recursive: true })).to.deep.equal(files);
  });

  it('a command that is missing is answered with the help, on the error stream', async () => {
    for (const args of [[], ['cutover'], ['backup'], ['--quiet']]) {
      const { code, stdout, stderr } = await runMain(folder, args);
      expect({ code, stdout }, args.join(' ')).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr).to.match(/^Usage: tablewright .*<command> \[options\]\n/);
    }
  });
});
