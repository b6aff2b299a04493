import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { ArrayCutter } from './cut-array.ts';
import { readExactJson } from './exact-json.ts';
import { lineIndex } from './line-index.ts';
import { linesOf, type TextSource } from './text-source.ts';

/** A JSON value with its numbers digit by digit, and the line of every part of it. */
export interface JsonEntry {
  readonly value: unknown;
  readonly line: (path: readonly PropertyKey[]) => number;
}

/** What is wrong with a part of a file, and where. */
export interface LineProblem {
  readonly line: number;
  readonly message: string;
}

/** The elements of a JSON array, one at a time. */
export async function* parseJsonArray(source: TextSource): AsyncGenerator<JsonEntry | LineProblem> {
  const cutter = new ArrayCutter();
  for await (const piece of source.pieces()) {
    for (const { text, line } of cutter.take(piece)) {
      const lineOf = linesFrom(text, line);
      const read = readExactJson(text);
      if (read !== undefined) {
        yield { value: read.value, line: (path) => lineIn(text, path, lineOf) };
        continue;
      }
      const { root, problems } = parse(text, lineOf);
      if (root === undefined || problems.length > 0) return yield* arrayProblems(source);
      yield* repeatedNames(root, lineOf);
    }
  }
  if (!cutter.isSound) yield* arrayProblems(source);
}

/** Lines of a part that begins on a line of its file; counted when somebody asks. */
function linesFrom(text: string, first: number): (offset: number) => number {
  let lines: ((offset: number) => number) | undefined;
  return (offset) => {
    lines ??= lineIndex(text);
    return first + lines(offset) - 1;
  };
}

/** Why a file is no array, as a parser of the whole sees it: its first mistake. */
async function* arrayProblems(source: TextSource): AsyncGenerator<LineProblem> {
  const text = await source.whole();
  const { root, problems } = parse(text, lineIndex(text));
  if (problems.length > 0 || root === undefined) yield* problems;
  else if (root.type !== 'array') yield { line: 1, message: `expected an array of records, found ${nameOf(root)}` };
}

/** One JSON value a line; empty lines are passed over. */
export async function* parseJsonLines(source: TextSource): AsyncGenerator<JsonEntry | LineProblem> {
  let number = 0;
  for await (const line of linesOf(source)) {
    number += 1;
    if (line.trim() === '') continue;
    const at = number;
    const lineOf = () => at;
    const read = readExactJson(at === 1 ? line.replace(/^\uFEFF/, '') : line);
    if (read !== undefined) {
      yield { value: read.value, line: lineOf };
      continue;
    }
    const { root, problems } = parse(line, lineOf);
    yield* problems;
    if (root !== undefined && problems.length === 0) yield* repeatedNames(root, lineOf);
  }
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

/** The line of a part of a value. Asked for where something is wrong only, so it is found anew. */
function lineIn(text: string, path: readonly PropertyKey[], lineOf: (offset: number) => number): number {
  const { root } = parse(text, lineOf);
  if (root === undefined) return lineOf(0);
  const segments = path.map((part) => (typeof part === 'number' ? part : String(part)));
  const found = findNodeAtLocation(root, segments) ?? root;
  return lineOf((found.parent?.type === 'property' ? found.parent : found).offset);
}

/** JSON lets a name stand twice in one object, and the first value would be lost without a word. */
function repeatedNames(node: Node, lineOf: (offset: number) => number): readonly LineProblem[] {
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
