import { setAttribute } from '../../../tables/model/attribute-value.ts';
import { ExactNumber } from '../../core/seed/declared-record.ts';

const numberForm = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a]);
const plainTextForm = /"[^"\\\u0000-\u001f]*"/y;
const textForm = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const words: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/**
 * The value of a JSON text with its numbers digit by digit; undefined when the text is not JSON or has a name twice in one object.
 * What is wrong, and where, another parser says: this one runs for every row of every fixture and only has to be fast.
 */
export function readExactJson(text: string): { readonly value: unknown } | undefined {
  const reader = new Reader(text);
  const value = reader.value();
  return reader.isAtEnd() ? { value } : undefined;
}

class Reader {
  readonly #text: string;
  #at = 0;
  #failed = false;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#skipBlanks();
    return !this.#failed && this.#at === this.#text.length;
  }

  value(): unknown {
    this.#skipBlanks();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object();
      case '[':
        return this.#list();
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #object(): unknown {
    const object: Record<string, unknown> = {};
    this.#at += 1;
    if (this.#next('}')) return object;
    do {
      this.#skipBlanks();
      const name = this.#string();
      if (name === undefined || Object.hasOwn(object, name) || !this.#next(':')) return this.#fail();
      const value = this.value();
      if (this.#failed) return undefined;
      setAttribute(object, name, value);
    } while (this.#next(','));
    return this.#next('}') ? object : this.#fail();
  }

  #list(): unknown {
    const list: unknown[] = [];
    this.#at += 1;
    if (this.#next(']')) return list;
    do {
      list.push(this.value());
      if (this.#failed) return undefined;
    } while (this.#next(','));
    return this.#next(']') ? list : this.#fail();
  }

  #string(): string | undefined {
    const plain = this.#take(plainTextForm);
    if (plain !== undefined) return plain.slice(1, -1);
    const escaped = this.#take(textForm);
    return escaped === undefined ? this.#fail() : (JSON.parse(escaped) as string);
  }

  #word(): unknown {
    const number = this.#take(numberForm);
    if (number !== undefined && number !== '') return new ExactNumber(number);
    const word = words.find(([spelling]) => this.#text.startsWith(spelling, this.#at));
    if (word === undefined) return this.#fail();
    this.#at += word[0].length;
    return word[1];
  }

  /** The character, behind any blanks, and goes past it. */
  #next(character: string): boolean {
    this.#skipBlanks();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipBlanks(): void {
    while (blanks.has(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }

  /** What fits here, and goes past it. Asked whether it fits, a form only says where it ends: what it found would be half of all garbage. */
  #take(form: RegExp): string | undefined {
    const from = this.#at;
    form.lastIndex = from;
    if (!form.test(this.#text)) return undefined;
    this.#at = form.lastIndex;
    return this.#text.slice(from, this.#at);
  }

  #fail(): undefined {
    this.#failed = true;
    return undefined;
  }
}
