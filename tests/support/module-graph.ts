import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

/** A name that a module takes from another one. */
export interface Use {
  /** `default`, or `*` for all of them. */
  readonly name: string;
  readonly file: string;
  readonly target: string;
  /** Gone when the types are erased. */
  readonly erased: boolean;
}

/** A name that a module declares and exports. */
export interface Export {
  readonly name: string;
  readonly file: string;
  /** Type, interface. */
  readonly erased: boolean;
}

export interface Module {
  readonly file: string;
  readonly exports: readonly Export[];
  readonly uses: readonly Use[];
  /** Names that the module itself mentions, beside where it declares them. */
  readonly mentions: ReadonlySet<string>;
}

/** What a source file exports and takes from others, by the compiler's own reader. Files are named from the root. */
export function readModule(root: string, file: string): Module {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const targetOf = (specifier: ts.Expression): string | undefined => {
    if (!ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return undefined;
    return relative(root, resolve(root, dirname(file), specifier.text));
  };
  const exports = source.statements.flatMap((statement) => exportsOf(file, statement));
  const uses = source.statements.flatMap((statement) => {
    if (ts.isImportDeclaration(statement)) return importUses(file, targetOf(statement.moduleSpecifier), statement);
    return ts.isExportDeclaration(statement) ? reexportUses(file, targetOf, statement) : [];
  });
  return { file, exports, uses: [...uses, ...dynamicUses(file, targetOf, source)], mentions: mentionsOf(source) };
}

/** Identifiers that stand for a variable or a type: neither a declaration's own name nor the name of a member. */
function mentionsOf(source: ts.SourceFile): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && !isOwnName(node)) found.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isOwnName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isShorthandPropertyAssignment(parent)) return false;
  const { name, propertyName } = parent as { readonly name?: ts.Node; readonly propertyName?: ts.Node };
  return name === node || propertyName === node;
}

function exportsOf(file: string, statement: ts.Statement): readonly Export[] {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
  if (modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) return [];
  const erased = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => ({ name: name.getText(), file, erased }));
  }
  const { name } = statement as { readonly name?: ts.Identifier };
  return name === undefined ? [] : [{ name: name.text, file, erased }];
}

function importUses(file: string, target: string | undefined, { importClause: clause }: ts.ImportDeclaration): readonly Use[] {
  if (target === undefined) return [];
  // An import for its effects only.
  if (clause === undefined) return [{ name: '', file, target, erased: false }];
  const whole = clause.isTypeOnly;
  const bindings = clause.namedBindings;
  const named =
    bindings === undefined
      ? []
      : ts.isNamespaceImport(bindings)
        ? [{ name: '*', file, target, erased: whole }]
        : bindings.elements.map(({ propertyName, name, isTypeOnly }) => ({
            name: (propertyName ?? name).text,
            file,
            target,
            erased: whole || isTypeOnly,
          }));
  return clause.name === undefined ? named : [{ name: 'default', file, target, erased: whole }, ...named];
}

function reexportUses(
  file: string,
  targetOf: (specifier: ts.Expression) => string | undefined,
  { moduleSpecifier, exportClause, isTypeOnly }: ts.ExportDeclaration,
): readonly Use[] {
  const target = moduleSpecifier === undefined ? undefined : targetOf(moduleSpecifier);
  if (target === undefined) return [];
  if (exportClause === undefined || ts.isNamespaceExport(exportClause)) return [{ name: '*', file, target, erased: isTypeOnly }];
  return exportClause.elements.map(({ propertyName, name, isTypeOnly: own }) => ({
    name: (propertyName ?? name).text,
    file,
    target,
    erased: isTypeOnly || own,
  }));
}

/** `import('./file.ts')`, in code, types and comments of types: it takes all, and it loads nothing before it is reached. */
function dynamicUses(
  file: string,
  targetOf: (specifier: ts.Expression) => string | undefined,
  source: ts.SourceFile,
): readonly Use[] {
  const uses: Use[] = [];
  const visit = (node: ts.Node): void => {
    const specifier =
      ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
        ? node.arguments[0]
        : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
          ? (node.argument.literal as ts.Expression)
          : undefined;
    const target = specifier === undefined ? undefined : targetOf(specifier);
    if (target !== undefined) uses.push({ name: '*', file, target, erased: true });
    ts.forEachChild(node, visit);
    for (const comment of (node as { readonly jsDoc?: readonly ts.Node[] }).jsDoc ?? []) visit(comment);
  };
  visit(source);
  return uses;
}

/** Groups of modules that need one another before any of them is there. */
export function cyclesOf(modules: readonly Module[]): readonly (readonly string[])[] {
  const needs = new Map(
    modules.map(({ file, uses }) => [file, new Set(uses.filter(({ erased }) => !erased).map(({ target }) => target))]),
  );
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    lowest.set(file, own);
    open.push(file);
    for (const target of needs.get(file) ?? []) {
      if (!needs.has(target)) continue;
      const reached = order.has(target) ? (open.includes(target) ? (order.get(target) ?? own) : own) : visit(target);
      lowest.set(file, Math.min(lowest.get(file) ?? own, reached));
    }
    const low = lowest.get(file) ?? own;
    if (low === own) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1) cycles.push(group.toSorted());
    }
    return low;
  };
  for (const file of needs.keys()) if (!order.has(file)) visit(file);
  return cycles;
}
