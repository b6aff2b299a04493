import { TablewrightError } from './error.ts';

/** What an option must be: a word for a kind of value, or the words that it may be. */
export type Shape = ShapeName | readonly string[];

type ShapeName = 'text' | 'list' | 'object' | 'texts' | 'kinds' | 'entities';

export interface Expected<Need extends 'required' | 'optional'> {
  readonly need: Need;
  readonly shape: Shape | undefined;
}

export const required = (shape?: Shape): Expected<'required'> => ({ need: 'required', shape });
export const optional = (shape?: Shape): Expected<'optional'> => ({ need: 'optional', shape });

/** The options that there are, and which of them must be given. The compiler holds the list to the type. */
export type KnownOptions<Options> = {
  readonly [K in keyof Options]-?: Expected<Record<never, never> extends Pick<Options, K> ? 'optional' : 'required'>;
};

/**
 * What is wrong with an options object. Commands load definitions without checking their types, and a misspelt option would be left out in
 * silence: a table without its TTL, a pattern without its filter.
 */
export function optionProblems<Options extends object>(given: Options, known: KnownOptions<Options>): readonly string[] {
  if (!isObject(given)) return [`expected an object, found ${kindOf(given)}`];
  const all = Object.entries<Expected<'required' | 'optional'>>(known);
  const names = all.map(([name]) => name);
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  return [
    ...unknown.map((name) => `${name}: there is no such option; there are ${names.join(', ')}`),
    ...all.flatMap(([name, { need, shape }]) => {
      const value = given[name];
      if (value === undefined) return need === 'required' ? [`${name}: not given`] : [];
      return shape === undefined ? [] : valueProblems(value, shape).map((problem) => `${name}${problem}`);
    }),
  ];
}

/** The problems of the members of an option, each with the member's name: `patterns.byId.exmple: there is no such option`. */
export function memberProblems<Options extends object>(
  option: string,
  members: Readonly<Record<string, Options>> | readonly Options[],
  known: KnownOptions<Options>,
): readonly string[] {
  // What is no object is told where the option itself is checked.
  if (!isObject(members) && !Array.isArray(members)) return [];
  return Object.entries<Options>(members as Readonly<Record<string, Options>>).flatMap(([name, member]) =>
    optionProblems(member, known).map((problem) => `${option}.${name}${problem.startsWith('expected') ? ': ' : '.'}${problem}`),
  );
}

export function checkDefinition(what: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new TablewrightError('BAD_CATALOGUE', `${what}: the definition does not hold`, {
    problems,
    next: "Correct its options; 'npx tsc' finds them in the file.",
  });
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Each problem with the path to it before: `: expected a list, found a text`. */
const shapes: Readonly<Record<ShapeName, (value: unknown) => readonly string[]>> = {
  text: (value: unknown) => (typeof value === 'string' ? [] : [`: expected a text, found ${kindOf(value)}`]),
  list: (value: unknown) => (Array.isArray(value) ? [] : [`: expected a list, found ${kindOf(value)}`]),
  object: (value: unknown) => (isObject(value) ? [] : [`: expected an object, found ${kindOf(value)}`]),
  texts: (value: unknown) => eachOf(value, (one) => typeof one === 'string', 'a text'),
  kinds: (value: unknown) => eachOf(value, isKind, 'an attribute kind such as text()'),
  entities: (value: unknown) =>
    Array.isArray(value) ? eachOf({ ...value }, isEntity, 'an entity made by defineEntity') : shapes.list(value),
};

function valueProblems(value: unknown, shape: Shape): readonly string[] {
  if (typeof shape === 'string') return shapes[shape](value);
  if (typeof value === 'string' && shape.includes(value)) return [];
  return [`: expected ${shape.join(' or ')}, found ${typeof value === 'string' ? value : kindOf(value)}`];
}

function eachOf(value: unknown, holds: (one: unknown) => boolean, expected: string): readonly string[] {
  if (!isObject(value)) return [`: expected an object, found ${kindOf(value)}`];
  const wrong = Object.entries(value).filter(([, one]) => !holds(one));
  return wrong.map(([name, one]) => `.${name}: expected ${expected}, found ${kindOf(one)}`);
}

/** As zod marks its own, whichever copy of it. */
const isKind = (value: unknown): boolean => isObject(value) && '_zod' in value;

const isEntity = (value: unknown): boolean => isObject(value) && 'schema' in value && 'derive' in value;

/** Never the value itself: a definition may be made of data. */
function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  const kinds: Readonly<Record<string, string>> = {
    string: 'a text',
    object: 'an object',
    function: 'a function that is not called',
  };
  return kinds[typeof value] ?? `a ${typeof value}`;
}
