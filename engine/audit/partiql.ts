import type { FoundCondition } from './filter-conditions.ts';

export interface Select {
  readonly table: string;
  readonly index: string | undefined;
  readonly where: string | undefined;
  /** Alternatives, each a list of conditions that hold together. Empty without a WHERE. */
  readonly branches: readonly (readonly FoundCondition[])[];
}

const select =
  /^\s*SELECT\s+[\s\S]+?\s+FROM\s+("[^"]+"|[\w.{}$-]+)(?:\s*\.\s*("[^"]+"|[\w-]+))?(?:\s+WHERE\s+([\s\S]+?))?(?:\s+ORDER\s+BY\s+[\s\S]+)?;?\s*$/i;

/** The parts of a PartiQL SELECT; undefined for every other statement. */
export function parseSelect(statement: string): Select | undefined {
  const found = select.exec(statement);
  if (found === null) return undefined;
  const [, table = '', index, where] = found;
  return {
    table: unquote(table),
    index: index === undefined ? undefined : unquote(index),
    where: where?.trim(),
    branches: where === undefined ? [] : splitTop(where, 'OR').map((branch) => splitTop(branch, 'AND').flatMap(conditionOf)),
  };
}

/**
 * DynamoDB Developer Guide, "PartiQL select statements": a SELECT is a full scan unless each alternative of its WHERE compares
 * the partition key by equality or IN.
 */
export function isKeyed({ branches }: Select, hash: string): boolean {
  return (
    branches.length > 0 &&
    branches.every((branch) => branch.some(({ attribute, op }) => attribute === hash && /^(=|in)$/.test(op)))
  );
}

function unquote(name: string): string {
  return name.replace(/^"|"$/g, '');
}

/** Splits at a word outside of parentheses and quotes; parentheses around the whole are taken off. */
export function splitTop(text: string, word: 'AND' | 'OR'): readonly string[] {
  const whole = text.trim();
  const inner = /^\(([\s\S]*)\)$/.exec(whole)?.[1];
  if (inner !== undefined && isBalanced(inner)) return splitTop(inner, word);
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let begin = 0;
  for (let at = 0; at < whole.length; at += 1) {
    const letter = whole[at] ?? '';
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === "'" || letter === '"') quote = letter;
    else if (letter === '(' || letter === '[') depth += 1;
    else if (letter === ')' || letter === ']') depth -= 1;
    else if (depth === 0 && new RegExp(`^\\s${word}\\s`, 'i').test(whole.slice(at)) && !isBetween(whole.slice(begin, at), word)) {
      parts.push(whole.slice(begin, at));
      begin = at + word.length + 1;
      at = begin - 1;
    }
  }
  return [...parts, whole.slice(begin)];
}

/** The AND of `x BETWEEN a AND b` separates no conditions. */
function isBetween(before: string, word: string): boolean {
  return word === 'AND' && /\bBETWEEN\s+\S+$/i.test(before);
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const letter of text) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

const term = /^\s*("[^"]+"|[\w.-]+)\s*(=|<>|!=|<=|>=|<|>|IN\b|BETWEEN\b|IS\b|LIKE\b)\s*([\s\S]*)$/i;
const call = /^\s*begins_with\s*\(\s*("[^"]+"|[\w.-]+)\s*,\s*([\s\S]*?)\)\s*$/i;

function conditionOf(text: string): readonly FoundCondition[] {
  const prefix = call.exec(text);
  if (prefix !== null) return [{ attribute: unquote(prefix[1] ?? ''), op: 'begins_with', ...operand(prefix[2] ?? '') }];
  const found = term.exec(text);
  if (found === null) return [];
  return [{ attribute: unquote(found[1] ?? ''), op: (found[2] ?? '').toLowerCase(), ...operand(found[3] ?? '') }];
}

/** A quoted text, a place for a parameter, or an expression put into the statement. */
function operand(text: string): Pick<FoundCondition, 'literal' | 'source'> {
  const trimmed = text.trim();
  const embedded = /^'?\{([^}]+)\}'?$/.exec(trimmed)?.[1];
  if (embedded !== undefined) return { source: embedded };
  const quoted = /^'([^']*)'$/.exec(trimmed)?.[1];
  if (quoted !== undefined) return { literal: quoted, source: trimmed };
  return trimmed === '?' ? {} : { source: trimmed };
}
