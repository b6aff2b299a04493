import { isDeepStrictEqual } from 'node:util';
import type { Expressions } from '../../engine/core/store/store.ts';
import { type AttributeValue, type Item, typeOf } from '../../tables/model/attribute-value.ts';
import { compareTexts } from '../../tables/model/condition.ts';
import { compareDecimals } from '../../tables/model/decimal.ts';

/** Reads a DynamoDB condition as its text says, apart from the code that makes it. */
export class ExpressionReader {
  /** Placeholders that the expressions read so far have named. */
  readonly used = new Set<string>();
  readonly #names: Readonly<Record<string, string>>;
  readonly #values: Item;

  constructor({ ExpressionAttributeNames = {}, ExpressionAttributeValues = {} }: Expressions) {
    this.#names = ExpressionAttributeNames;
    this.#values = ExpressionAttributeValues;
  }

  /** Defined, but named by no expression; DynamoDB refuses a request that has any. */
  unused(): readonly string[] {
    return [...Object.keys(this.#names), ...Object.keys(this.#values)].filter((placeholder) => !this.used.has(placeholder));
  }

  /** The condition as a function of the item. */
  read(expression: string): (item: Item) => boolean {
    const words = expression.match(/[#:]\w+|\w+|<>|<=|>=|[=<>(),]/g) ?? [];
    if (words.join('') !== expression.replaceAll(' ', '')) throw new Error(`cannot read ${expression}`);
    const parse = new Parser([...words], (word) => this.#operand(word));
    return parse.whole();
  }

  /** An update as a function from the old item to the new one. */
  readUpdate(expression: string): (item: Item) => Item {
    const changes = expression.split(/ ?\b(?=(?:SET|ADD|REMOVE) #)/).filter((clause) => clause !== '');
    return changes.map((clause) => this.#clause(clause)).reduce((first, next) => (item) => next(first(item)));
  }

  #clause(clause: string): (item: Item) => Item {
    const [, word, rest = ''] = /^(SET|ADD|REMOVE) (.+)$/.exec(clause) ?? [];
    const parts = rest.split(', ');
    if (word === 'REMOVE') {
      const names = new Set(parts.map((part) => this.#name(part)));
      return (item) => Object.fromEntries(Object.entries(item).filter(([name]) => !names.has(name)));
    }
    if (word === undefined) throw new Error(`cannot read ${clause}`);
    const values = parts.map((part) => {
      const [, name = '', value = ''] = (word === 'SET' ? /^(#\w+) = (:\w+)$/ : /^(#\w+) (:\w+)$/).exec(part) ?? [];
      return [this.#name(name), this.#operand(value)({}) ?? { NULL: true as const }] as const;
    });
    if (word === 'SET') return (item) => ({ ...item, ...Object.fromEntries(values) });
    return (item) => ({ ...item, ...Object.fromEntries(values.map(([name, amount]) => [name, added(item[name], amount)])) });
  }

  #name(word: string): string {
    this.used.add(word);
    return this.#names[word] ?? fail(`${word} is not defined`);
  }

  /** Which attributes a projection keeps. */
  readProjection(expression: string): readonly string[] {
    return expression.split(', ').map((word) => this.#name(word));
  }

  #operand(word: string): Operand {
    this.used.add(word);
    const value = this.#values[word];
    if (value !== undefined) return () => value;
    const name = this.#name(word);
    return (item) => item[name];
  }
}

function added(old: AttributeValue | undefined, amount: AttributeValue): AttributeValue {
  if (!('N' in amount) || (old !== undefined && !('N' in old))) throw new Error('ADD of what is no number');
  return { N: String(Number(old?.N ?? 0) + Number(amount.N)) };
}

function fail(message: string): never {
  throw new Error(message);
}

type Operand = (item: Item) => AttributeValue | undefined;
type Test = (item: Item) => boolean;

class Parser {
  readonly #words: string[];
  readonly #operand: (word: string) => Operand;

  constructor(words: string[], operand: (word: string) => Operand) {
    this.#words = words;
    this.#operand = operand;
  }

  whole(): Test {
    const test = this.#any();
    if (this.#words.length > 0) throw new Error(`left over: ${this.#words.join(' ')}`);
    return test;
  }

  #any(): Test {
    const parts = [this.#all()];
    while (this.#take('OR')) parts.push(this.#all());
    return (item) => parts.some((part) => part(item));
  }

  #all(): Test {
    const parts = [this.#one()];
    while (this.#take('AND')) parts.push(this.#one());
    return (item) => parts.every((part) => part(item));
  }

  #one(): Test {
    if (this.#take('(')) return this.#closed(this.#any());
    if (this.#take('attribute_exists')) return this.#presence(true);
    if (this.#take('attribute_not_exists')) return this.#presence(false);
    if (this.#take('begins_with')) return this.#prefix();
    const left = this.#value();
    if (this.#take('BETWEEN')) return this.#between(left);
    if (this.#take('IN')) return this.#membership(left);
    const comparator = this.#next();
    const right = this.#value();
    return (item) => compares(comparator, left(item), right(item));
  }

  #presence(wanted: boolean): Test {
    this.#expect('(');
    const operand = this.#value();
    return this.#closed((item) => (operand(item) !== undefined) === wanted);
  }

  #prefix(): Test {
    this.#expect('(');
    const operand = this.#value();
    this.#expect(',');
    const prefix = this.#value();
    return this.#closed((item) => {
      const [found, begin] = [operand(item), prefix(item)];
      return found !== undefined && begin !== undefined && 'S' in found && 'S' in begin && found.S.startsWith(begin.S);
    });
  }

  #between(operand: Operand): Test {
    const low = this.#value();
    this.#expect('AND');
    const high = this.#value();
    return (item) => {
      if (!compares('<=', low(item), high(item))) throw new Error('BETWEEN whose first bound is the greater one');
      return compares('>=', operand(item), low(item)) && compares('<=', operand(item), high(item));
    };
  }

  #membership(operand: Operand): Test {
    this.#expect('(');
    const members = [this.#value()];
    while (this.#take(',')) members.push(this.#value());
    return this.#closed((item) => members.some((member) => compares('=', operand(item), member(item))));
  }

  #closed(test: Test): Test {
    this.#expect(')');
    return test;
  }

  #value(): Operand {
    return this.#operand(this.#next());
  }

  #next(): string {
    const word = this.#words.shift();
    if (word === undefined) throw new Error('the expression ends too early');
    return word;
  }

  #take(word: string): boolean {
    if (this.#words[0] !== word) return false;
    this.#words.shift();
    return true;
  }

  #expect(word: string): void {
    const found = this.#next();
    if (found !== word) throw new Error(`expected ${word}, found ${found}`);
  }
}

/** Values of different types, or of none, are only ever different. */
function compares(comparator: string, left: AttributeValue | undefined, right: AttributeValue | undefined): boolean {
  if (left === undefined || right === undefined || typeOf(left) !== typeOf(right)) return comparator === '<>';
  const order = orderOf(left, right);
  switch (comparator) {
    case '=':
      return order === 0;
    case '<>':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    default:
      throw new Error(`no comparator: ${comparator}`);
  }
}

/** NaN where there is no order but equality fails. */
export function orderOf(left: AttributeValue, right: AttributeValue): number {
  if ('S' in left && 'S' in right) return compareTexts(left.S, right.S);
  if ('N' in left && 'N' in right) return compareDecimals(left.N, right.N);
  return isDeepStrictEqual(left, right) ? 0 : Number.NaN;
}
