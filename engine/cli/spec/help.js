import { commonApplies, commonOptions, versionOption } from './common-options.js';
import { dashed, takesValue } from './words.js';

/** @typedef {import('./command-spec.ts').CommandSpec} CommandSpec */
/** @typedef {import('./command-spec.ts').OptionSpec} OptionSpec */

/** Help is as wide as the terminal, within reason. */
const widest = 120;
const shorts = /** @type {Readonly<Record<string, string>>} */ ({ help: '-h, ', version: '-V, ' });

/**
 * The help of a command, of a group of commands, or of all.
 * @param {string} words
 * @param {{ readonly commands: readonly CommandSpec[], readonly groups: Readonly<Record<string, string>>, readonly columns: number }} shown
 */
export function helpText(words, { commands, groups, columns }) {
  const width = Math.min(widest, Math.max(60, columns));
  const spec = commands.find((one) => one.words === words);
  if (spec !== undefined) return helpOfCommand(spec, width);
  return words === '' ? helpOfAll(commands, groups, width) : helpOfGroup(words, commands, groups, width);
}

/** @param {CommandSpec} spec @param {number} width */
function helpOfCommand(spec, width) {
  const options = Object.entries(spec.options ?? {}).filter(([, option]) => !option.hidden);
  const common = Object.entries(commonOptions).filter(([name]) => commonApplies(name, spec));
  return [
    `Usage: tablewright ${usage(spec)}${options.length === 0 ? '' : ' [options]'}`,
    '',
    ...wrapped(sentence(spec.summary), width),
    ...(options.length === 0 ? [] : ['', 'Options:', ...rows(options.map(optionRow), width)]),
    '',
    'Common options:',
    ...rows(common.map(optionRow), width),
    ...(spec.examples === undefined ? [] : ['', 'Examples:', ...spec.examples.map((line) => `  tablewright ${line}`)]),
    '',
  ].join('\n');
}

/** @param {string} words @param {readonly CommandSpec[]} commands @param {Readonly<Record<string, string>>} groups @param {number} width */
function helpOfGroup(words, commands, groups, width) {
  const own = commands.filter((spec) => spec.words.startsWith(`${words} `));
  return [
    `Usage: tablewright ${words} <command> [options]`,
    '',
    ...wrapped(sentence(groups[words] ?? ''), width),
    '',
    'Commands:',
    ...rows(own.map(commandRow), width),
    '',
    `'tablewright ${words} <command> --help' shows the options of a command.`,
    '',
  ].join('\n');
}

/** @param {readonly CommandSpec[]} commands @param {Readonly<Record<string, string>>} groups @param {number} width */
function helpOfAll(commands, groups, width) {
  /** @type {Map<string, readonly [string, string]>} */
  const lines = new Map();
  for (const spec of commands) {
    const [first = ''] = spec.words.split(' ');
    const group = groups[first];
    lines.set(first, group === undefined ? commandRow(spec) : [first, group]);
  }
  return [
    'Usage: tablewright <command> [options]',
    '',
    'DynamoDB tables, migrations and seeds from one typed catalogue',
    '',
    'Commands:',
    ...rows([...lines.values()], width),
    '',
    'Options:',
    ...rows(Object.entries({ ...commonOptions, version: versionOption }).map(optionRow), width),
    '',
    "'tablewright <command> --help' shows the arguments and options of a command.",
    '',
  ].join('\n');
}

/** `query <pattern> [parameters...]` @param {CommandSpec} spec */
function usage(spec) {
  const args = Object.entries(spec.args ?? {}).map(([name, { many, optional }]) => {
    const word = many ? `${name}...` : name;
    return optional ? `[${word}]` : `<${word}>`;
  });
  return [spec.words, ...args].join(' ');
}

/** @param {CommandSpec} spec @returns {readonly [string, string]} */
function commandRow(spec) {
  return [usage(spec), spec.summary];
}

/** @param {readonly [string, OptionSpec]} entry @returns {readonly [string, string]} */
function optionRow([name, option]) {
  const { type, shown, many, help, required, default: usual } = option;
  const value = 'flag' in type ? '' : ` <${shown ?? type.shown}${many ? '...' : ''}>`;
  const remark =
    usual !== undefined && takesValue(option) ? ` (default: ${usual})` : required && !option.only ? ' (required)' : '';
  return [`${shorts[name] ?? ''}${dashed(name)}${value}`, `${help}${remark}`];
}

/** Two columns, the second wrapped. @param {readonly (readonly [string, string])[]} entries @param {number} width */
function rows(entries, width) {
  const left = Math.max(...entries.map(([term]) => term.length)) + 4;
  return entries.flatMap(([term, text]) =>
    wrapped(text, width - left).map((line, at) => `${(at === 0 ? `  ${term}` : '').padEnd(left)}${line}`),
  );
}

/** @param {string} text @param {number} width */
function wrapped(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

/** @param {string} text */
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
