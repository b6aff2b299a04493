import { eastAsianWidth } from 'get-east-asian-width';

const segments = new Intl.Segmenter('en', { granularity: 'grapheme' });
const plainText = /^[\x20-\x7e–…→·█░]*$/;
const wideByPresentation = /\p{Emoji_Presentation}|\ufe0f/u;
/** Neither seen nor wide: marks that go with a letter, and what only directs. */
const unseen = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;

/** Columns that one letter, as people see it, takes. */
function letterWidth(letter: string): number {
  const point = letter.codePointAt(0) ?? 0;
  if (unseen.test(String.fromCodePoint(point))) return 0;
  return wideByPresentation.test(letter) ? 2 : eastAsianWidth(point);
}

/** Columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  if (plainText.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segments.segment(text)) width += letterWidth(segment);
  return width;
}

/** The text in so many columns, the last of them `…` where something was cut. */
export function cutText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let [shown, width] = ['', 0];
  for (const { segment } of segments.segment(text)) {
    width += letterWidth(segment);
    if (width > columns - 1) break;
    shown += segment;
  }
  return columns < 1 ? '' : `${shown}…`;
}

/** Filled up with spaces. */
export function padText(text: string, columns: number, right = false): string {
  const space = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return right ? `${space}${text}` : `${text}${space}`;
}

// Tab and line feed, escapes, the C1 set, and what turns the direction of writing: stored text must not direct the terminal.
const directing = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Stored text on one line of a terminal: what would direct it is shown as JavaScript writes it. */
export function harmless(text: string): string {
  return text.replace(directing, (found) => {
    const code = found.charCodeAt(0);
    const short = { 9: '\\t', 10: '\\n', 13: '\\r' }[code];
    return short ?? `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
