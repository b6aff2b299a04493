import ts from 'typescript';
import type { Project } from '../../tables/model/project.ts';
import type { Table } from '../../tables/model/table.ts';
import { bare, type Codebase, walk } from './codebase.ts';
import { declarationOf } from './resolve-name.ts';

/** A pattern or index that nothing uses. */
export interface Unused {
  readonly kind: 'pattern' | 'index';
  readonly table: string;
  readonly name: string;
  readonly reason: string;
}

/** The tables by the names that code calls them, and as a list. */
export interface Judged extends Pick<Project, 'tables'> {
  readonly catalogue: readonly Table[];
}

export interface Usage {
  readonly unused: readonly Unused[];
  readonly patterns: number;
  readonly indexes: number;
}

/** What of the catalogue the code uses: patterns by name or by reference, indexes through them or by name. */
export function findUsage(codebase: Codebase, { tables, catalogue }: Judged): Usage {
  const { patterns, indexes } = usedIn(codebase, { tables, catalogue });
  const judged = catalogue.map((table) => ({ table, own: Object.values(table.patterns) }));
  const unusedPatterns = judged.flatMap(({ table, own }) =>
    own
      .filter((pattern) => !patterns.has(pattern.name))
      .map((pattern): Unused => ({ kind: 'pattern', table: table.name, name: pattern.name, reason: 'no code reads it' })),
  );
  const unusedIndexes = judged.flatMap(({ table, own }) =>
    table.indexes
      .filter(
        (index) => !indexes.has(index.name) && !own.some((pattern) => pattern.index === index.name && patterns.has(pattern.name)),
      )
      .map((index): Unused => {
        const readers = own.filter((pattern) => pattern.index === index.name).map((pattern) => pattern.name);
        const reason = readers.length === 0 ? 'no pattern reads it' : `only ${readers.join(', ')}, unused, would read it`;
        return { kind: 'index', table: table.name, name: index.name, reason };
      }),
  );
  return {
    unused: [...unusedPatterns, ...unusedIndexes],
    patterns: judged.reduce((sum, { own }) => sum + own.length, 0),
    indexes: catalogue.reduce((sum, table) => sum + table.indexes.length, 0),
  };
}

function usedIn(codebase: Codebase, { tables, catalogue }: Judged) {
  const names = new Set(catalogue.flatMap((table) => Object.values(table.patterns).map((pattern) => pattern.name)));
  const indexNames = new Set(catalogue.flatMap((table) => table.indexes.map((index) => index.name)));
  const patterns = new Set<string>();
  const indexes = new Set<string>();
  for (const node of codebase.files.flatMap((file) => [...walk(file)])) {
    if (ts.isStringLiteralLike(node)) {
      if (names.has(node.text)) patterns.add(node.text);
      if (indexNames.has(node.text) && isIndexName(node)) indexes.add(node.text);
    }
    const referenced = ts.isPropertyAccessExpression(node) ? patternReferred(codebase, tables, node) : undefined;
    if (referenced !== undefined) patterns.add(referenced);
  }
  return { patterns, indexes };
}

function isIndexName(node: ts.StringLiteralLike): boolean {
  const { parent } = node;
  return ts.isPropertyAssignment(parent) && parent.name.getText().replace(/['"]/g, '') === 'IndexName';
}

/** `marketOrders.patterns.byId`, also through another name of the table. */
function patternReferred(codebase: Codebase, tables: Project['tables'], node: ts.PropertyAccessExpression): string | undefined {
  const holder = node.expression;
  if (!ts.isPropertyAccessExpression(holder) || holder.name.text !== 'patterns') return undefined;
  const table = tableReferred(codebase, tables, holder.expression);
  return table?.patterns[node.name.text]?.name;
}

function tableReferred(codebase: Codebase, tables: Project['tables'], expression: ts.Expression, depth = 0): Table | undefined {
  const node = bare(expression);
  if (!ts.isIdentifier(node) || depth > 4) return undefined;
  const found = declarationOf(codebase, node);
  if (found?.kind === 'package') return tables[found.origin.name];
  if (found?.kind !== 'variable') return undefined;
  const own = found.node.name.getText();
  if (Object.hasOwn(tables, own)) return tables[own];
  return found.node.initializer === undefined ? undefined : tableReferred(codebase, tables, found.node.initializer, depth + 1);
}
