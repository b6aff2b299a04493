import { expect } from 'chai';
import { commands } from '../../engine/cli/commands/all.js';
import { readCommand } from '../../engine/cli/spec/read-command.js';
import { repository } from '../support/run-cli.ts';
import { runMain } from '../support/run-main.ts';
import { generatedInvocations, type Invocation, settingsOf } from './invocations.ts';

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

export async function checkInvocation(folder: string, { args, code, says }: Invocation): Promise<void> {
  const shown = `tablewright ${args.map((word) => JSON.stringify(word)).join(' ')}`;
  const result = await runMain(folder, args);
  expect({ code: result.code, stdout: result.stdout }, shown).to.deep.equal({ code, stdout: '' });
  if (typeof says === 'string') expect(firstLine(result.stderr), shown).to.equal(says);
  else expect(result.stderr, shown).to.match(says);
  expect(result.stderr, shown).not.to.match(unspeakable);
  expect(result.stderr, `${shown}: no next step`).to.match(/\n→ .+\n$|"next":".+"/);
}

describe('a wrong invocation', () => {
  const generated = generatedInvocations();

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
    const lines = new Set(generated.map(({ args }) => args.join('\u0001')));
    expect(lines.size).to.be.at.least(350);
  });

  for (const spec of commands) {
    it(`${spec.words}: words, values, modes and company of its options`, async () => {
      const own = generated.filter(({ args }) => spec.words.split(' ').every((word, at) => args[at] === word));
      expect(own.length).to.be.at.least(3);
      for (const invocation of own) await checkInvocation(repository, invocation);
    });
  }
});
