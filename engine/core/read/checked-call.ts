import type { Condition } from '../../../tables/model/condition.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { describeIssue } from '../../../tables/model/item.ts';
import { type Pattern, paramsSchema } from '../../../tables/model/pattern.ts';
import { type IndexKey, keyParts, type Table } from '../../../tables/model/table.ts';
import { renderTemplate } from '../../../tables/model/template.ts';

export type Params = Readonly<Record<string, unknown>>;

/** A pattern with parameters that fit it; `checkCall` makes it. */
export interface CheckedCall {
  readonly table: Table;
  readonly pattern: Pattern;
  /** As the pattern takes them, defaults filled in. */
  readonly params: Params;
}

/** All wrong parameters are named at once. */
export function checkCall(tables: readonly Table[], pattern: Pattern, input: Params): CheckedCall {
  const table = tableOf(tables, pattern);
  const parsed = paramsSchema(pattern).safeParse(input);
  if (parsed.success) return { table, pattern, params: parsed.data };
  const declared = Object.keys(pattern.params);
  throw new TablewrightError('BAD_PARAMETER', `${pattern.name}: the parameters do not fit`, {
    problems: parsed.error.issues.flatMap(describeParameter),
    next: `It takes ${declared.length === 0 ? 'no parameters' : declared.join(', ')}, as in: tablewright query ${exampleCall(pattern)}`,
  });
}

function describeParameter(issue: Parameters<typeof describeIssue>[0]): readonly string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => `${name}: there is no such parameter`);
  return [describeIssue(issue).replace('Invalid input: ', '').replace('received undefined', 'found nothing')];
}

export function tableOf(tables: readonly Table[], pattern: Pattern): Table {
  const table = tables.find((candidate) => candidate.name === pattern.table);
  if (table !== undefined) return table;
  throw new TablewrightError('UNKNOWN_NAME', `${pattern.name}: its table ${pattern.table} is not deployed in this stack`, {
    next: 'Add its system to tablewright:systems of the stack, or use another stack.',
  });
}

/** A pattern with its example parameters, as one types it. */
export function exampleCall(pattern: Pattern): string {
  const words = Object.entries(pattern.example).map(([name, value]) =>
    /\s/.test(value) ? `"${name}=${value}"` : `${name}=${value}`,
  );
  return [pattern.name, ...words].join(' ');
}

/** The key that the pattern is read by: its index's or the table's own. */
export function keyRead({ table, pattern }: Pick<CheckedCall, 'table' | 'pattern'>): IndexKey {
  return table.indexes.find((index) => index.name === pattern.index) ?? keyParts(table.key);
}

/** The text of a template; undefined when an optional parameter in it was left out. */
export function renderParams({ pattern, params }: CheckedCall, template: string): string | undefined {
  const rendered = renderTemplate(template, (name) => (params[name] === undefined ? undefined : String(params[name])));
  if ('text' in rendered) return rendered.text;
  if ('missing' in rendered) return undefined;
  throw new TablewrightError('BAD_PARAMETER', `${pattern.name}: ${rendered.problem}`, { next: 'Give a value without it.' });
}

/** A condition with the call's parameters put in. */
export function bindCondition(call: CheckedCall, condition: Condition): Condition {
  const render = (text: string) => renderParams(call, text) ?? '';
  if ('conditions' in condition) {
    return { ...condition, conditions: condition.conditions.map((part) => bindCondition(call, part)) };
  }
  if (condition.op === 'oneOf') return { ...condition, values: condition.values.map(render) };
  if (condition.op === 'beginsWith') return { ...condition, prefix: render(condition.prefix) };
  if ('value' in condition && typeof condition.value === 'string') return { ...condition, value: render(condition.value) };
  return condition;
}

/** The most records that the pattern itself gives. */
export function ownLimit({ pattern, params }: CheckedCall): number | undefined {
  const limit = typeof pattern.limit === 'string' ? params[pattern.limit] : pattern.limit;
  if (limit === undefined) return undefined;
  const most = Number(limit);
  if (Number.isSafeInteger(most) && most >= 1) return most;
  throw new TablewrightError('BAD_PARAMETER', `${pattern.name}: ${pattern.limit}: expected at least 1, found ${limit}`, {
    next: 'Ask for one record or more.',
  });
}
