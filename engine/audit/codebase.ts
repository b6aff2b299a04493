import ts from 'typescript';

/** A source file as it was read: a path relative to where the audit was started, with forward slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Where a name comes from: a package, and the name that it has there (`*` for all of it, `default`). */
export interface Origin {
  readonly module: string;
  readonly name: string;
}

const kinds: Readonly<Record<string, ts.ScriptKind>> = {
  ts: ts.ScriptKind.TS,
  mts: ts.ScriptKind.TS,
  cts: ts.ScriptKind.TS,
  tsx: ts.ScriptKind.TSX,
  js: ts.ScriptKind.JS,
  mjs: ts.ScriptKind.JS,
  cjs: ts.ScriptKind.JS,
  jsx: ts.ScriptKind.JSX,
};

export const sourceEndings: readonly string[] = Object.keys(kinds);

/**
 * The files of an audit and how their names refer to each other. Syntax only: nothing is type-checked or executed, so code
 * that does not compile, or whose packages are not installed, is audited all the same.
 */
export class Codebase {
  readonly files: readonly ts.SourceFile[];
  readonly #byPath: ReadonlyMap<string, ts.SourceFile>;
  readonly #lookedUp = new Set<string>();

  constructor(sources: readonly Source[]) {
    this.files = sources.map(({ path, text }) =>
      ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kinds[path.split('.').at(-1) ?? ''] ?? ts.ScriptKind.TS),
    );
    this.#byPath = new Map(this.files.map((file) => [file.fileName, file]));
  }

  /** Looks something up, unless that very look-up is under way already: names may refer to each other in a circle. */
  once<T>(what: string, lookUp: () => T | undefined): T | undefined {
    if (this.#lookedUp.has(what)) return undefined;
    this.#lookedUp.add(what);
    try {
      return lookUp();
    } finally {
      this.#lookedUp.delete(what);
    }
  }

  /** The file that a relative import names; undefined for packages and for files outside the audit. */
  fileOf(from: ts.SourceFile, specifier: string): ts.SourceFile | undefined {
    if (!specifier.startsWith('.')) return undefined;
    const base = joinPath(from.fileName, specifier);
    const bare = base.replace(/\.(m|c)?jsx?$/, '');
    const candidates = [
      base,
      ...[base, bare, `${base}/index`].flatMap((stem) => sourceEndings.map((ending) => `${stem}.${ending}`)),
    ];
    return candidates.map((path) => this.#byPath.get(path)).find((file) => file !== undefined);
  }
}

function joinPath(from: string, specifier: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** The expression without what does not change its value: parentheses, `as`, `satisfies`, `!`, `await`. */
export function bare(node: ts.Expression): ts.Expression {
  if (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAwaitExpression(node)
  ) {
    return bare(node.expression);
  }
  return node;
}

/** Every node below, the node itself first. */
export function* walk(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  for (const child of children) yield* walk(child);
}

/** The nearest function around a node, or its file. */
export function functionAround(node: ts.Node): ts.Node {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isFunctionLike(at) || ts.isSourceFile(at)) return at;
  }
  return node;
}
