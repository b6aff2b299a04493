import ts from 'typescript';
import { keyParts, type Table } from '../../tables/model/table.ts';
import { argumentsFor } from './callers.ts';
import { bare, type Codebase, walk } from './codebase.ts';
import { isDynamoClient, isDynamoModule } from './dynamo-client.ts';
import { type FoundCondition, filterOf } from './filter-conditions.ts';
import { isKeyed, parseSelect, type Select } from './partiql.ts';
import { type IndexProposal, proposeIndex } from './propose-index.ts';
import { type Replacement, replacementsFor } from './replace-scan.ts';
import { originOf } from './resolve-name.ts';
import { environmentOf, propertiesOf, staticText } from './static-value.ts';
import { type TableGuess, tableHinted, tableNamed } from './table-name.ts';

export const scanRules = {
  'scan-command': 'ScanCommand reads the whole table',
  'paginate-scan': 'paginateScan reads the whole table',
  'scan-call': 'scan() reads the whole table',
  'partiql-select': 'a PartiQL SELECT without its partition key reads the whole table',
} as const;

export type ScanRule = keyof typeof scanRules;

export interface ScanFinding {
  readonly rule: ScanRule;
  readonly file: string;
  /** From 1, as editors count. */
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** The catalogue's table; null when the source does not tell it, or when the catalogue does not have it. */
  readonly table: string | null;
  /** Guessed from the name of a variable. */
  readonly guessed: boolean;
  /** How the source names the table; null when it names none. */
  readonly tableText: string | null;
  /** `tableText` is its name, not just the expression that holds it. */
  readonly tableTold: boolean;
  readonly filter: string | null;
  /** By DynamoDB after reading everything, or by the program itself. */
  readonly filteredBy: 'dynamodb' | 'client';
  readonly replacements: readonly Replacement[];
  /** The patterns of the table, where none was found to fit. */
  readonly candidates: readonly string[];
  /** An index that would answer it by a Query, where no pattern does. */
  readonly proposal: IndexProposal | null;
  /** Where the table is a parameter: the calls that say which, as far as they do. */
  readonly callers: readonly ScanCaller[];
  /** Why it may stay, from a comment `tablewright-allow-scan: reason`; null when there is none. */
  readonly allowed: string | null;
}

export interface ScanCaller {
  readonly file: string;
  readonly line: number;
  readonly table: string | null;
}

/** Every use of Scan in the files, in the order of the files. */
export function findScans(codebase: Codebase, catalogue: readonly Table[]): readonly ScanFinding[] {
  return codebase.files.flatMap((file) => [...walk(file)].flatMap((node) => usesAt(codebase, catalogue, node)));
}

function usesAt(codebase: Codebase, catalogue: readonly Table[], node: ts.Node): readonly ScanFinding[] {
  if (ts.isNewExpression(node)) {
    const name = sdkName(codebase, node.expression);
    if (name === 'ScanCommand') return [scanFinding(codebase, catalogue, 'scan-command', node, node.arguments?.[0])];
    if (name !== undefined && statementCalls.has(name)) return selects(codebase, catalogue, node, node.arguments?.[0]);
  }
  if (!ts.isCallExpression(node)) return [];
  if (sdkName(codebase, node.expression) === 'paginateScan') {
    return [scanFinding(codebase, catalogue, 'paginate-scan', node, node.arguments[1])];
  }
  const method = methodOf(node.expression);
  if (method === undefined) return [];
  const [input] = node.arguments;
  if (method.name === 'scan' && isScanCall(codebase, method.receiver, input)) {
    return [scanFinding(codebase, catalogue, 'scan-call', node, input)];
  }
  const isStatement = statementCalls.has(`${method.name[0]?.toUpperCase()}${method.name.slice(1)}Command`);
  return isStatement && isDynamoClient(codebase, method.receiver) ? selects(codebase, catalogue, node, input) : [];
}

const statementCalls: ReadonlySet<string> = new Set([
  'ExecuteStatementCommand',
  'BatchExecuteStatementCommand',
  'ExecuteTransactionCommand',
]);

/** The SDK's name of what is called or made; undefined for everything that is not the SDK's. */
function sdkName(codebase: Codebase, expression: ts.Expression): string | undefined {
  const origin = originOf(codebase, bare(expression));
  return origin !== undefined && isDynamoModule(origin.module) ? origin.name : undefined;
}

/** `doc.scan(…)` and `doc['scan'](…)` */
function methodOf(callee: ts.Expression): { readonly receiver: ts.Expression; readonly name: string } | undefined {
  if (ts.isPropertyAccessExpression(callee)) return { receiver: callee.expression, name: callee.name.text };
  if (ts.isElementAccessExpression(callee) && ts.isStringLiteralLike(callee.argumentExpression)) {
    return { receiver: callee.expression, name: callee.argumentExpression.text };
  }
  return undefined;
}

/** Many things have a method of this name. It is DynamoDB's if its object is a client, or its input names a table. */
function isScanCall(codebase: Codebase, receiver: ts.Expression, input: ts.Expression | undefined): boolean {
  if (isDynamoClient(codebase, receiver)) return true;
  return input !== undefined && propertiesOf(codebase, input)?.has('TableName') === true;
}

