import { nearest } from '../../core/show/nearest.js';
import { checkArguments, checkOptions } from './check-command.js';
import { commonOptions, versionOption } from './common-options.js';
import { dashed, takeApart } from './words.js';

/** @typedef {import('./command-spec.ts').CommandSpec} CommandSpec */
/** @typedef {import('./command-spec.ts').OptionSpec} OptionSpec */
/** @typedef {import('./command-spec.ts').ReadWords} ReadWords */

/**
 * What a command line asks for. Pure: everything that is wrong with it comes back in one failure.
 * @param {readonly string[]} args
 * @param {readonly CommandSpec[]} commands
 * @param {Readonly<Record<string, string | undefined>>} env The environment, which may name servers
 * @returns {ReadWords}
 */
export function readCommand(args, commands, env) {
  const known = allOptions(commands);
  const { words, options } = takeApart(args, known);
  const has = (/** @type {string} */ name) => options.some((option) => option.name === name);
  // Also where an option in want of a value took it for one: a program that asked for JSON gets JSON.
  const json = has('json') || args.includes('--json');
  if (has('version') && words.length === 0) return { kind: 'version' };
  const helping = has('help') || words[0] === 'help';
  const asked = words[0] === 'help' ? words.slice(1) : words;
  // The longest: 'archive items' is a command beside 'archive'.
  const [spec] = commands
    .filter((one) => isBegin(one.words.split(' '), asked))
    .toSorted((a, b) => b.words.length - a.words.length);
  const isGroup = spec === undefined && commands.some((one) => isBegin(asked, one.words.split(' ')));
  // The value of an unknown option is taken for the command: the option is what is wrong.
  const stray = spec === undefined ? options.find((option) => !known.has(option.name)) : undefined;
  if (stray !== undefined && !helping) return { kind: 'wrong', json, failure: unknownOption(stray.shown, known) };
  if (spec === undefined && !isGroup) return { kind: 'wrong', json, failure: unknownCommand(asked, commands) };
  if (helping || isGroup) return { kind: 'help', words: spec?.words ?? asked.join(' '), wrong: !helping, json };
  return spec === undefined
    ? { kind: 'help', words: '', wrong: true, json }
    : readArguments(spec, asked, options, { commands, env, json });
}

/**
 * @param {CommandSpec} spec
 * @param {readonly string[]} words
 * @param {readonly import('./words.js').Occurrence[]} options
 * @param {{ readonly commands: readonly CommandSpec[], readonly env: Readonly<Record<string, string | undefined>>, readonly json: boolean }} rest
 * @returns {ReadWords}
 */
function readArguments(spec, words, options, { commands, env, json }) {
  const read = checkOptions(spec, options, commands, env);
  const positional = checkArguments(spec, words.slice(spec.words.split(' ').length), read.unknown);
  const problems = [...positional.problems, ...read.problems];
  if (problems.length === 0) return { kind: 'run', spec, common: read.common, given: { ...positional.given, ...read.given } };
  const [only = ''] = problems;
  const more = { summary: `${spec.words}: ${problems.length} things are wrong on the command line`, problems };
  const one = { summary: `${spec.words}: ${only}`, problems: [] };
  const next = [...read.hints, `'tablewright ${spec.words} --help' shows what it takes.`].join(' ');
  return { kind: 'wrong', json, failure: { code: 'BAD_ARGUMENT', ...(problems.length === 1 ? one : more), next } };
}

/** Is one list of words the begin of the other? @param {readonly string[]} begin @param {readonly string[]} words */
function isBegin(begin, words) {
  return begin.every((word, at) => words[at] === word);
}

/** Every option of every command; those of one name are alike in having a value. @param {readonly CommandSpec[]} commands */
function allOptions(commands) {
  /** @type {readonly Readonly<Record<string, OptionSpec>>[]} */
  const sources = [...commands.map((spec) => spec.options ?? {}), commonOptions, { version: versionOption }];
  return new Map(sources.flatMap((source) => Object.entries(source)));
}

/** @param {readonly string[]} words @param {readonly CommandSpec[]} commands */
function unknownCommand(words, commands) {
  const [first = '', second = ''] = words;
  const group = commands.some((spec) => spec.words.startsWith(`${first} `)) ? `${first} ` : '';
  const known = commands.flatMap(({ words: own }) => (own.startsWith(group) ? [own] : []));
  const given = group === '' ? first : `${first} ${second}`;
  const near = nearest(given, group === '' ? new Set(known.map((own) => own.split(' ')[0] ?? own)) : known);
  const list = `'tablewright ${group === '' ? '' : `${first} `}--help' lists what there is.`;
  return {
    code: 'UNKNOWN_NAME',
    summary: `there is no command ${given.trim() === '' ? 'with an empty name' : given}`,
    problems: [],
    next: near === undefined ? list : `Did you mean ${near}? ${list}`,
  };
}

/** @param {string} shown @param {ReadonlyMap<string, OptionSpec>} known */
function unknownOption(shown, known) {
  const near = nearest(shown, [...known.keys()].map(dashed));
  const list = "'tablewright --help' lists what there is.";
  const next = near === undefined ? list : `Did you mean ${near}? ${list}`;
  return { code: 'BAD_ARGUMENT', summary: `there is no option ${shown}`, problems: [], next };
}
