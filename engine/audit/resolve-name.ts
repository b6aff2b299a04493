import ts from 'typescript';
import { bare, type Codebase, type Origin } from './codebase.ts';

/** What a name was declared as. */
export type Declaration =
  | { readonly kind: 'package'; readonly origin: Origin }
  | { readonly kind: 'variable'; readonly node: ts.VariableDeclaration }
  | { readonly kind: 'parameter'; readonly node: ts.ParameterDeclaration }
  | { readonly kind: 'function'; readonly node: ts.FunctionDeclaration }
  | { readonly kind: 'class'; readonly node: ts.ClassDeclaration }
  /** One member of a destructured value. */
  | { readonly kind: 'member'; readonly of: ts.Expression; readonly name: string };

/** The declaration that an identifier refers to, by scope; through the files of the audit where it is imported. */
export function declarationOf(codebase: Codebase, identifier: ts.Identifier): Declaration | undefined {
  for (let scope: ts.Node | undefined = identifier.parent; scope !== undefined; scope = scope.parent) {
    const found = declaredIn(codebase, scope, identifier.text);
    if (found !== undefined) return found;
  }
  return undefined;
}

function declaredIn(codebase: Codebase, scope: ts.Node, name: string): Declaration | undefined {
  if (ts.isFunctionLike(scope)) {
    const node = scope.parameters.find((parameter) => ts.isIdentifier(parameter.name) && parameter.name.text === name);
    return node === undefined ? undefined : { kind: 'parameter', node };
  }
  if (ts.isForOfStatement(scope) || ts.isForStatement(scope)) {
    const list = scope.initializer;
    return list !== undefined && ts.isVariableDeclarationList(list) ? inList(codebase, list, name) : undefined;
  }
  if (!ts.isBlock(scope) && !ts.isSourceFile(scope) && !ts.isCaseOrDefaultClause(scope)) return undefined;
  for (const statement of scope.statements) {
    const found = inStatement(codebase, statement, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inStatement(codebase: Codebase, statement: ts.Statement, name: string): Declaration | undefined {
  if (ts.isVariableStatement(statement)) return inList(codebase, statement.declarationList, name);
  if (ts.isFunctionDeclaration(statement) && statement.name?.text === name) return { kind: 'function', node: statement };
  if (ts.isClassDeclaration(statement) && statement.name?.text === name) return { kind: 'class', node: statement };
  if (ts.isImportDeclaration(statement)) return inImport(codebase, statement, name);
  if (ts.isImportEqualsDeclaration(statement) && statement.name.text === name) return inImportEquals(statement);
  return undefined;
}

function inImportEquals(statement: ts.ImportEqualsDeclaration): Declaration | undefined {
  const reference = statement.moduleReference;
  if (!ts.isExternalModuleReference(reference) || !ts.isStringLiteral(reference.expression)) return undefined;
  return { kind: 'package', origin: { module: reference.expression.text, name: '*' } };
}

function inList(codebase: Codebase, list: ts.VariableDeclarationList, name: string): Declaration | undefined {
  for (const node of list.declarations) {
    if (ts.isIdentifier(node.name)) {
      if (node.name.text !== name) continue;
      const module = requiredModule(node.initializer);
      return module === undefined ? { kind: 'variable', node } : fromModule(codebase, node.getSourceFile(), module, '*');
    }
    if (!ts.isObjectBindingPattern(node.name)) continue;
    const element = node.name.elements.find((entry) => ts.isIdentifier(entry.name) && entry.name.text === name);
    if (element === undefined || node.initializer === undefined) continue;
    const member = element.propertyName !== undefined && ts.isIdentifier(element.propertyName) ? element.propertyName.text : name;
    const module = requiredModule(node.initializer);
    return module === undefined
      ? { kind: 'member', of: node.initializer, name: member }
      : fromModule(codebase, node.getSourceFile(), module, member);
  }
  return undefined;
}

/** The module of `require('…')` or `await import('…')`. */
export function requiredModule(node: ts.Expression | undefined): string | undefined {
  if (node === undefined) return undefined;
  const call = bare(node);
  if (!ts.isCallExpression(call)) return undefined;
  const isRequire = ts.isIdentifier(call.expression) && call.expression.text === 'require';
  const isImport = call.expression.kind === ts.SyntaxKind.ImportKeyword;
  const [argument] = call.arguments;
  return (isRequire || isImport) && argument !== undefined && ts.isStringLiteralLike(argument) ? argument.text : undefined;
}

function inImport(codebase: Codebase, statement: ts.ImportDeclaration, name: string): Declaration | undefined {
  const clause = statement.importClause;
  if (clause === undefined || !ts.isStringLiteral(statement.moduleSpecifier)) return undefined;
  const module = statement.moduleSpecifier.text;
  const from = statement.getSourceFile();
  if (clause.name?.text === name) return fromModule(codebase, from, module, 'default');
  const bindings = clause.namedBindings;
  if (bindings === undefined) return undefined;
  if (ts.isNamespaceImport(bindings)) return bindings.name.text === name ? fromModule(codebase, from, module, '*') : undefined;
  const found = bindings.elements.find((element) => element.name.text === name);
  return found === undefined ? undefined : fromModule(codebase, from, module, (found.propertyName ?? found.name).text);
}

/** A name of another module: a package's own, or what the file of the audit exports under it. */
function fromModule(codebase: Codebase, from: ts.SourceFile, module: string, name: string): Declaration | undefined {
  const file = codebase.fileOf(from, module);
  if (file !== undefined && name !== '*') return exported(codebase, file, name);
  return { kind: 'package', origin: { module: file?.fileName ?? module, name } };
}

/** What a file exports under a name, directly or from elsewhere. */
export function exported(codebase: Codebase, file: ts.SourceFile, name: string): Declaration | undefined {
  return codebase.once(`export ${name} of ${file.fileName}`, () => exportedAnew(codebase, file, name));
}

function exportedAnew(codebase: Codebase, file: ts.SourceFile, name: string): Declaration | undefined {
  for (const statement of file.statements) {
    if (ts.isExportAssignment(statement) && name === 'default') {
      const value = bare(statement.expression);
      return ts.isIdentifier(value) ? declarationOf(codebase, value) : undefined;
    }
    if (ts.isExportDeclaration(statement)) {
      const found = reExported(codebase, file, statement, name);
      if (found !== undefined) return found;
      continue;
    }
    const declared = inStatement(codebase, statement, name);
    if (declared !== undefined && !ts.isImportDeclaration(statement)) return declared;
  }
  return undefined;
}

function reExported(
  codebase: Codebase,
  file: ts.SourceFile,
  statement: ts.ExportDeclaration,
  name: string,
): Declaration | undefined {
  const module =
    statement.moduleSpecifier !== undefined && ts.isStringLiteral(statement.moduleSpecifier)
      ? statement.moduleSpecifier.text
      : undefined;
  const clause = statement.exportClause;
  if (clause === undefined) {
    if (module === undefined) return undefined;
    const next = codebase.fileOf(file, module);
    // `export * from` a package: the name may well be there, and only known names are ever asked about.
    return next === undefined ? { kind: 'package', origin: { module, name } } : exported(codebase, next, name);
  }
  if (!ts.isNamedExports(clause)) return undefined;
  const element = clause.elements.find((candidate) => candidate.name.text === name);
  if (element === undefined) return undefined;
  const inner = (element.propertyName ?? element.name).text;
  if (module !== undefined) return fromModule(codebase, file, module, inner);
  for (const other of file.statements) {
    const found = inStatement(codebase, other, inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The package and name that an expression stands for: `ScanCommand`, `dynamodb.ScanCommand`, `AWS.DynamoDB.DocumentClient`. */
export function originOf(codebase: Codebase, expression: ts.Expression | ts.EntityName): Origin | undefined {
  const place = `origin of ${expression.getSourceFile().fileName}:${expression.getStart()}-${expression.getEnd()}`;
  return codebase.once(place, () => originAnew(codebase, expression));
}

function originAnew(codebase: Codebase, expression: ts.Expression | ts.EntityName): Origin | undefined {
  if (ts.isIdentifier(expression)) {
    const found = declarationOf(codebase, expression);
    if (found?.kind === 'package') return found.origin;
    if (found?.kind === 'member') return memberOrigin(originOf(codebase, bare(found.of)), found.name);
    if (found?.kind !== 'variable' || found.node.initializer === undefined) return undefined;
    const value = bare(found.node.initializer);
    // An alias: const Scan = dynamodb.ScanCommand
    return ts.isIdentifier(value) || ts.isPropertyAccessExpression(value) ? originOf(codebase, value) : undefined;
  }
  if (ts.isPropertyAccessExpression(expression)) {
    return memberOrigin(originOf(codebase, expression.expression), expression.name.text);
  }
  if (ts.isQualifiedName(expression)) return memberOrigin(originOf(codebase, expression.left), expression.right.text);
  return undefined;
}

function memberOrigin(origin: Origin | undefined, name: string): Origin | undefined {
  if (origin === undefined) return undefined;
  return { module: origin.module, name: origin.name === '*' || origin.name === 'default' ? name : `${origin.name}.${name}` };
}
