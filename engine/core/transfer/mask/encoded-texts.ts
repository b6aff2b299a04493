/** A part of a text that is a text itself, written as base64 or in hexadecimal digits. */
export interface EncodedText {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly encode: (text: string) => string;
}

/** Five letters, the least that is looked for inside others, take seven symbols. */
const base64Run = /[A-Za-z0-9+/_-]{7,}={0,2}/g;
const hexRun = /(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}){5,}(?![0-9A-Fa-f])/g;

export function encodedTexts(text: string): readonly EncodedText[] {
  if (text.length < 7) return [];
  const found: EncodedText[] = [];
  for (const { 0: run, index } of text.matchAll(hexRun)) {
    const inner = textOf(Buffer.from(run, 'hex'));
    const isUpper = run === run.toUpperCase();
    const encode = (after: string): string => {
      const hex = Buffer.from(after).toString('hex');
      return isUpper ? hex.toUpperCase() : hex;
    };
    if (inner !== undefined) found.push({ start: index, end: index + run.length, text: inner, encode });
  }
  for (const { 0: run, index } of text.matchAll(base64Run)) found.push(...ofBase64(run, index, true));
  return found;
}

/** Of a run that is no base64 as a whole, its parts may be: `/` and `-` also divide. */
function ofBase64(run: string, start: number, whole: boolean): readonly EncodedText[] {
  const inner = textOf(Buffer.from(run, 'base64'));
  if (inner !== undefined) return [{ start, end: start + run.length, text: inner, encode: likeRun(run) }];
  if (!whole) return [];
  return [...run.matchAll(/[A-Za-z0-9+]{7,}={0,2}/g)].flatMap(({ 0: part, index }) =>
    part.length === run.length ? [] : ofBase64(part, start + index, false),
  );
}

function likeRun(run: string): (text: string) => string {
  const isUrl = /[_-]/.test(run);
  const isPadded = run.endsWith('=');
  return (text) => {
    const encoded = Buffer.from(text).toString(isUrl ? 'base64url' : 'base64');
    return isPadded || isUrl ? encoded : encoded.replace(/=+$/, '');
  };
}

/** Bytes that can be nothing but text: whole UTF-8 without control characters. */
function textOf(bytes: Buffer): string | undefined {
  for (const byte of bytes) if (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13) return undefined;
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? undefined : text;
}
