import { TablewrightError } from './error.ts';

/** The options that there are, and which of them must be given. The compiler holds the list to the type. */
export type KnownOptions<Options> = {
  readonly [K in keyof Options]-?: Record<never, never> extends Pick<Options, K> ? 'optional' : 'required';
};

/**
 * What is wrong with the names in an options object. Commands load definitions without checking their types, and a misspelt option
 * would be left out in silence: a table without its TTL, a pattern without its filter.
 */
export function optionProblems<Options extends object>(given: Options, known: KnownOptions<Options>): readonly string[] {
  if (typeof given !== 'object' || given === null) return [`expected an object, found ${given === null ? 'null' : typeof given}`];
  const values = given as Readonly<Record<string, unknown>>;
  const names = Object.keys(known);
  const unknown = Object.keys(values).filter((name) => !names.includes(name));
  const missing = names.filter((name) => known[name as keyof Options] === 'required' && values[name] === undefined);
  return [
    ...unknown.map((name) => `${name}: there is no such option; there are ${names.join(', ')}`),
    ...missing.map((name) => `${name}: not given`),
  ];
}

/** The problems of the members of an option, each with the member's name: `patterns.byId.exmple: there is no such option`. */
export function memberProblems<Options extends object>(
  option: string,
  members: Readonly<Record<string, Options>> | readonly Options[],
  known: KnownOptions<Options>,
): readonly string[] {
  return Object.entries(members).flatMap(([name, member]) =>
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
