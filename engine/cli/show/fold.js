import { stripVTControlCharacters } from 'node:util';

// Plain JavaScript, for wrong use is told before anything else is loaded.

/** To be copied as a whole line: JSON, a command. A break inside would spoil it. */
const whole = /^["{}[\]]|^(?:export \S+=|(?:tablewright|npx|npm|aws|pulumi) .*\s--?[a-z])/;
/** A line of a diff: values, which have no words to break between. */
const valued = /^\s*[+-] (?=["{])/;
const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The indent, with a sign that a line begins with. */
const indented = /^\s*(?:[-!?→] )?/;
/** Between columns that are laid out by hand: `Expected   half a unit`. */
const gaps = /(?<=\S) {2,}(?=\S)/g;

/** What goes to the next line together: a command in quotes or behind a colon, else a word. */
const pieces = /(?<=: )(?:tablewright|npx|npm|aws|pulumi) .*$|(?<=^|\s)\(?'(?:tablewright|npx|npm|aws|pulumi) [^']*'\S*|\S+/g;

/**
 * Sentences that are longer than the terminal is wide, broken between words under their own beginning.
 * @param {string} text
 * @param {number} columns
 * @param {(text: string) => number} [widthOf] Columns that a text without colours takes
 */
export function fold(text, columns, widthOf = (one) => one.length) {
  /** @param {string} one */
  const width = (one) => widthOf(stripVTControlCharacters(one));
  return text
    .split('\n')
    .flatMap((line) => {
      if (width(line) <= columns) return [line];
      const sign = valued.exec(line)?.[0];
      if (sign !== undefined) return breakValue(line.slice(sign.length), sign, { columns, width });
      const begin = beginningOf(line, columns / 2);
      const sentence = line.slice(begin.length);
      return whole.test(sentence) ? [line] : foldSentence(sentence, begin, { columns, width });
    })
    .join('\n');
}

/**
 * Anywhere, no letter lost, under its own beginning; `--json` has it as it is.
 * @param {string} value
 * @param {string} sign
 * @param {{ readonly columns: number, readonly width: (text: string) => number }} fit
 */
function breakValue(value, sign, { columns, width }) {
  const room = Math.max(1, columns - sign.length);
  /** @type {string[]} */
  const lines = [];
  let [current, used] = ['', 0];
  for (const { segment } of letters.segment(value)) {
    const wide = width(segment);
    if (used + wide > room) {
      lines.push(current);
      [current, used] = ['', 0];
    }
    current += segment;
    used += wide;
  }
  return [...lines, current].map((one, at) => `${at === 0 ? sign : ' '.repeat(sign.length)}${one}`);
}

/** What later lines stand under: the indent, a sign, the columns before the last, as far as they leave room. @param {string} line @param {number} most */
function beginningOf(line, most) {
  const ends = [...line.matchAll(gaps)].map((gap) => gap.index + gap[0].length).filter((end) => end <= most);
  return line.slice(0, Math.max(indented.exec(line)?.[0].length ?? 0, ...ends));
}

/**
 * @param {string} sentence
 * @param {string} begin
 * @param {{ readonly columns: number, readonly width: (text: string) => number }} fit
 */
function foldSentence(sentence, begin, { columns, width }) {
  /** @type {string[]} */
  const lines = [];
  let current = '';
  for (const piece of sentence.match(pieces) ?? []) {
    const longer = current === '' ? `${begin}${piece}` : `${current} ${piece}`;
    if (current !== '' && width(longer) > columns) {
      lines.push(current);
      current = `${' '.repeat(width(begin))}${piece}`;
    } else current = longer;
  }
  return [...lines, current];
}
