import type { Context } from '../context.ts';
import { commonOptions } from '../spec/common-options.js';
import { dashed } from '../spec/words.js';

/** A word of a command line as a shell takes it. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./#-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command to run next, on the same stack: with the options that are given, in their order. */
export function showCommand(
  { common: { stack, endpoint } }: Pick<Context, 'common'>,
  words: readonly string[],
  options: Readonly<Record<string, unknown>>,
): string {
  const all: Readonly<Record<string, unknown>> = {
    ...(stack === commonOptions.stack.default ? {} : { stack }),
    endpoint,
    ...options,
  };
  const given = Object.entries(all).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    if (value === true) return [dashed(name)];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((one) => [dashed(name), shellWord(one instanceof Date ? one.toISOString() : String(one))]);
  });
  return ['tablewright', ...words.map(shellWord), ...given].join(' ');
}
