import { parseArgs } from 'node:util';

/** @typedef {import('./command-spec.ts').OptionSpec} OptionSpec */
/** @typedef {{ readonly name: string, readonly shown: string, readonly values: string[], readonly inline: boolean }} Occurrence */

/** `noPitrOk` as it is typed: `--no-pitr-ok`. @param {string} name */
export function dashed(name) {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Has the option a value after it? @param {OptionSpec} spec */
export function takesValue(spec) {
  return !('flag' in spec.type);
}

const shorts = /** @type {Record<string, string>} */ ({ help: 'h', version: 'V' });

/**
 * Takes a command line apart: words, and options with what follows them. An option has or has not a value whatever the
 * command is, so that this needs no command.
 * @param {readonly string[]} args
 * @param {ReadonlyMap<string, OptionSpec>} known Every option of every command
 * @returns {{ readonly words: readonly string[], readonly options: readonly Occurrence[] }}
 */
export function takeApart(args, known) {
  const options = Object.fromEntries(
    [...known].map(([name, spec]) => {
      const short = shorts[name];
      const type = takesValue(spec) ? /** @type {const} */ ('string') : /** @type {const} */ ('boolean');
      return [dashed(name).slice(2), short === undefined ? { type } : { type, short }];
    }),
  );
  const names = new Map([...known.keys()].map((name) => [dashed(name).slice(2), name]));
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  /** @type {string[]} */
  const words = [];
  /** @type {Occurrence[]} */
  const found = [];
  /** The option whose list of values goes on. @type {Occurrence | undefined} */
  let list;
  for (const token of tokens) {
    if (token.kind === 'positional') (list?.values ?? words).push(token.value);
    else list = undefined;
    if (token.kind !== 'option') continue;
    const name = names.get(token.name) ?? token.name;
    const values = token.value === undefined ? [] : [token.value];
    const occurrence = { name, shown: token.rawName, values, inline: token.inlineValue === true };
    found.push(occurrence);
    if (known.get(name)?.many && !occurrence.inline) list = occurrence;
  }
  return { words, options: found };
}