function scanFinding(
  codebase: Codebase,
  catalogue: readonly Table[],
  rule: ScanRule,
  node: ts.Node,
  input: ts.Expression | undefined,
): ScanFinding {
  const properties = (input === undefined ? undefined : propertiesOf(codebase, input)) ?? new Map<string, ts.Expression>();
  const named = properties.get('TableName');
  const filter = filterOf(codebase, properties, node);
  const guess = named === undefined ? undefined : guessTable(codebase, catalogue, named);
  const text = named === undefined ? null : (staticText(codebase, named) ?? named.getText());
  const told = named !== undefined && staticText(codebase, named) !== undefined;
  const found = finding(
    rule,
    node,
    guess,
    { text, told },
    { text: filter.text ?? null, by: filter.by, conditions: filter.conditions },
  );
  return named === undefined || guess !== undefined ? found : { ...found, callers: callersOf(codebase, catalogue, named) };
}

function callersOf(codebase: Codebase, catalogue: readonly Table[], named: ts.Expression): readonly ScanCaller[] {
  return argumentsFor(codebase, named).map(({ call, argument }) => {
    const file = call.getSourceFile();
    const { line } = file.getLineAndCharacterOfPosition(call.getStart());
    return { file: file.fileName, line: line + 1, table: guessTable(codebase, catalogue, argument)?.table.name ?? null };
  });
}

function guessTable(codebase: Codebase, catalogue: readonly Table[], named: ts.Expression): TableGuess | undefined {
  const text = staticText(codebase, named);
  const told = text === undefined ? undefined : tableNamed(catalogue, text);
  if (told !== undefined) return told;
  const hints = [environmentOf(codebase, named), bare(named).getText().split('.').at(-1)];
  return hints
    .map((hint) => (hint === undefined ? undefined : tableHinted(catalogue, hint)))
    .find((found) => found !== undefined);
}

/** The SELECTs of a statement call that have no partition key. Where the key is not known, only those without any equality. */
function selects(
  codebase: Codebase,
  catalogue: readonly Table[],
  node: ts.Node,
  input: ts.Expression | undefined,
): readonly ScanFinding[] {
  return statementsOf(codebase, input).flatMap((expression) => {
    const select = parseSelect(staticText(codebase, expression) ?? '');
    if (select === undefined) return [];
    const guess = tableNamed(catalogue, select.table);
    if (isAnswered(select, guess?.table)) return [];
    const conditions = select.branches.length === 1 ? (select.branches[0] ?? []) : [];
    return [
      finding(
        'partiql-select',
        node,
        guess,
        { text: select.table, told: true },
        { text: select.where ?? null, by: 'dynamodb', conditions },
      ),
    ];
  });
}

function isAnswered(select: Select, table: Table | undefined): boolean {
  if (table === undefined)
    return select.branches.length > 0 && select.branches.every((branch) => branch.some(({ op }) => op === '=' || op === 'in'));
  const schema = select.index === undefined ? table.key : table.indexes.find((index) => index.name === select.index);
  return schema !== undefined && keyParts(schema).hash.every(({ name }) => isKeyed(select, name));
}

/** `Statement`, or those in `Statements` and `TransactStatements`. */
function statementsOf(codebase: Codebase, input: ts.Expression | undefined): readonly ts.Expression[] {
  const properties = input === undefined ? undefined : propertiesOf(codebase, input);
  const single = properties?.get('Statement');
  if (single !== undefined) return [single];
  const list = properties?.get('Statements') ?? properties?.get('TransactStatements');
  if (list === undefined || !ts.isArrayLiteralExpression(bare(list))) return [];
  return (bare(list) as ts.ArrayLiteralExpression).elements.flatMap((element) => statementsOf(codebase, element));
}

function finding(
  rule: ScanRule,
  node: ts.Node,
  guess: TableGuess | undefined,
  name: { readonly text: string | null; readonly told: boolean },
  filter: { readonly text: string | null; readonly by: 'dynamodb' | 'client'; readonly conditions: readonly FoundCondition[] },
): ScanFinding {
  const file = node.getSourceFile();
  const start = file.getLineAndCharacterOfPosition(node.getStart());
  const end = file.getLineAndCharacterOfPosition(node.getEnd());
  const replacements = guess === undefined ? [] : replacementsFor(guess.table, filter.conditions);
  return {
    rule,
    file: file.fileName,
    line: start.line + 1,
    column: start.character + 1,
    endLine: end.line + 1,
    endColumn: end.character + 1,
    table: guess?.table.name ?? null,
    guessed: guess?.certain === false,
    tableText: name.text,
    tableTold: name.told,
    filter: filter.text,
    filteredBy: filter.by,
    replacements,
    proposal: guess === undefined || replacements.length > 0 ? null : (proposeIndex(guess.table, filter.conditions) ?? null),
    candidates: guess === undefined || replacements.length > 0 ? [] : Object.values(guess.table.patterns).map(({ name }) => name),
    callers: [],
    allowed: allowanceAt(file, start.line),
  };
}

/** A comment on the line, or on the one before it. */
function allowanceAt(file: ts.SourceFile, line: number): string | null {
  const lines = file.text.split('\n').slice(Math.max(0, line - 1), line + 1);
  return /(?:\/\/|\/\*)\s*tablewright-allow-scan:\s*(.+?)\s*(?:\*\/)?\s*$/m.exec(lines.join('\n'))?.[1] ?? null;
}
