import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { commands } from '../../engine/cli/commands/all.js';
import { textWidth } from '../../engine/cli/show/text-width.ts';
import { helpText } from '../../engine/cli/spec/help.js';
import { type GuardedStack, startGuardedStack } from '../support/enforcing-front/guarded-stack.ts';
import { exampleCodes, exampleOrder, exampleScenes, realLine, runElsewhere } from '../support/example-scenes.ts';
import { linesOnTheWay } from '../support/json-lines.ts';
import { projectFolder } from '../support/project-folder.ts';
import { runMain } from '../support/run-main.ts';

const behind = commands.map(({ words }) => words).filter((words) => ![...exampleOrder, ...runElsewhere].includes(words));
const order = [...exampleOrder, ...behind];

/** Told on the way; with --quiet there is none of it. */
const onTheWay = new Set([...linesOnTheWay, 'progress', 'endpoint', 'left-out']);

/** They change nothing, so they run once more where there is little room. */
const onlyShow = commands.filter(({ words }) =>
  /^(tables|patterns|query|explain|status|plan|history|doctor|backup list|pitr status|mask plan|subject show|advise indexes|check index|audit .*|cutover (status|check)|preview)$/.test(
    words,
  ),
);

describe('the examples of --help', () => {
  let stack: GuardedStack;

  before(async () => {
    stack = await startGuardedStack();
    stack.front.everything = true;
  });

  after(() => stack?.close());

  for (const spec of commands) {
    it(`${spec.words} has two, and shows them`, () => {
      const file = `engine/cli/commands/${spec.words.replaceAll(' ', '-')}.spec.js`;
      const advice = `${file}: add examples: ['…', '…'], two command lines of it without 'tablewright'; this file runs them (scenes: tests/support/example-scenes.ts)`;
      expect(spec.examples, advice).to.have.length(2);
      const help = helpText(spec.words, { commands, groups: {}, columns: 80 });
      for (const line of spec.examples ?? []) {
        expect(line.startsWith(spec.words), `${file}: ${line} is no example of ${spec.words}`).to.equal(true);
        expect(help).to.contain(`\n  tablewright ${line}\n`);
      }
    });
  }

  for (const [at, words] of order.entries()) {
    const spec = commands.find((one) => one.words === words);
    for (const [number, line] of (spec?.examples ?? []).entries()) {
      const json = number === 1;
      it(`tablewright ${line}: ${json ? 'JSON lines, quietly' : 'on a terminal of 80 columns'}`, async () => {
        if (number === 0 && order.indexOf(words) === at) await exampleScenes[words]?.(stack);
        if (line !== words) await exampleScenes[line]?.(stack);
        const run = await runLine(line, json ? 'quiet' : 80);
        expect(run.code, run.printed).to.equal(exampleCodes[line] ?? 0);
        if (!json) expect(tooWide(run.printed, 80).join('\n')).to.equal('');
        else if (run.code === 0) {
          expect(run.stderr).to.equal('');
          expect(eventsOf(run.printed).filter((event) => onTheWay.has(event))).to.deep.equal([]);
        }
      });
    }
  }

  for (const { words, examples: [line = ''] = [] } of onlyShow) {
    it(`${words} has room on 60 and on 40 columns`, async () => {
      for (const columns of [60, 40]) {
        // The migrations that an example has begun are not written yet: plan and status say so, and that has to fit, too.
        const { printed } = await runLine(line, columns);
        expect(printed).not.to.equal('');
        expect(tooWide(printed, columns).join('\n'), `${columns} columns`).to.equal('');
      }
    });
  }

  it('help and what is said of wrong use fit a terminal of 80 columns', async () => {
    const wrong = [
      'migrat',
      'query',
      'query markets.orders.bestBid',
      'export --to x --rate a --all',
      'history 99',
      'seed nothing',
    ];
    for (const line of [...commands.map(({ words }) => `${words} --help`), ...wrong]) {
      const { code, printed } = await stack.runOnTerminal(80, [], ...line.split(' '));
      expect(code === 0, printed).to.equal(line.endsWith('--help'));
      expect(tooWide(printed, 80).join('\n'), line).to.equal('');
    }
  });

  for (const words of runElsewhere) {
    for (const line of commands.find((spec) => spec.words === words)?.examples ?? []) {
      it(`tablewright ${line}: in a folder of its own`, async () => {
        const { root, remove } = await projectFolder({ dev: 'config:\n  aws:region: us-east-1\n' });
        try {
          // What it writes must not come into the repository through a link.
          for (const part of ['infra', 'tables', ...(words === 'init' ? ['tablewright.config.ts', 'package.json', 'seeds'] : [])])
            await rm(join(root, part));
          const { code, stdout, stderr } = await runMain(root, line.split(' '));
          expect(code, stdout + stderr).to.equal(0);
          if (line.includes('--quiet')) expect(stderr).to.equal('');
        } finally {
          await remove();
        }
      });
    }
  }

  /** On a terminal so many columns wide, or quietly as JSON lines. The console serves its pages until it is stopped. */
  function runLine(line: string, how: number | 'quiet') {
    const words = realLine(line, stack).split(' ');
    const waits = /^(backup create|restore|refresh|export orders)/.test(line) ? ['--poll-ms', '1'] : [];
    if (how !== 'quiet' && words[0] !== 'console') return stack.runOnTerminal(how, [], ...words, ...waits);
    const form = /--(json|raw|format)|^console/.test(line) ? [] : ['--json'];
    return stack.run([], ...words, ...waits, ...form, '--quiet');
  }
});

/** Of the lines that are JSON; records and SARIF have none. */
function eventsOf(printed: string): readonly string[] {
  return [...printed.matchAll(/^\{"version":1,"event":"([^"]+)"/gm)].map(([, event = '']) => event);
}

/** What may be longer than the terminal is wide: it would be spoiled by a break. */
const unbreakable = {
  'a word, under what it stands beside': /^\s*(?:[-→] |\S+ {2,})?\S+$/,
  'JSON to copy': /^\s*["{}[\]]/,
  'a command to copy': /^\s*'?(tablewright|npx|aws|pulumi) /,
} as const;

/** The lines that a terminal of so many columns breaks; a progress line is written over and is not one. */
function tooWide(printed: string, columns: number): readonly string[] {
  const plain = printed.replaceAll(/[^\n]*\r\x1b\[J/g, '').replaceAll(/\x1b\[\d+m/g, '');
  return plain
    .split('\n')
    .filter((line) => textWidth(line) > columns && !Object.values(unbreakable).some((form) => form.test(line)));
}
