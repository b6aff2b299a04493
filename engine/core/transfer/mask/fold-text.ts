import { foldSymbol } from './fold-symbol.ts';

/** A text as it is searched: small letters without accents and digits, and where in the text each of them stands. */
export interface Folded {
  readonly text: string;
  /** Of each symbol, where it begins in the original and where it ends. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const isPlain = /^[\x20-\x24\x27-\x5b\x5d-\x7e]*$/;
const hasControls = /\\[bfnrt]/;
const hasEscapes = /[%&\\]/;
const hasQuoted = /=(?:[0-9a-f]{2}|\r?\n)/i;

/** What is read through: escapes of controls too, escapes, those of mail (RFC 2045, quoted-printable), or nothing. */
type Escapes = 'all' | 'symbols' | 'mail' | 'none';

interface Symbol {
  readonly symbol: string;
  /** How much of the text it is. */
  readonly length: number;
}

/** Reads through case, accents, punctuation, URL encoding (`%C3%A3`), escapes of JSON (`\u00e3`) and of HTML (`&atilde;`). */
export function foldText(text: string): Folded {
  return isPlain.test(text) ? foldPlain(text) : foldSymbols(text, 'symbols');
}

/** The ways in which a text may have been meant: `\n` is a new line in JSON, and a letter behind a backslash elsewhere; `%Fabio%` is no byte FA. */
export function foldings(text: string): readonly Folded[] {
  return [
    foldText(text),
    ...(hasControls.test(text) ? [foldSymbols(text, 'all')] : []),
    ...(hasEscapes.test(text) ? [foldSymbols(text, 'none')] : []),
    ...(hasQuoted.test(text) ? [foldSymbols(text, 'mail')] : []),
  ];
}

function foldPlain(text: string): Folded {
  const found = { text: '', starts: [] as number[], ends: [] as number[] };
  const lower = text.toLowerCase();
  for (let at = 0; at < lower.length; at += 1) {
    const code = lower.charCodeAt(at);
    if ((code < 97 || code > 122) && (code < 48 || code > 57)) continue;
    found.text += lower[at] as string;
    found.starts.push(at);
    found.ends.push(at + 1);
  }
  return found;
}

function foldSymbols(text: string, escapes: Escapes): Folded {
  const found = { text: '', starts: [] as number[], ends: [] as number[] };
  for (let at = 0; at < text.length; ) {
    const { symbol, length } = symbolAt(text, at, escapes);
    const folded = foldSymbol(symbol);
    for (let part = 0; part < folded.length; part += 1) {
      found.starts.push(at);
      found.ends.push(at + length);
    }
    found.text += folded;
    at += length;
  }
  return found;
}

/** The symbol that the text has here, however it is written. */
function symbolAt(text: string, at: number, escapes: Escapes): Symbol {
  const written = escapes === 'none' ? undefined : escapes === 'mail' ? ofMail(text, at) : escapedAt(text, at, escapes === 'all');
  if (written !== undefined) return written;
  const symbol = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return { symbol, length: symbol.length };
}

function escapedAt(text: string, at: number, controls: boolean): Symbol | undefined {
  const first = text[at];
  if (first === '%') return ofUrl(text, at);
  if (first === '\\') return ofJson(text, at, controls);
  return first === '&' ? ofHtml(text, at) : undefined;
}

/** `%C3%A3`, encoded once more: `%25C3%25A3`, and as old scripts write it: `%u00E3`. */
function ofUrl(text: string, at: number): Symbol | undefined {
  const old = /^%u([0-9a-f]{4})/i.exec(text.slice(at, at + 6));
  if (old !== null) return { symbol: String.fromCharCode(Number.parseInt(old[1] ?? '', 16)), length: old[0].length };
  const encoded = /^(?:%(?:25){0,2}[0-9a-f]{2}){1,4}/i.exec(text.slice(at, at + 28))?.[0];
  return encoded === undefined ? undefined : ofBytes([...encoded.matchAll(/%(?:25){0,2}([0-9a-f]{2})/gi)]);
}

/** `=C3=A3`, and the break of a line that says nothing. */
function ofMail(text: string, at: number): Symbol | undefined {
  if (text[at] !== '=') return undefined;
  const gap = /^=\r?\n/.exec(text.slice(at, at + 3));
  if (gap !== null) return { symbol: '', length: gap[0].length };
  const encoded = /^(?:=[0-9a-f]{2}){1,4}/i.exec(text.slice(at, at + 12))?.[0];
  return encoded === undefined ? undefined : ofBytes([...encoded.matchAll(/=([0-9a-f]{2})/gi)]);
}

/** The first symbol of such bytes. A byte that begins none stands for itself in Latin-1. */
function ofBytes(parts: readonly RegExpExecArray[]): Symbol {
  const bytes = Buffer.from(parts.map(([, hex]) => hex).join(''), 'hex');
  const first = bytes[0] ?? 0;
  const size = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const symbol = bytes.subarray(0, size).toString('utf8');
  const isSymbol = size <= bytes.length && !symbol.includes('\ufffd');
  const length = parts.slice(0, isSymbol ? size : 1).reduce((sum, [part]) => sum + part.length, 0);
  return { symbol: isSymbol ? symbol : String.fromCharCode(first), length };
}

function ofJson(text: string, at: number, controls: boolean): Symbol | undefined {
  const found = /^\\(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,5})\}|x([0-9a-f]{2}))/i.exec(text.slice(at, at + 9));
  if (found !== null) {
    const [whole, four, braced, two] = found;
    return { symbol: String.fromCodePoint(Number.parseInt(four ?? braced ?? two ?? '', 16)), length: whole.length };
  }
  return controls && hasControls.test(text.slice(at, at + 2)) ? { symbol: ' ', length: 2 } : undefined;
}

const htmlEntity =
  /^&(?:amp;){0,2}(?:#(\d{1,6});?|#x([0-9a-f]{1,5});?|(?:([a-z])(?:acute|grave|circ|tilde|uml|cedil|ring|slash)|(szlig|aelig)|amp|lt|gt|quot|apos|nbsp);)/i;

/** `&#227;`, `&#xe3;`, `&atilde;` and the few that stand for punctuation; encoded once more: `&amp;atilde;`. */
function ofHtml(text: string, at: number): Symbol | undefined {
  const found = htmlEntity.exec(text.slice(at, at + 18));
  if (found === null) return undefined;
  const [{ length }, decimal, hex, letter, ligature] = found;
  if (letter !== undefined) return { symbol: letter, length };
  if (ligature !== undefined) return { symbol: ligature.toLowerCase() === 'szlig' ? 'ß' : 'æ', length };
  const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : 32;
  return { symbol: code > 0x10ffff ? ' ' : String.fromCodePoint(code), length };
}
