import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { ExactNumber } from '../../core/seed/declared-record.ts';
import { lineIndex } from './line-index.ts';

/** A JSON value with its numbers digit by digit, and the line of every part of it. */
export interface JsonEntry {
  readonly value: unknown;
  readonly line: (path: readonly PropertyKey[]) => number;
}

export interface ParsedEntries<Entry> {
  readonly entries: readonly Entry[];
  /** Each with its line. */
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

/** The elements of a JSON array. */
export function parseJsonArray(text: string): ParsedEntries<JsonEntry> {
  const lineOf = lineIndex(text);
  const { root, problems } = parse(text, lineOf);
  if (root === undefined || problems.length > 0) return { entries: [], problems };
  if (root.type !== 'array') {
    return { entries: [], problems: [{ line: 1, message: `expected an array of records, found ${nameOf(root)}` }] };
  }
  const elements = root.children ?? [];
  return {
    entries: elements.map((node) => entryOf(node, text, lineOf)),
    problems: elements.flatMap((n) => repeatedNames(n, lineOf)),
  };
}

/** One JSON value a line; empty lines are passed over. */
export function parseJsonLines(text: string): ParsedEntries<JsonEntry> {
  const entries: JsonEntry[] = [];
  const problems: { line: number; message: string }[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const lineOf = () => at + 1;
    const parsed = parse(line, lineOf);
    problems.push(...parsed.problems);
    if (parsed.root === undefined || parsed.problems.length > 0) continue;
    problems.push(...repeatedNames(parsed.root, lineOf));
    entries.push(entryOf(parsed.root, line, lineOf));
  }
  return { entries, problems };
}

function parse(text: string, lineOf: (offset: number) => number) {
  const errors: ParseError[] = [];
  const root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { disallowComments: true, allowTrailingComma: false });
  // One mistake makes the parser stumble several times; the first place is the one to look at.
  const problems = errors.slice(0, 1).map(({ error, offset }) => ({
    line: lineOf(offset),
    message: `not valid JSON: ${printParseErrorCode(error)}`,
  }));
  return { root, problems };
}

function entryOf(node: Node, text: string, lineOf: (offset: number) => number): JsonEntry {
  return {
    value: readNode(node, text),
    line: (path) => {
      const segments = path.map((part) => (typeof part === 'number' ? part : String(part)));
      const found = findNodeAtLocation(node, segments) ?? node;
      return lineOf((found.parent?.type === 'property' ? found.parent : found).offset);
    },
  };
}

function readNode(node: Node, text: string): unknown {
  switch (node.type) {
    case 'number':
      return new ExactNumber(text.slice(node.offset, node.offset + node.length));
    case 'array':
      return (node.children ?? []).map((child) => readNode(child, text));
    case 'object': {
      const members = (node.children ?? []).flatMap(({ children: [name, value] = [] }) =>
        name === undefined || value === undefined ? [] : [[String(name.value), readNode(value, text)] as const],
      );
      return Object.fromEntries(members);
    }
    default:
      return node.value;
  }
}

/** JSON lets a name stand twice in one object, and the first value would be lost without a word. */
function repeatedNames(node: Node, lineOf: (offset: number) => number): { line: number; message: string }[] {
  const seen = new Set<string>();
  return (node.children ?? []).flatMap((child) => {
    const inner = repeatedNames(child, lineOf);
    const name = child.type === 'property' ? child.children?.[0] : undefined;
    if (name === undefined) return inner;
    const repeated = seen.has(String(name.value));
    seen.add(String(name.value));
    return repeated ? [...inner, { line: lineOf(name.offset), message: `${name.value} stands twice in one object` }] : inner;
  });
}

function nameOf(node: Node): string {
  return node.type === 'object' ? 'an object' : `a ${node.type}`;
}
