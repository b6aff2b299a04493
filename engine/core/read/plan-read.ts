import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import type { Condition } from '../../../tables/model/condition.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { describeIssue } from '../../../tables/model/item.ts';
import { isGet, type KeyCondition, type Pattern, paramsSchema } from '../../../tables/model/pattern.ts';
import { type KeyAttribute, type KeySchema, keyAttributes, type Table } from '../../../tables/model/table.ts';
import { renderTemplate } from '../../../tables/model/template.ts';
import { physicalName, type StackConfig } from '../../../tables/stack-config.ts';
import { ExpressionBuilder } from '../store/expression.ts';
import type { GetRequest, QueryRequest } from '../store/store.ts';

export type ReadPlan =
  | { readonly kind: 'get'; readonly request: GetRequest; readonly filter: Condition | undefined }
  | {
      readonly kind: 'query';
      readonly request: QueryRequest;
      /** The most records to give, after the filter. */
      readonly limit: number | undefined;
      readonly hydrate: boolean;
    };

export type ReadNames = Pick<StackConfig, 'stack' | 'nameSuffix'>;

/** The one request (and its limits) that answers a pattern for given parameters. Pure; all wrong parameters are named at once. */
export function planRead(table: Table, pattern: Pattern, input: Readonly<Record<string, unknown>>, names: ReadNames): ReadPlan {
  const params = checkParams(pattern, input);
  const render = (template: string) => renderParams(pattern, template, params);
  const TableName = physicalName(table, names);
  if (isGet(pattern, table.key.range?.name)) {
    const Key = Object.fromEntries(pattern.key.map((condition) => equality(table, condition, render)));
    return { kind: 'get', request: { TableName, Key }, filter: pattern.filter };
  }
  const expressions = new ExpressionBuilder();
  const schema: KeySchema = table.indexes.find((index) => index.name === pattern.index) ?? table.key;
  const condition = hashFirst(pattern.key, schema).flatMap((part) => keyExpression(table, part, render, expressions, params));
  const filter = pattern.filter === undefined ? undefined : expressions.condition(pattern.filter, (text) => render(text) ?? text);
  const limit = limitOf(pattern, params);
  return {
    kind: 'query',
    limit,
    hydrate: pattern.hydrate === true,
    request: {
      TableName,
      ...(pattern.index === undefined ? {} : { IndexName: pattern.index }),
      KeyConditionExpression: condition.join(' AND '),
      ...(filter === undefined ? {} : { FilterExpression: filter }),
      ...expressions.attributes(),
      ScanIndexForward: pattern.order !== 'descending',
      // DynamoDB counts its Limit before the filter, so it can only help where there is none.
      ...(limit === undefined || filter !== undefined ? {} : { Limit: limit }),
    },
  };
}

export type Params = Readonly<Record<string, unknown>>;
type Render = (template: string) => string | undefined;

/** The parameters as the pattern takes them, defaults filled in. */
export function checkParams(pattern: Pattern, input: Params): Params {
  const parsed = paramsSchema(pattern).safeParse(input);
  if (parsed.success) return parsed.data;
  const declared = Object.keys(pattern.params);
  throw new TablewrightError('BAD_PARAMETER', `${pattern.name}: the parameters do not fit`, {
    problems: parsed.error.issues.map((issue) => describeIssue(issue).replace('received undefined', 'found nothing')),
    next: `It takes ${declared.length === 0 ? 'no parameters' : declared.join(', ')}, as in: tablewright query ${exampleCall(pattern)}`,
  });
}

/** A pattern with its example parameters, as one types it. */
export function exampleCall(pattern: Pattern): string {
  const words = Object.entries(pattern.example).map(([name, value]) =>
    /\s/.test(value) ? `"${name}=${value}"` : `${name}=${value}`,
  );
  return [pattern.name, ...words].join(' ');
}

/** The text of a template; undefined when an optional parameter in it was left out. */
export function renderParams(pattern: Pattern, template: string, params: Params): string | undefined {
  const rendered = renderTemplate(template, (name) => (params[name] === undefined ? undefined : String(params[name])));
  if ('text' in rendered) return rendered.text;
  if ('missing' in rendered) return undefined;
  throw new TablewrightError('BAD_PARAMETER', `${pattern.name}: ${rendered.problem}`, { next: 'Give a value without it.' });
}

export function limitOf(pattern: Pattern, params: Params): number | undefined {
  const limit = typeof pattern.limit === 'string' ? Number(params[pattern.limit]) : pattern.limit;
  if (limit !== undefined && limit < 1) {
    throw new TablewrightError('BAD_PARAMETER', `${pattern.name}: ${pattern.limit}: expected at least 1, found ${limit}`, {
      next: 'Ask for one record or more.',
    });
  }
  return limit;
}

function hashFirst(conditions: readonly KeyCondition[], schema: KeySchema): readonly KeyCondition[] {
  return conditions.toSorted((a, b) => Number(b.attribute === schema.hash.name) - Number(a.attribute === schema.hash.name));
}

function equality(table: Table, condition: KeyCondition, render: Render): readonly [string, AttributeValue] {
  const text = condition.op === 'window' ? undefined : render(condition.value);
  return [condition.attribute, typed(table, condition.attribute, text ?? '')];
}

const comparators = { equals: '=', atLeast: '>=', atMost: '<=', greater: '>', less: '<' } as const;

function keyExpression(
  table: Table,
  condition: KeyCondition,
  render: Render,
  expressions: ExpressionBuilder,
  params: Params,
): readonly string[] {
  if (condition.op === 'window') return windowExpression(table, condition, render, expressions, params);
  const text = render(condition.value);
  if (text === undefined) return [];
  const name = expressions.name(condition.attribute);
  const value = expressions.value(typed(table, condition.attribute, text));
  return [condition.op === 'beginsWith' ? `begins_with(${name}, ${value})` : `${name} ${comparators[condition.op]} ${value}`];
}

function windowExpression(
  table: Table,
  condition: Extract<KeyCondition, { readonly op: 'window' }>,
  render: Render,
  expressions: ExpressionBuilder,
  params: Params,
): readonly string[] {
  const from = render(condition.from);
  const to = render(condition.to);
  if (from === undefined && to === undefined) return [];
  if (from !== undefined && to !== undefined && from > to) {
    throw new TablewrightError('BAD_PARAMETER', `from ${String(params.from)} lies after to ${String(params.to)}`, {
      next: 'Swap the two; the earlier one comes first.',
    });
  }
  const name = expressions.name(condition.attribute);
  const value = (text: string) => expressions.value(typed(table, condition.attribute, text));
  if (from === undefined) return [`${name} <= ${value(to ?? '')}`];
  if (to === undefined) return [`${name} >= ${value(from)}`];
  return [`${name} BETWEEN ${value(from)} AND ${value(to)}`];
}

function typed(table: Table, attribute: string, text: string): AttributeValue {
  const declared: KeyAttribute | undefined = keyAttributes(table).find((candidate) => candidate.name === attribute);
  return declared?.type === 'N' ? { N: text } : { S: text };
}

/** The next page of the same read. */
export function after(request: QueryRequest, key: Item): QueryRequest {
  return { ...request, ExclusiveStartKey: key };
}
