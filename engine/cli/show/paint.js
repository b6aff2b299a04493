import { styleText } from 'node:util';

// Colour only ever repeats what the words say. Plain JavaScript, for wrong use is told before anything else is loaded.

/** @typedef {'good' | 'bad' | 'warn' | 'soft' | 'strong' | 'next'} Tone */
/** @typedef {(tone: Tone, text: string) => string} Paint */

const styles = /** @type {const} */ ({
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  soft: 'dim',
  strong: 'bold',
  next: 'cyan',
});

/** @type {Paint} */
export const plain = (_tone, text) => text;

/** @type {Paint} */
const coloured = (tone, text) => (text === '' ? '' : styleText(styles[tone], text, { validateStream: false }));

/**
 * Whether to use colours: `--no-color` before the environment, and there FORCE_COLOR before NO_COLOR, as Node itself has it
 * (no-color.org: any value but an empty one counts).
 * @param {boolean} terminal
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {boolean} refused By `--no-color`
 */
export function wantsColour(terminal, env, refused) {
  if (refused) return false;
  const forced = env.FORCE_COLOR ?? '';
  if (forced !== '') return forced !== '0' && forced !== 'false';
  if ((env.NO_COLOR ?? '') !== '') return false;
  return terminal && env.TERM !== 'dumb';
}

/** @param {boolean} colour */
export function painter(colour) {
  return colour ? coloured : plain;
}

/**
 * The lines that lead somewhere or warn, and the code of an error.
 * @param {string} text
 * @param {Paint} paint
 */
export function paintLines(text, paint) {
  if (paint === plain) return text;
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('→')) return paint('next', line);
      if (/^\s*! /.test(line)) return paint('warn', line);
      return line.replace(/^[A-Z][A-Z_]+(?=: )/, (code) => paint('bad', code));
    })
    .join('\n');
}
