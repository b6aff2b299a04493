/** A piece of a JSON array: the text of one element, and the line that it begins on. */
export interface ArrayElement {
  readonly text: string;
  readonly line: number;
}

const quote = 0x22;
const backslash = 0x5c;
const newline = 0x0a;
const comma = 0x2c;
const openers: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closers: ReadonlySet<number> = new Set([0x5d, 0x7d]);
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xfeff]);

/**
 * Cuts the elements out of a JSON array that comes piece by piece. Only brackets, commas and texts are looked at; what an element is
 * worth, its parser says. `isSound` tells at the end whether the rest was an array and nothing but.
 */
export class ArrayCutter {
  #depth = 0;
  #inText = false;
  #escaped = false;
  #line = 1;
  #element = '';
  #elementLine = 1;
  /** Between elements: before the first, or behind a comma. */
  #awaits: 'first' | 'next' | 'nothing' = 'first';
  #ended = false;
  #odd = false;

  get isSound(): boolean {
    return this.#ended && !this.#odd;
  }

  /** The elements that end in this piece. */
  *take(piece: string): Generator<ArrayElement> {
    let from = this.#element === '' ? -1 : 0;
    for (let at = 0; at < piece.length && !this.#odd; at += 1) {
      const code = piece.charCodeAt(at);
      if (code === newline) this.#line += 1;
      if (this.#inText) {
        this.#readText(code);
        continue;
      }
      if (blanks.has(code) && from === -1) continue;
      const ends = this.#depth === 1 && (code === comma || closers.has(code));
      if (ends) {
        yield* this.#cut(from === -1 ? '' : piece.slice(from, at), code);
        from = -1;
        continue;
      }
      if (this.#depth === 0) {
        this.#begin(code);
        continue;
      }
      if (from === -1) {
        from = at;
        this.#elementLine = this.#line;
      }
      if (code === quote) this.#inText = true;
      else if (openers.has(code)) this.#depth += 1;
      else if (closers.has(code)) this.#depth -= 1;
    }
    if (from !== -1) this.#element += piece.slice(from);
  }

  #readText(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (code === backslash) this.#escaped = true;
    else if (code === quote) this.#inText = false;
  }

  /** Outside of the array there is its opening bracket, once, and nothing else. */
  #begin(code: number): void {
    if (this.#ended || code !== 0x5b) this.#odd = true;
    else this.#depth = 1;
  }

  *#cut(end: string, code: number): Generator<ArrayElement> {
    const text = `${this.#element}${end}`;
    this.#element = '';
    const isEmptyArray = text.trim() === '' && this.#awaits === 'first' && code === 0x5d;
    if (text.trim() === '' && !isEmptyArray) this.#odd = true;
    else if (!isEmptyArray) yield { text, line: this.#elementLine };
    this.#awaits = code === comma ? 'next' : 'nothing';
    if (code === comma) return;
    if (code !== 0x5d) this.#odd = true;
    this.#depth = 0;
    this.#ended = true;
  }
}
