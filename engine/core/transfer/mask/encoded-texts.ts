/** A part of a text that is a text or bytes itself, written as base64, in hexadecimal digits or URL-encoded throughout. */
export interface EncodedText {
  readonly start: number;
  readonly end: number;
  /** What it says; of bytes that are no text a letter for each (Latin-1). */
  readonly text: string;
  readonly isText: boolean;
  readonly encode: (text: string) => string;
}

/** Five letters, the least that is looked for inside others, take seven symbols. Mail breaks long lines of it. */
const base64Run = /[A-Za-z0-9+/_-]{7,}(?:\r?\n[A-Za-z0-9+/_-]+)*={0,2}/g;
/** Every symbol of it encoded, so what it says may be encoded once more. */
const urlRun = /(?:%[0-9A-Fa-f]{2}){5,}/g;
const hexRun = /(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}){5,}(?![0-9A-Fa-f])/g;
/** What is a symbol of base64 and may as well stand between two runs of it. */
const dividers = [/[^\r\n]{7,}/g, /[A-Za-z0-9+_-]{7,}={0,2}/g, /[A-Za-z0-9+/]{7,}={0,2}/g, /[A-Za-z0-9]{7,}={0,2}/g];

export function encodedTexts(text: string): readonly EncodedText[] {
  if (text.length < 7) return [];
  const found: EncodedText[] = [];
  for (const { 0: run, index } of text.matchAll(hexRun)) {
    const isUpper = run === run.toUpperCase();
    const encode = (bytes: Buffer): string => {
      const hex = bytes.toString('hex');
      return isUpper ? hex.toUpperCase() : hex;
    };
    found.push(encodedText(Buffer.from(run, 'hex'), index, run, encode));
  }
  for (const { 0: run, index } of text.matchAll(urlRun)) {
    found.push(encodedText(Buffer.from(run.replaceAll('%', ''), 'hex'), index, run, percentEncoded));
  }
  for (const { 0: run, index } of text.matchAll(base64Run)) {
    for (const { at, part } of partsOf(run)) {
      found.push(encodedText(Buffer.from(part, 'base64'), index + at, part, likeRun(part)));
    }
  }
  return found;
}

function percentEncoded(bytes: Buffer): string {
  return bytes.toString('hex').replaceAll(/../g, '%$&');
}

/** The run as a whole, and what it may be divided into. */
function partsOf(run: string): readonly { readonly at: number; readonly part: string }[] {
  const parts = new Map([[`0 ${run.length}`, { at: 0, part: run }]]);
  for (const divider of dividers) {
    for (const { 0: part, index: at } of run.matchAll(divider)) parts.set(`${at} ${part.length}`, { at, part });
  }
  return [...parts.values()];
}

function encodedText(bytes: Buffer, start: number, run: string, encode: (bytes: Buffer) => string): EncodedText {
  const text = textOf(bytes);
  const place = { start, end: start + run.length };
  if (text === undefined) {
    return { ...place, text: bytes.toString('latin1'), isText: false, encode: (after) => encode(Buffer.from(after, 'latin1')) };
  }
  return { ...place, text, isText: true, encode: (after) => encode(Buffer.from(after)) };
}

function likeRun(run: string): (bytes: Buffer) => string {
  const isUrl = /[_-]/.test(run);
  const isPadded = run.endsWith('=');
  return (bytes) => {
    const encoded = bytes.toString(isUrl ? 'base64url' : 'base64');
    return isPadded || isUrl ? encoded : encoded.replace(/=+$/, '');
  };
}

/** Bytes that can be nothing but text: whole UTF-8 without control characters. */
function textOf(bytes: Buffer): string | undefined {
  for (const byte of bytes) if (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13) return undefined;
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? undefined : text;
}
