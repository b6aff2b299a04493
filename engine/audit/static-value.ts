import ts from 'typescript';
import { bare, type Codebase, functionAround, walk } from './codebase.ts';
import { type Declaration, declarationOf } from './resolve-name.ts';

/** How deep a value is followed through names, so that a cycle ends. */
const maxDepth = 12;

/** The text of an expression, as far as the source tells it. Parts that it does not tell are `{…}` in it. */
export function staticText(codebase: Codebase, expression: ts.Expression, depth = 0): string | undefined {
  const node = bare(expression);
  if (depth > maxDepth) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map((span) => {
      return (staticText(codebase, span.expression, depth + 1) ?? `{${span.expression.getText()}}`) + span.literal.text;
    });
    return node.head.text + spans.join('');
  }
  if (ts.isBinaryExpression(node)) return binaryText(codebase, node, depth);
  if (ts.isIdentifier(node)) return declaredText(codebase, declarationOf(codebase, node), depth);
  if (ts.isPropertyAccessExpression(node)) return memberText(codebase, node, depth);
  return undefined;
}

function binaryText(codebase: Codebase, node: ts.BinaryExpression, depth: number): string | undefined {
  const operator = node.operatorToken.kind;
  const left = staticText(codebase, node.left, depth + 1);
  const right = staticText(codebase, node.right, depth + 1);
  if (operator === ts.SyntaxKind.QuestionQuestionToken || operator === ts.SyntaxKind.BarBarToken) return right ?? left;
  if (operator !== ts.SyntaxKind.PlusToken || (left === undefined && right === undefined)) return undefined;
  return (left ?? `{${node.left.getText()}}`) + (right ?? `{${node.right.getText()}}`);
}

function declaredText(codebase: Codebase, found: Declaration | undefined, depth: number): string | undefined {
  if (found?.kind === 'variable' && found.node.initializer !== undefined) {
    return staticText(codebase, found.node.initializer, depth + 1);
  }
  // A default is what it is unless a caller says otherwise.
  if (found?.kind === 'parameter' && found.node.initializer !== undefined) {
    return staticText(codebase, found.node.initializer, depth + 1);
  }
  if (found?.kind !== 'member') return undefined;
  const value = memberOf(codebase, found.of, found.name, depth);
  return value === undefined ? undefined : staticText(codebase, value, depth + 1);
}

function memberText(codebase: Codebase, node: ts.PropertyAccessExpression, depth: number): string | undefined {
  const value = memberOf(codebase, node.expression, node.name.text, depth);
  return value === undefined ? undefined : staticText(codebase, value, depth + 1);
}

/** The value of a member of an object literal, found through its name. */
function memberOf(codebase: Codebase, object: ts.Expression, name: string, depth: number): ts.Expression | undefined {
  return propertiesOf(codebase, object, depth + 1)?.get(name);
}

/** The environment variable that an expression reads, if that is all that it tells. */
export function environmentOf(codebase: Codebase, expression: ts.Expression, depth = 0): string | undefined {
  const node = bare(expression);
  if (depth > maxDepth) return undefined;
  if (ts.isPropertyAccessExpression(node)) {
    if (/^process\.env$/.test(node.expression.getText())) return node.name.text;
    const value = memberOf(codebase, node.expression, node.name.text, depth);
    return value === undefined ? undefined : environmentOf(codebase, value, depth + 1);
  }
  if (ts.isElementAccessExpression(node) && node.expression.getText() === 'process.env') {
    return ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : undefined;
  }
  if (ts.isBinaryExpression(node)) return environmentOf(codebase, node.left, depth + 1);
  if (!ts.isIdentifier(node)) return undefined;
  const found = declarationOf(codebase, node);
  if (found?.kind === 'member' && found.of.getText() === 'process.env') return found.name;
  if (found?.kind !== 'variable' || found.node.initializer === undefined) return undefined;
  return environmentOf(codebase, found.node.initializer, depth + 1);
}

/** The properties of an object literal, found through names and spreads; undefined when it is none. Later ones win. */
export function propertiesOf(
  codebase: Codebase,
  expression: ts.Expression,
  depth = 0,
): ReadonlyMap<string, ts.Expression> | undefined {
  const node = bare(expression);
  if (depth > maxDepth) return undefined;
  if (ts.isObjectLiteralExpression(node)) return literalProperties(codebase, node, depth);
  // marshall({ … }), Object.freeze({ … }): the object is the argument.
  if (
    ts.isCallExpression(node) &&
    node.arguments[0] !== undefined &&
    /(^|\.)(marshall|freeze)$/.test(node.expression.getText())
  ) {
    return propertiesOf(codebase, node.arguments[0], depth + 1);
  }
  if (ts.isPropertyAccessExpression(node)) {
    const value = memberOf(codebase, node.expression, node.name.text, depth);
    return value === undefined ? undefined : propertiesOf(codebase, value, depth + 1);
  }
  if (!ts.isIdentifier(node)) return undefined;
  const found = declarationOf(codebase, node);
  if (found?.kind !== 'variable' || found.node.initializer === undefined) return undefined;
  const declared = propertiesOf(codebase, found.node.initializer, depth + 1);
  return declared === undefined ? undefined : new Map([...declared, ...assigned(found.node)]);
}

function literalProperties(codebase: Codebase, node: ts.ObjectLiteralExpression, depth: number): Map<string, ts.Expression> {
  const found = new Map<string, ts.Expression>();
  for (const property of node.properties) {
    if (ts.isSpreadAssignment(property)) {
      for (const [name, value] of spread(codebase, property.expression, depth)) found.set(name, value);
    } else if (ts.isShorthandPropertyAssignment(property)) found.set(property.name.text, property.name);
    else if (ts.isPropertyAssignment(property)) {
      const name = nameOf(codebase, property.name, depth);
      if (name !== undefined) found.set(name, property.initializer);
    }
  }
  return found;
}

/** `...(condition ? { … } : {})` may add what it holds. */
function spread(codebase: Codebase, expression: ts.Expression, depth: number): ReadonlyMap<string, ts.Expression> {
  const node = bare(expression);
  if (ts.isConditionalExpression(node)) {
    return new Map([...spread(codebase, node.whenFalse, depth + 1), ...spread(codebase, node.whenTrue, depth + 1)]);
  }
  if (ts.isBinaryExpression(node)) return spread(codebase, node.right, depth + 1);
  return propertiesOf(codebase, node, depth + 1) ?? new Map();
}

function nameOf(codebase: Codebase, name: ts.PropertyName, depth: number): string | undefined {
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) return name.text;
  return ts.isComputedPropertyName(name) ? staticText(codebase, name.expression, depth + 1) : undefined;
}

/** `input.FilterExpression = …` after the declaration. */
function assigned(declaration: ts.VariableDeclaration): ReadonlyMap<string, ts.Expression> {
  const found = new Map<string, ts.Expression>();
  if (!ts.isIdentifier(declaration.name)) return found;
  const { text } = declaration.name;
  for (const node of walk(functionAround(declaration))) {
    if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) continue;
    const target = node.left;
    if (!ts.isPropertyAccessExpression(target) || !ts.isIdentifier(target.expression)) continue;
    if (target.expression.text === text) found.set(target.name.text, node.right);
  }
  return found;
}
