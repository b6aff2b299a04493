import { setAttribute } from '../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../tables/model/error.ts';
import type { Pattern } from '../../tables/model/pattern.ts';
import { patternsOf } from '../../tables/model/project.ts';
import type { Table } from '../../tables/model/table.ts';
import type { ReadOptions } from '../core/read/read-options.ts';
import { byteProblems, typedParams } from '../core/read/typed-params.ts';
import { nearest } from '../core/show/nearest.js';
import type spec from './commands/query.spec.js';
import type { Given } from './spec/command-spec.ts';

/** The pattern of a name; an unknown one is answered with those that come near. */
export function findPattern(catalogue: readonly Table[], name: string): Pattern {
  const patterns = patternsOf(catalogue);
  const exact = patterns.find((pattern) => pattern.name === name);
  if (exact !== undefined) return exact;
  const near = patterns
    .filter((pattern) => pattern.name.toLowerCase().includes(name.toLowerCase()))
    .map((pattern) => pattern.name);
  const slip = nearest(
    name,
    patterns.map((pattern) => pattern.name),
  );
  const meant = near.length > 0 || slip === undefined ? near : [slip];
  throw new TablewrightError('UNKNOWN_NAME', `there is no pattern ${name}`, {
    next: meant.length > 0 ? `Did you mean ${meant.join(', ')}?` : "'tablewright patterns' lists all.",
  });
}

/** `name=value` words; a value may itself contain `=`. */
export function readParameters(pattern: Pattern, words: readonly string[]): Readonly<Record<string, unknown>> {
  const problems: string[] = [];
  const texts: Record<string, string> = {};
  for (const word of words) {
    const at = word.indexOf('=');
    const name = word.slice(0, at);
    if (at < 1) problems.push(`${word}: expected name=value`);
    else if (Object.hasOwn(texts, name)) problems.push(`${name}: given twice`);
    else setAttribute(texts, name, word.slice(at + 1));
  }
  return typedParameters(pattern, texts, problems);
}

/** Parameters as people type them, on a command line or in a form: bytes as base64, anything else as it stands. */
export function typedParameters(
  pattern: Pattern,
  texts: Readonly<Record<string, string>>,
  before: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  const problems = [...before, ...byteProblems(pattern, texts)];
  if (problems.length === 0) return typedParams(pattern, texts);
  throw new TablewrightError('BAD_ARGUMENT', `${pattern.name}: the parameters cannot be read`, {
    problems,
    next: `It takes ${Object.keys(pattern.params).join(', ') || 'no parameters'}.`,
  });
}

/** What may be asked of a read beside its parameters. */
export function readOptions({ limit, reverse, consistent, way }: Omit<Given<typeof spec>, 'raw'>): ReadOptions {
  return { limit, reverse, consistent, ...(way === undefined ? {} : { state: way }) };
}
