import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import packageJson from '../../package.json' with { type: 'json' };
import { readModule } from '../support/module-graph.ts';
import { repository } from '../support/run-cli.ts';

/** The sources of what others import. */
const entries = Object.values(packageJson.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [entry.types.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '.ts')],
);

/** All that an entry leads to, also what it loads later: a bundle holds that too. */
function reachedFrom(starts: readonly string[]): readonly string[] {
  const reached = new Set<string>(starts);
  for (const file of reached) {
    if (!/\.[jt]s$/.test(file)) continue;
    for (const { target } of readModule(repository, file).uses) reached.add(target);
  }
  return [...reached].filter((file) => /\.[jt]s$/.test(file));
}

/** Lines on which a module waits while it is loaded. */
function waitsOf(source: ts.SourceFile): readonly number[] {
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    const waits =
      ts.isAwaitExpression(node) ||
      (ts.isForOfStatement(node) && node.awaitModifier !== undefined) ||
      (ts.isVariableDeclarationList(node) && (node.flags & ts.NodeFlags.AwaitUsing) === ts.NodeFlags.AwaitUsing);
    if (waits) lines.push(source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}

const parse = (name: string, text: string): ts.SourceFile => ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);

describe('the modules that the package gives to others', () => {
  it('wait for nothing while they are loaded, so that require() and bundles work', () => {
    const reached = reachedFrom(entries);
    expect(entries).to.deep.equal(['engine/index.ts', 'infra/pulumi.ts', 'engine/testing.ts']);
    expect(reached.length).to.be.above(200);
    const waiting = reached.flatMap((file) =>
      waitsOf(parse(file, readFileSync(join(repository, file), 'utf8'))).map((line) => `${file}:${line}`),
    );
    expect(waiting).to.deep.equal([]);
  });

  it('would be found waiting, in whichever way', () => {
    const lines = [
      'const a = await b();',
      'for await (const c of d) {}',
      'await using e = f();',
      'if (g) { await h(); }',
      'async () => { await i(); for await (const j of k) {} };',
      'class L { async m() { await n(); } }',
      'using o = p();',
    ];
    expect(waitsOf(parse('x.ts', lines.join('\n')))).to.deep.equal([1, 2, 3, 4]);
  });
});
