import ts from 'typescript';
import { bare, type Codebase, walk } from './codebase.ts';
import { declarationOf } from './resolve-name.ts';

/** A call of a function, and what it gives for one of its parameters. */
export interface CallerArgument {
  readonly call: ts.CallExpression;
  readonly argument: ts.Expression;
}

/** Where a parameter gets its value: the calls of its function in the files of the audit. None if it is no parameter. */
export function argumentsFor(codebase: Codebase, expression: ts.Expression): readonly CallerArgument[] {
  const node = bare(expression);
  const found = ts.isIdentifier(node) ? declarationOf(codebase, node) : undefined;
  if (found?.kind !== 'parameter') return [];
  const owner = found.node.parent;
  const place = owner.parameters.indexOf(found.node);
  return codebase.files
    .flatMap((file) => [...walk(file)])
    .flatMap((call) => {
      if (!ts.isCallExpression(call) || !ts.isIdentifier(call.expression)) return [];
      const argument = call.arguments[place];
      return argument !== undefined && calledFunction(codebase, call.expression) === owner ? [{ call, argument }] : [];
    });
}

function calledFunction(codebase: Codebase, callee: ts.Identifier): ts.Node | undefined {
  const found = declarationOf(codebase, callee);
  if (found?.kind === 'function') return found.node;
  return found?.kind === 'variable' && found.node.initializer !== undefined ? bare(found.node.initializer) : undefined;
}
