import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { Registered } from './registered.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Where registered resources use a class or an argument that the provider's types call deprecated, at any depth. The
 * provider would warn of it, but only when it is there.
 */
export function deprecatedUses(resources: readonly Registered[]): readonly string[] {
  const custom = resources.filter(({ custom, type }) => custom && type.startsWith('aws:'));
  const files = new Map(custom.map(({ type }) => [type, declarationOf(type)]));
  const program = ts.createProgram([...new Set(files.values())], {
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
  });
  const checker = program.getTypeChecker();
  return custom.flatMap(({ type, name, inputs }) => {
    const file = program.getSourceFile(files.get(type) ?? '');
    const args = file?.statements.find(
      (statement): statement is ts.InterfaceDeclaration =>
        ts.isInterfaceDeclaration(statement) && statement.name.text === `${className(type)}Args`,
    );
    const resource = file?.statements.find(
      (statement): statement is ts.ClassDeclaration =>
        ts.isClassDeclaration(statement) && statement.name?.text === className(type),
    );
    if (args === undefined || resource === undefined) return [`${type}: no declaration found`];
    const classUse = ts.getJSDocDeprecatedTag(resource) === undefined ? [] : [`${type} ${name}: the class`];
    return [...classUse, ...argumentUses(checker, checker.getTypeAtLocation(args), inputs, `${type} ${name}`)];
  });
}

/** `aws:s3/bucketPolicy:BucketPolicy` is declared in `@pulumi/aws/s3/bucketPolicy.d.ts`. */
function declarationOf(type: string): string {
  return `${root}node_modules/@pulumi/aws/${type.split(':')[1]}.d.ts`;
}

function className(type: string): string {
  return type.split(':')[2] ?? '';
}

function argumentUses(checker: ts.TypeChecker, type: ts.Type, value: unknown, place: string): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, at) =>
      elementTypes(checker, type).flatMap((inner) => argumentUses(checker, inner, item, `${place}[${at}]`)),
    );
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    plainTypes(checker, type).flatMap((candidate) => {
      const property = candidate.getProperty(name);
      if (property === undefined) return [];
      const deprecated = property.getJsDocTags(checker).some((tag) => tag.name === 'deprecated');
      const here = `${place}.${name}`;
      return [...(deprecated ? [here] : []), ...argumentUses(checker, checker.getTypeOfSymbol(property), inner, here)];
    }),
  );
}

/** What an `Input<T>` may be besides a promise or an output of it. */
function plainTypes(checker: ts.TypeChecker, type: ts.Type): readonly ts.Type[] {
  const parts = type.isUnion() ? type.types : [type];
  return parts.filter(
    (part) => !['Promise', 'OutputInstance'].includes(part.getSymbol()?.name ?? '') && !checker.isArrayType(part),
  );
}

function elementTypes(checker: ts.TypeChecker, type: ts.Type): readonly ts.Type[] {
  const parts = type.isUnion() ? type.types : [type];
  return parts.filter((part) => checker.isArrayType(part)).flatMap((part) => checker.getTypeArguments(part as ts.TypeReference));
}
