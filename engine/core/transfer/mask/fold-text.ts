/** A text as it is searched: small letters without accents and digits, and where in the text each of them stands. */
export interface Folded {
  readonly text: string;
  /** Of each symbol, where it begins in the original and where it ends. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const isPlain = /^[\x20-\x24\x26-\x5b\x5d-\x7e]*$/;

/** Reads through case, accents, punctuation, URL encoding (`%C3%A3`) and JSON's escapes (`\u00e3`). */
export function foldText(text: string): Folded {
  const found = { text: '', starts: [] as number[], ends: [] as number[] };
  const add = (symbols: string, start: number, end: number): void => {
    for (let at = 0; at < symbols.length; at += 1) {
      found.starts.push(start);
      found.ends.push(end);
    }
    found.text += symbols;
  };
  if (isPlain.test(text)) {
    const lower = text.toLowerCase();
    for (let at = 0; at < lower.length; at += 1) {
      const code = lower.charCodeAt(at);
      if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) add(lower[at] as string, at, at + 1);
    }
    return found;
  }
  for (let at = 0; at < text.length; ) {
    const { symbol, length } = symbolAt(text, at);
    add(foldSymbol(symbol), at, at + length);
    at += length;
  }
  return found;
}

/** The symbol that the text has here, however it is written. */
function symbolAt(text: string, at: number): { readonly symbol: string; readonly length: number } {
  if (text[at] === '%') {
    const encoded = /^(?:%[0-9a-f]{2}){1,4}/i.exec(text.slice(at, at + 12))?.[0];
    if (encoded !== undefined) return decoded(encoded);
  }
  if (text[at] === '\\') {
    const escaped = /^\\u([0-9a-f]{4})/i.exec(text.slice(at, at + 6));
    if (escaped !== null) return { symbol: String.fromCharCode(Number.parseInt(escaped[1] ?? '', 16)), length: 6 };
  }
  const symbol = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return { symbol, length: symbol.length };
}

/** The first symbol of a run of encoded bytes; a byte that is none stands for itself in Latin-1. */
function decoded(encoded: string): { readonly symbol: string; readonly length: number } {
  const bytes = Buffer.from(encoded.replaceAll('%', ''), 'hex');
  const first = bytes[0] ?? 0;
  const size = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const symbol = bytes.subarray(0, size).toString('utf8');
  if (size > bytes.length || symbol.includes('\ufffd')) return { symbol: String.fromCharCode(first), length: 3 };
  return { symbol, length: size * 3 };
}

const folds = new Map<string, string>();

function foldSymbol(symbol: string): string {
  let folded = folds.get(symbol);
  if (folded === undefined) {
    folded = symbol
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, '');
    folds.set(symbol, folded);
  }
  return folded;
}
