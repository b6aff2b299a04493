import { type EncodedText, encodedTexts } from './encoded-texts.ts';
import { type Folded, foldings } from './fold-text.ts';
import { leastPartLength, type Needle } from './needles.ts';

/** Texts in texts: a token that holds a document that holds an address. */
const mostDepth = 2;
/** So many letters do not come out of anything else by chance, so short words count in them too. */
const leastProse = 12;

/** The text with every value replaced, in one go from left to right. */
export function replaceTexts(text: string, needles: readonly Needle[]): string {
  return replaceWithin(text, needles, 0);
}

function replaceWithin(text: string, needles: readonly Needle[], depth: number): string {
  return withSpans(text, findSpans(text, needles, depth));
}

function withSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let out = '';
  let at = 0;
  for (const { start, end, after } of spans.toSorted((a, b) => a.start - b.start)) {
    out += text.slice(at, start) + after();
    at = end;
  }
  return out + text.slice(at);
}

/** Does the text hold one of the values? */
export function holdsValue(text: string, needles: readonly Needle[]): boolean {
  return findSpans(text, needles, 0).length > 0;
}

interface Span {
  readonly start: number;
  readonly end: number;
  /** What takes its place. */
  readonly after: () => string;
}

function findSpans(text: string, needles: readonly Needle[], depth: number): readonly Span[] {
  if (needles.length === 0 || text === '') return [];
  const spans: Span[] = [];
  const taken = new Taken(text);
  for (const folded of foldings(text)) {
    for (const needle of needles) {
      for (const { start, end } of placesOf(needle, folded, text)) {
        const pieces = taken.take(start, end);
        const isWhole = pieces.length === 1 && pieces[0]?.start === start && pieces[0].end === end;
        // Two values that overlap: what the longer one leaves of the other is a part of it still.
        const after = isWhole ? () => spelled(text.slice(start, end), needle) : () => needle.masked;
        for (const piece of pieces) spans.push({ ...piece, after });
      }
    }
  }
  if (depth === mostDepth) return spans;
  for (const encoded of encodedTexts(text)) {
    const { start, end, encode } = encoded;
    if (!taken.isFree(start, end)) continue;
    const after = replaceEncoded(encoded, needles, depth + 1);
    if (after === encoded.text) continue;
    taken.take(start, end);
    spans.push({ start, end, after: () => encode(after) });
  }
  return spans;
}

type Piece = Pick<Span, 'start' | 'end'>;

/** Which symbols of a text are replaced already. */
class Taken {
  readonly #text: string;
  /** Made with the first value that is found: most texts have none. */
  #marks: Uint8Array | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  isFree(start: number, end: number): boolean {
    return this.#marks?.subarray(start, end).includes(1) !== true;
  }

  /** Takes what is free there, and gives the pieces of it that say something. */
  take(start: number, end: number): readonly Piece[] {
    this.#marks ??= new Uint8Array(this.#text.length);
    const marks = this.#marks;
    const pieces: Piece[] = [];
    for (let at = start; at < end; at += 1) {
      if (marks[at] === 1) continue;
      const last = pieces.at(-1);
      if (last?.end === at) pieces[pieces.length - 1] = { start: last.start, end: at + 1 };
      else pieces.push({ start: at, end: at + 1 });
    }
    marks.fill(1, start, end);
    return pieces.filter((piece) => saysSomething(this.#text.slice(piece.start, piece.end)));
  }
}

/** Letters in circles are no letters, but say some. */
const saysSomething = (text: string): boolean => /[\p{L}\p{N}]/u.test(text.normalize('NFKD'));

/** Bytes that are no text hold values only as they are: read as letters, chance would make many. */
function replaceEncoded({ text, isText }: EncodedText, needles: readonly Needle[], depth: number): string {
  const long = needles.filter(({ folded }) => folded.length >= leastPartLength);
  if (isText) return replaceWithin(text, text.length >= leastProse ? needles : long, depth);
  return long.reduce(
    (after, { original, masked }) => after.replaceAll(Buffer.from(original).toString('latin1'), () => masked),
    text,
  );
}

/** `12.345.678`: an amount, or the company in a CNPJ. */
const inThrees = /^\d{1,3}(?:\.\d{3})+$/;

/** Where in the text the value stands. */
function* placesOf(needle: Needle, folded: Folded, text: string): Generator<{ readonly start: number; readonly end: number }> {
  const { length } = needle.folded;
  for (let at = folded.text.indexOf(needle.folded); at !== -1; at = folded.text.indexOf(needle.folded, at + 1)) {
    const start = folded.starts[at] ?? 0;
    const end = folded.ends[at + length - 1] ?? 0;
    const isJoined = folded.ends[at - 1] === start || folded.starts[at + length] === end;
    if (needle.wholeWord && isJoined) continue;
    if (needle.wholeNumber && (/\d/.test(text[start - 1] ?? '') || /\d/.test(text[end] ?? ''))) continue;
    if (needle.neverGrouped && inThrees.test(text.slice(start, end))) continue;
    if (isOfOneWord(needle, folded, at, text) && !isOfNumber(needle, text, start, end)) yield { start, end };
  }
}

/**
 * Is it the value, and not the end of a word with the beginning of the next (`a na`, `mar ia`)? A short one is in one piece, one of a letter
 * is written as it is; a longer one of letters may be spaced out, but then wholly.
 */
function isOfOneWord({ original, folded, gaps }: Needle, found: Folded, at: number, text: string): boolean {
  if (folded.length === 1) return text.slice(found.starts[at], found.ends[at]) === original;
  const isShort = folded.length < leastPartLength;
  if (!isShort && /\d/.test(folded)) return true;
  let foreign = 0;
  for (let place = 0; place + 1 < folded.length; place += 1) {
    const between = text.slice(found.ends[at + place], found.starts[at + place + 1]).replaceAll(lineOfMail, '');
    if (!gaps.has(place) && (isShort ? isVisible(between) : /\s/.test(between))) foreign += 1;
  }
  return foreign === 0 || (!isShort && foreign === folded.length - 1 - gaps.size);
}

/** Mail breaks long lines in the middle of words (RFC 2045). */
const lineOfMail = /=\r?\n/g;

/** Noughts stand between the letters of UTF-16. */
const isVisible = (text: string): boolean => /[^\p{M}\p{Cf}\0]/u.test(text);

/** Few digits of an amount are no house number. */
function isOfNumber({ folded }: Needle, text: string, start: number, end: number): boolean {
  if (folded.length >= leastPartLength || !/^\d+$/.test(folded)) return false;
  return /\d[.,]$/.test(text.slice(Math.max(0, start - 2), start)) || /^[.,]\d/.test(text.slice(end, end + 2));
}

const punctuation = /[^\p{L}\p{N}]+/gu;

/** The mask in the spelling in which the value was found. */
function spelled(found: string, { original, masked }: Needle): string {
  if (found === original) return masked;
  const isEncoded = /%[0-9a-f]{2}/i.test(found);
  const plain = found.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  const bare = plain.search(punctuation) === -1 && original.search(punctuation) !== -1;
  const shown = bare ? masked.replaceAll(punctuation, '') : masked;
  const isUpper = /\p{Lu}/u.test(plain) && !/\p{Ll}/u.test(plain) && /\p{Ll}/u.test(original);
  const cased = isUpper ? shown.toUpperCase() : shown;
  return isEncoded ? encodeURIComponent(cased) : cased;
}
