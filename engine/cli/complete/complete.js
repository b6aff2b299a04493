import { commonApplies, commonOptions } from '../spec/common-options.js';
import { dashed, takesValue } from '../spec/words.js';

/** @typedef {import('../spec/command-spec.ts').CommandSpec} CommandSpec */
/** @typedef {import('../spec/command-spec.ts').OptionSpec} OptionSpec */
/** @typedef {import('../spec/command-spec.ts').NameKind} NameKind */
/** @typedef {{ readonly words: readonly string[], readonly names?: NameKind, readonly given: readonly string[] }} Offer */

/**
 * What a shell offers for the word under the cursor: words that the specs tell, and a kind of names that the project tells.
 * Plain JavaScript: commands and options are completed without loading the compiler.
 * @param {readonly string[]} before The words before the cursor, without the program
 * @param {string} current
 * @param {readonly CommandSpec[]} commands
 * @returns {Offer}
 */
export function offerFor(before, current, commands) {
  const { spec, positional, open } = readBefore(before, commands);
  if (open !== undefined && !current.startsWith('-')) return fromType(open.type, positional);
  if (current.startsWith('-')) return { words: optionNames(spec), given: [] };
  if (spec === undefined) return { words: nextWords(positional, commands), given: [] };
  const given = positional.slice(spec.words.split(' ').length);
  // 'archive' is a command, and 'archive items' another one.
  const further = given.length === 0 ? nextWords(positional, commands) : [];
  const args = Object.values(spec.args ?? {});
  const argument = args[given.length] ?? (args.at(-1)?.many ? args.at(-1) : undefined);
  const offer = argument === undefined ? { words: [], given } : fromType(argument.type, given);
  return { ...offer, words: [...further, ...offer.words] };
}

/**
 * @param {readonly string[]} before
 * @param {readonly CommandSpec[]} commands
 */
function readBefore(before, commands) {
  /** @type {string[]} */
  const positional = [];
  /** The option that the next word belongs to. @type {OptionSpec | undefined} */
  let open;
  for (const word of before) {
    if (word.startsWith('-')) {
      const option = allOptions(specOf(positional, commands)).find(([name]) => dashed(name) === word)?.[1];
      open = option !== undefined && takesValue(option) ? option : undefined;
    } else if (open === undefined) positional.push(word);
    else if (!open.many) open = undefined;
  }
  return { spec: specOf(positional, commands), positional, open };
}

/** The longest command that the words begin with. @param {readonly string[]} words @param {readonly CommandSpec[]} commands */
function specOf(words, commands) {
  return commands
    .filter((spec) => spec.words.split(' ').every((word, at) => words[at] === word))
    .toSorted((a, b) => b.words.length - a.words.length)[0];
}

/** @param {readonly string[]} words @param {readonly CommandSpec[]} commands */
function nextWords(words, commands) {
  const own = commands.map((spec) => spec.words.split(' ')).filter((all) => words.every((word, at) => all[at] === word));
  return [...new Set(own.flatMap((all) => all[words.length] ?? []))];
}

/** @param {CommandSpec | undefined} spec @returns {readonly (readonly [string, OptionSpec])[]} */
function allOptions(spec) {
  const common = Object.entries(commonOptions).filter(([name]) => spec === undefined || commonApplies(name, spec));
  return [...Object.entries(spec?.options ?? {}).filter(([, option]) => !option.hidden), ...common];
}

/** @param {CommandSpec | undefined} spec */
const optionNames = (spec) => allOptions(spec).map(([name]) => dashed(name));

/**
 * @param {import('../spec/command-spec.ts').Value<unknown> | import('../spec/command-spec.ts').Flag} type
 * @param {readonly string[]} given
 * @returns {Offer}
 */
function fromType(type, given) {
  const completes = 'completes' in type ? type.completes : undefined;
  if (completes === undefined) return { words: [], given };
  return typeof completes === 'string' ? { words: [], names: completes, given } : { words: completes, given };
}
