import ts from 'typescript';
import { bare, type Codebase, functionAround, walk } from './codebase.ts';
import { splitTop } from './partiql.ts';
import { propertiesOf, staticText } from './static-value.ts';

/** One comparison of a filter, as far as the source tells it. */
export interface FoundCondition {
  readonly attribute: string;
  /** `=`, `<>`, `<`, `begins_with` and so on. */
  readonly op: string;
  /** The text that it is compared with, where the source has it. */
  readonly literal?: string | undefined;
  /** The expression that it is compared with. */
  readonly source?: string | undefined;
}

export interface FoundFilter {
  /** As people read it; undefined when there is none. */
  readonly text: string | undefined;
  /** Where it is applied. */
  readonly by: 'dynamodb' | 'client';
  readonly conditions: readonly FoundCondition[];
}

const comparison = /([:#]?[\w.-]+)\s*(=|<>|<=|>=|<|>)\s*([:#]?[\w.-]+)/g;
const between = /([#\w.-]+)\s+BETWEEN\s+:\w+\s+AND\s+:\w+/gi;
const beginsWith = /begins_with\s*\(\s*([#\w.-]+)\s*,\s*(:\w+)\s*\)/gi;

/** The filter of a Scan's input: FilterExpression, version 2's ScanFilter, or what the code does with the records itself. */
export function filterOf(codebase: Codebase, input: ReadonlyMap<string, ts.Expression>, use: ts.Node): FoundFilter {
  const expression = input.get('FilterExpression');
  const text = expression === undefined ? undefined : staticText(codebase, expression);
  if (text !== undefined) return expressionFilter(codebase, text, input);
  if (expression !== undefined) return { text: expression.getText(), by: 'dynamodb', conditions: [] };
  const scanFilter = input.get('ScanFilter');
  if (scanFilter !== undefined) return oldFilter(codebase, scanFilter);
  const conditions = clientConditions(functionAround(use));
  const shown = conditions.map(({ attribute, op, source }) => `${attribute} ${op} ${source}`).join(' and ');
  return { text: shown === '' ? undefined : shown, by: 'client', conditions };
}

function expressionFilter(codebase: Codebase, text: string, input: ReadonlyMap<string, ts.Expression>): FoundFilter {
  const names = propertiesOfMember(codebase, input, 'ExpressionAttributeNames');
  const values = propertiesOfMember(codebase, input, 'ExpressionAttributeValues');
  const attribute = (word: string) => {
    const value = names.get(word);
    return (value === undefined ? undefined : staticText(codebase, value)) ?? word;
  };
  const compared = (word: string) => (word.startsWith(':') ? comparedWith(codebase, values.get(word)) : {});
  const conditions: FoundCondition[] = [];
  const certain = certainIn(text);
  for (const [, left = '', op = '', right = ''] of certain.matchAll(comparison)) {
    const swapped = left.startsWith(':');
    conditions.push({ attribute: attribute(swapped ? right : left), op, ...compared(swapped ? left : right) });
  }
  for (const [, left = '', right = ''] of certain.matchAll(beginsWith)) {
    conditions.push({ attribute: attribute(left), op: 'begins_with', ...compared(right) });
  }
  for (const [, left = ''] of certain.matchAll(between)) conditions.push({ attribute: attribute(left), op: 'between' });
  return { text: text.replace(/#[\w]+/g, attribute), by: 'dynamodb', conditions };
}

/** The comparisons that every record must meet: alternatives and what is denied tell nothing of a single one. */
function certainIn(text: string): string {
  if (splitTop(text, 'OR').length > 1) return '';
  const terms = splitTop(text, 'AND');
  if (terms.length > 1) return terms.map(certainIn).join(' AND ');
  return /\bNOT\b/i.test(text) ? '' : text;
}

function propertiesOfMember(
  codebase: Codebase,
  input: ReadonlyMap<string, ts.Expression>,
  name: string,
): ReadonlyMap<string, ts.Expression> {
  const value = input.get(name);
  return (value === undefined ? undefined : propertiesOf(codebase, value)) ?? new Map();
}

/** `owner`, or `{ S: owner }` as the low-level client has it. */
function comparedWith(codebase: Codebase, value: ts.Expression | undefined): Pick<FoundCondition, 'literal' | 'source'> {
  if (value === undefined) return {};
  const node = bare(value);
  if (ts.isObjectLiteralExpression(node)) {
    const inner = ['S', 'N', 'BOOL'].map((type) => propertiesOf(codebase, node)?.get(type)).find((found) => found !== undefined);
    if (inner !== undefined) return comparedWith(codebase, inner);
  }
  return { literal: staticText(codebase, node), source: node.getText() };
}

const oldOperators: Readonly<Record<string, string>> = {
  EQ: '=',
  NE: '<>',
  LT: '<',
  LE: '<=',
  GT: '>',
  GE: '>=',
  BEGINS_WITH: 'begins_with',
};

/** `ScanFilter: { owner: { ComparisonOperator: 'EQ', AttributeValueList: [owner] } }` */
function oldFilter(codebase: Codebase, expression: ts.Expression): FoundFilter {
  const conditions = [...(propertiesOf(codebase, expression) ?? [])].map(([attribute, condition]) => {
    const parts = propertiesOf(codebase, condition);
    const operator = parts?.get('ComparisonOperator');
    const list = parts?.get('AttributeValueList');
    const first =
      list !== undefined && ts.isArrayLiteralExpression(bare(list))
        ? (bare(list) as ts.ArrayLiteralExpression).elements[0]
        : undefined;
    const name = (operator === undefined ? undefined : staticText(codebase, operator)) ?? 'EQ';
    return { attribute, op: oldOperators[name] ?? name, ...comparedWith(codebase, first) };
  });
  const text = conditions.map(({ attribute, op, source }) => `${attribute} ${op} ${source ?? '?'}`).join(' AND ');
  return { text, by: 'dynamodb', conditions };
}

/** `.filter((order) => order.owner === owner)` and `.find(…)` in the same function. */
function clientConditions(around: ts.Node): readonly FoundCondition[] {
  const found: FoundCondition[] = [];
  for (const node of walk(around)) {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) continue;
    const [callback] = node.arguments;
    if (!/^(filter|find)$/.test(node.expression.name.text) || callback === undefined || !ts.isArrowFunction(callback)) continue;
    const record = callback.parameters[0]?.name.getText();
    for (const inner of walk(callback.body)) if (isCertain(inner, callback)) found.push(...equalityWith(inner, record));
  }
  return found;
}

/** Must every record meet it? Not one side of `||`, and not what is denied. */
function isCertain(node: ts.Node, callback: ts.Node): boolean {
  for (let at = node.parent; at !== callback; at = at.parent) {
    if (ts.isPrefixUnaryExpression(at) || ts.isConditionalExpression(at)) return false;
    if (ts.isBinaryExpression(at) && at.operatorToken.kind === ts.SyntaxKind.BarBarToken) return false;
  }
  return true;
}

function equalityWith(node: ts.Node, record: string | undefined): readonly FoundCondition[] {
  if (!ts.isBinaryExpression(node) || !/^===?$/.test(node.operatorToken.getText())) return [];
  for (const [side, other] of [
    [node.left, node.right],
    [node.right, node.left],
  ] as const) {
    const access = bare(side);
    if (!ts.isPropertyAccessExpression(access) || access.expression.getText() !== record) continue;
    const value = bare(other);
    const literal = ts.isStringLiteralLike(value) ? { literal: value.text } : {};
    return [{ attribute: access.name.text, op: '=', source: value.getText(), ...literal }];
  }
  return [];
}
