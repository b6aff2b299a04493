import { type AttributeValue, scalarText } from '../../../tables/model/attribute-value.ts';
import { compareTexts } from '../../../tables/model/condition.ts';
import { compareDecimals, decimalProblem } from '../../../tables/model/decimal.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { isGet, type KeyCondition } from '../../../tables/model/pattern.ts';
import { filterKeyProblems, keyConditionProblems } from '../../../tables/model/prove-conditions.ts';
import { keyAttribute, keyNames } from '../../../tables/model/table.ts';
import { parseTemplate, placeholdersOf } from '../../../tables/model/template.ts';
import type { KeyPart } from '../store/expression.ts';
import { type CheckedCall, keyRead, renderParams } from './checked-call.ts';

/**
 * A program may define patterns that the compiler cannot see through, and reads by them without `prove`: one that breaks a rule is
 * refused here with the rule, instead of being sent, or sent without the condition that has no place.
 */
export function checkKeyConditions(call: CheckedCall): void {
  const { table, pattern } = call;
  const schema = keyRead(call);
  // A record that is fetched by its address is filtered here, by whatever it has.
  const filtered = isGet(pattern, table.key.range?.name) ? [] : filterKeyProblems(pattern, schema);
  const problems = [...keyConditionProblems(table, pattern, schema), ...filtered];
  if (problems.length === 0) return;
  throw new TablewrightError('BAD_CATALOGUE', `${pattern.name}: DynamoDB does not take its conditions`, {
    problems,
    next: `Correct the pattern in the definition of ${table.name}; 'tablewright patterns' proves all of them.`,
  });
}

/** In the order of the key's attributes. Behind one that was left out nothing may follow. */
export function keyPartsInOrder(call: CheckedCall): readonly KeyPart[] {
  const { pattern } = call;
  const given = keyNames(keyRead(call)).flatMap((name) => {
    const condition = pattern.key.find(({ attribute }) => attribute === name);
    return condition === undefined ? [] : [{ name, parts: keyParts(call, condition) }];
  });
  const gap = given.findIndex(({ parts }) => parts.length === 0 || parts.some(({ op }) => op !== 'equals'));
  const behind = gap === -1 ? [] : given.slice(gap + 1).filter(({ parts }) => parts.length > 0);
  if (behind.length === 0) return given.flatMap(({ parts }) => parts);
  const names = behind.map(({ name }) => name).join(', ');
  throw new TablewrightError('BAD_PARAMETER', `${pattern.name}: ${names} is given, but ${given[gap]?.name} before it is not`, {
    next: 'Sort keys are given from the left: give the earlier one too, or leave the later one out.',
  });
}

/** The value that the condition asks its attribute to have, for a record that is fetched by its address. */
export function equality(call: CheckedCall, condition: KeyCondition): readonly [string, AttributeValue] {
  const value = condition.op === 'window' ? undefined : operandOf(call, condition.attribute, condition.value);
  return [condition.attribute, value ?? { S: '' }];
}

/** The condition with its values; none when it is of parameters that were left out. */
function keyParts(call: CheckedCall, condition: KeyCondition): readonly KeyPart[] {
  if (condition.op === 'window') return windowParts(call, condition);
  const { attribute, op } = condition;
  const value = operandOf(call, attribute, condition.value);
  return value === undefined ? [] : [{ attribute, op, value }];
}

type Window = Extract<KeyCondition, { readonly op: 'window' }>;

function windowParts(call: CheckedCall, condition: Window): readonly KeyPart[] {
  const { attribute } = condition;
  const [from, to] = [operandOf(call, attribute, condition.from), operandOf(call, attribute, condition.to)];
  checkWindow(call, condition, from, to);
  if (from !== undefined && to !== undefined) return [{ attribute, op: 'between', from, to }];
  if (from !== undefined) return [{ attribute, op: 'atLeast', value: from }];
  return to === undefined ? [] : [{ attribute, op: 'atMost', value: to }];
}

/** DynamoDB refuses a BETWEEN whose first bound is the greater one. */
function checkWindow(
  call: CheckedCall,
  condition: Window,
  from: AttributeValue | undefined,
  to: AttributeValue | undefined,
): void {
  if (from === undefined || to === undefined || compareKeys(from, to) <= 0) return;
  const [first, last] = [condition.from, condition.to].map((template) => boundShown(call, template));
  throw new TablewrightError('BAD_PARAMETER', `${first} lies after ${last}`, {
    next: 'Swap the two; the earlier one comes first.',
  });
}

/** A bound by its parameters, as the caller gave them: `from 2025-11-14`. */
function boundShown({ params }: CheckedCall, template: string): string {
  const given = placeholdersOf(template).map((name) => [name, params[name]] as const);
  if (given.length === 0) return template;
  return given.map(([name, value]) => (value instanceof Uint8Array ? name : `${name} ${String(value)}`)).join(', ');
}

/** As an index sorts them: numbers by value, texts by their UTF-8 bytes, bytes unsigned. */
export function compareKeys(a: AttributeValue, b: AttributeValue): number {
  if ('N' in a && 'N' in b) return compareDecimals(a.N, b.N);
  if ('B' in a && 'B' in b) return Buffer.compare(a.B, b.B);
  return compareTexts(scalarText(a) ?? '', scalarText(b) ?? '');
}

/** Undefined when a parameter in the template was left out. */
function operandOf(call: CheckedCall, attribute: string, template: string): AttributeValue | undefined {
  const type = keyAttribute(call.table, attribute)?.type;
  if (type === 'B') return bytesOf(call, template);
  const text = renderParams(call, template);
  if (text === undefined) return undefined;
  if (type !== 'N') return { S: text };
  const problem = decimalProblem(text);
  if (problem === undefined) return { N: text };
  throw new TablewrightError(
    'BAD_PARAMETER',
    `${call.pattern.name}: ${attribute} is a number, found ${JSON.stringify(text)}: ${problem}`,
    {
      next: `Give a number; the parameter that ${attribute} is asked by can say so in the pattern.`,
    },
  );
}

/** Bytes are a parameter as it is: nothing can be put together with them. */
function bytesOf({ pattern, params }: CheckedCall, template: string): AttributeValue | undefined {
  const [part] = parseTemplate(template);
  const name = part === undefined || typeof part === 'string' ? '' : part.name;
  const value = params[name];
  if (value === undefined) return undefined;
  if (value instanceof Uint8Array && value.byteLength > 0) return { B: value };
  const found = value instanceof Uint8Array ? 'none' : typeof value;
  throw new TablewrightError('BAD_PARAMETER', `${pattern.name}: ${name}: expected bytes, found ${found}`, {
    next: 'Give a Uint8Array with at least one byte; on the command line as base64.',
  });
}
