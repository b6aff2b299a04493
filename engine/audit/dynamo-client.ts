import ts from 'typescript';
import { bare, type Codebase, type Origin, walk } from './codebase.ts';
import { declarationOf, originOf } from './resolve-name.ts';

const maxDepth = 8;

const clientNames: ReadonlySet<string> = new Set([
  'DynamoDB',
  'DynamoDBClient',
  'DynamoDBDocument',
  'DynamoDBDocumentClient',
  'DocumentClient',
  'DynamoDB.DocumentClient',
]);

/** Is the name one of the AWS SDK's DynamoDB packages, version 2 or 3? */
export function isDynamoModule(module: string): boolean {
  return /^@aws-sdk\/(client|lib)-dynamodb(\/|$)/.test(module) || /^aws-sdk(\/clients\/dynamodb)?$/.test(module);
}

function isClientOrigin(origin: Origin | undefined): boolean {
  if (origin === undefined || !isDynamoModule(origin.module)) return false;
  // import DynamoDB from 'aws-sdk/clients/dynamodb'
  if (origin.module.startsWith('aws-sdk/') && (origin.name === 'default' || origin.name === '*')) return true;
  return clientNames.has(origin.name);
}

/** Is the expression a DynamoDB client: made here or elsewhere in the audit, or declared to be one? */
export function isDynamoClient(codebase: Codebase, expression: ts.Expression, depth = 0): boolean {
  const node = bare(expression);
  if (depth > maxDepth) return false;
  const follow = (next: ts.Expression | undefined) => next !== undefined && isDynamoClient(codebase, next, depth + 1);
  if (ts.isNewExpression(node)) return isClientOrigin(originOf(codebase, node.expression));
  if (ts.isCallExpression(node)) return isClientCall(codebase, node, depth);
  if (ts.isBinaryExpression(node)) return follow(node.left) || follow(node.right);
  if (ts.isConditionalExpression(node)) return follow(node.whenTrue) || follow(node.whenFalse);
  if (ts.isPropertyAccessExpression(node)) {
    return node.expression.kind === ts.SyntaxKind.ThisKeyword && isClientField(codebase, node, depth);
  }
  if (!ts.isIdentifier(node)) return false;
  const found = declarationOf(codebase, node);
  if (found?.kind === 'variable') return isClientType(codebase, found.node.type) || follow(found.node.initializer);
  if (found?.kind === 'parameter') return isClientType(codebase, found.node.type) || follow(found.node.initializer);
  return false;
}

/** `DynamoDBDocument.from(client)`, or a function of the audit that returns a client. */
function isClientCall(codebase: Codebase, node: ts.CallExpression, depth: number): boolean {
  const callee = node.expression;
  if (ts.isPropertyAccessExpression(callee) && callee.name.text === 'from') {
    return isClientOrigin(originOf(codebase, callee.expression));
  }
  if (!ts.isIdentifier(callee)) return false;
  const found = declarationOf(codebase, callee);
  const made = found?.kind === 'function' ? found.node : found?.kind === 'variable' ? found.node.initializer : undefined;
  if (made === undefined || !ts.isFunctionLike(made)) return false;
  if (isClientType(codebase, made.type)) return true;
  if (ts.isArrowFunction(made) && !ts.isBlock(made.body)) return isDynamoClient(codebase, made.body, depth + 1);
  return [...walk(made)].some(
    (inner) =>
      ts.isReturnStatement(inner) && inner.expression !== undefined && isDynamoClient(codebase, inner.expression, depth + 1),
  );
}

function isClientType(codebase: Codebase, type: ts.TypeNode | undefined): boolean {
  if (type === undefined) return false;
  if (ts.isUnionTypeNode(type)) return type.types.some((part) => isClientType(codebase, part));
  return ts.isTypeReferenceNode(type) && isClientOrigin(originOf(codebase, type.typeName));
}

/** `this.name`: a field, a parameter property, or what the constructor assigns to it. */
function isClientField(codebase: Codebase, access: ts.PropertyAccessExpression, depth: number): boolean {
  const owner = ts.findAncestor(access, ts.isClassLike);
  if (owner === undefined) return false;
  const name = access.name.text;
  for (const member of owner.members) {
    if (ts.isPropertyDeclaration(member) && member.name.getText() === name) {
      if (isClientType(codebase, member.type)) return true;
      if (member.initializer !== undefined && isDynamoClient(codebase, member.initializer, depth + 1)) return true;
    }
    if (!ts.isConstructorDeclaration(member)) continue;
    const parameter = member.parameters.find(
      (candidate) => candidate.name.getText() === name && candidate.modifiers !== undefined,
    );
    if (isClientType(codebase, parameter?.type)) return true;
    for (const inner of walk(member)) {
      if (!ts.isBinaryExpression(inner) || inner.operatorToken.kind !== ts.SyntaxKind.EqualsToken) continue;
      if (inner.left.getText() === `this.${name}` && isDynamoClient(codebase, inner.right, depth + 1)) return true;
    }
  }
  return false;
}
