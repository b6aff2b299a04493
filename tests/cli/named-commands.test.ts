import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { commands } from '../../engine/cli/commands/all.js';
import { readCommand } from '../../engine/cli/spec/read-command.js';
import { repository } from '../support/run-cli.ts';

interface Named {
  readonly file: string;
  /** What comes after `tablewright`. */
  readonly words: string;
}

const filesIn = (folder: string, ending: RegExp): readonly string[] =>
  readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => join(folder, file));

/** A command in a sentence stands in quotes; what follows a quote of its own is the sentence again. */
const quoted = /'(?:npx )?tablewright ([^'\n]+)'/g;
const exampleOf = /as in: (?:npx )?tablewright ([^'\n]+)$/gm;

/** Stands where a program puts a value in, or its reader. */
const anyValue = 'any-value';

/** The texts of a program. */
function textsOf(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(join(repository, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) texts.push(node.text);
    if (ts.isTemplateExpression(node)) {
      texts.push([node.head.text, ...node.templateSpans.map((span) => `${anyValue}${span.literal.text}`)].join(''));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

const inMessages = (file: string): readonly Named[] =>
  textsOf(file).flatMap((text) =>
    [quoted, exampleOf].flatMap((form) => [...text.matchAll(form)].map(([, words = '']) => ({ file, words }))),
  );

/** In pages a command stands in backticks, or on a line of its own in a block. */
function inPages(file: string): readonly Named[] {
  const text = readFileSync(join(repository, file), 'utf8');
  const forms = [/`(?:npx )?tablewright ([^`\n]+)`/g, /^(?:\$ )?(?:npx )?tablewright ([^#|&>\n]+)/gm, quoted];
  return forms.flatMap((form) => [...text.matchAll(form)].map(([, words = '']) => ({ file, words })));
}

/** As a shell takes it apart; `<name>`, `NAME` and `…` are for the reader to put in. */
function argumentsOf(words: string): readonly string[] {
  const found = words.match(/"[^"]*"|\S+/g) ?? [];
  return found.map((word) => word.replaceAll('"', '').replace(/^(<[\w-]+>|[A-Z]+)$/, anyValue)).filter((word) => word !== '…');
}

/** Why it is no command that one could type; a hint may leave out what its reader knows. */
function problemsOf({ file, words }: Named): readonly string[] {
  const args = argumentsOf(words);
  if (args[0]?.startsWith(anyValue)) return [];
  const reading = readCommand(args, commands, {});
  const where = `${file}: tablewright ${words}`;
  if (reading.kind === 'help' && reading.wrong) return [`${where}: only the begin of a command`];
  if (reading.kind !== 'wrong') return [];
  const { summary, problems } = reading.failure;
  return (problems.length === 0 ? [summary] : problems)
    .filter((problem) => !problem.endsWith('found nothing') && !problem.endsWith(`found ${anyValue}`))
    .map((problem) => `${where}: ${problem}`);
}

describe('commands that are named', () => {
  const messages = ['engine', 'tables', 'infra', 'migrations', 'seeds']
    .flatMap((folder) => filesIn(folder, /\.(ts|js)$/))
    .flatMap(inMessages);
  const pages = ['README.md', 'CHANGELOG.md', ...filesIn('docs', /\.md$/)].flatMap(inPages);

  it('in messages of the program are commands that it takes, with options that they have', () => {
    expect(messages.length).to.be.greaterThan(60);
    expect(messages.flatMap(problemsOf)).to.deep.equal([]);
  });

  it('in the documentation are, too', () => {
    expect(pages.length).to.be.greaterThan(30);
    expect(pages.flatMap(problemsOf)).to.deep.equal([]);
  });

  it('would be found if they were none', () => {
    const wrong = ['migrate status', 'cutover', 'nothing at all', 'query x --limt 3', 'migration'].map((words) => ({
      file: 'a page',
      words,
    }));
    expect(wrong.flatMap(problemsOf).map((problem) => problem.split(': ')[1])).to.deep.equal([
      'tablewright migrate status',
      'tablewright cutover',
      'tablewright nothing at all',
      'tablewright query x --limt 3',
      'tablewright migration',
    ]);
  });
});
