import { attributeOf, base64Of } from '../../../tables/model/attribute-value.ts';
import { canonicalDecimal, decimalProblem } from '../../../tables/model/decimal.ts';
import { isRecord } from './dynamo-json.ts';

/** DynamoDB Developer Guide, "Quotas: attributes": a document may be nested 32 levels deep. */
const maxDepth = 32;
/** Developer Guide, "Naming rules": an attribute's name has at least one character and less than 64 KB. */
const maxNameBytes = 65_535;

/** Why DynamoDB would not take it; undefined when it would. What a migration's function gives may be anything. */
function valueProblem(value: unknown, depth = 1): string | undefined {
  if (depth > maxDepth) return `nested deeper than ${maxDepth} levels`;
  if (!isRecord(value)) return `expected a DynamoDB value such as { S: 'text' }, found ${whatIs(value)}`;
  const entries = Object.entries(value);
  const [type, held] = entries[0] ?? [];
  if (type === undefined || entries.length > 1) {
    const found = entries.map(([name]) => name).join(' and ') || 'none';
    return `expected one type such as { S: 'text' }, found ${found}`;
  }
  const problemOf = attributeOf(forms, type);
  if (problemOf === undefined) return `expected one of the types ${Object.keys(forms).join(', ')}, found ${type}`;
  return problemOf(held, depth);
}

/** Why these are no attributes of an item; undefined when they are. */
export function attributesProblem(attributes: unknown): string | undefined {
  return membersProblem(attributes, 0);
}

/** For messages: what a value is, not what it holds. */
export function whatIs(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const { name = '' } = (value.constructor ?? {}) as { readonly name?: string };
  return name === '' || name === 'Object' ? 'an object' : `a ${name}`;
}

type ProblemOf = (held: unknown, depth: number) => string | undefined;

const textProblem: ProblemOf = (held) => (typeof held === 'string' ? undefined : `S: expected a text, found ${whatIs(held)}`);
const numberProblem: ProblemOf = (held) => {
  const problem = typeof held === 'string' ? decimalProblem(held) : `expected the text of a number, found ${whatIs(held)}`;
  return problem === undefined ? undefined : `N: ${problem}`;
};
const bytesProblem: ProblemOf = (held) =>
  held instanceof Uint8Array ? undefined : `B: expected a Uint8Array, found ${whatIs(held)}`;

const forms: Readonly<Record<string, ProblemOf>> = {
  S: textProblem,
  N: numberProblem,
  B: bytesProblem,
  BOOL: (held) => (typeof held === 'boolean' ? undefined : `BOOL: expected true or false, found ${whatIs(held)}`),
  NULL: (held) => (held === true ? undefined : `NULL: expected true, found ${whatIs(held)}`),
  SS: (held, depth) => setProblem('SS', held, depth, textProblem, String),
  NS: (held, depth) => setProblem('NS', held, depth, numberProblem, (member) => canonicalDecimal(member as string)),
  BS: (held, depth) => setProblem('BS', held, depth, bytesProblem, (member) => base64Of(member as Uint8Array)),
  L: (held, depth) => {
    if (!Array.isArray(held)) return `L: expected a list of values, found ${whatIs(held)}`;
    const problems = held.map((member: unknown, at) => within(`L[${at}]`, valueProblem(member, depth + 1)));
    return problems.find((problem) => problem !== undefined);
  },
  M: (held, depth) => within('M', membersProblem(held, depth)),
};

function within(place: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${place}: ${problem}`;
}

/** Developer Guide, "Sets": no empty one, and each value once. */
function setProblem(type: string, held: unknown, depth: number, problemOf: ProblemOf, identity: (member: unknown) => string) {
  if (!Array.isArray(held)) return `${type}: expected a list, found ${whatIs(held)}`;
  if (held.length === 0) return `${type}: a set may not be empty`;
  const problem = held.map((member) => problemOf(member, depth)).find((one) => one !== undefined);
  if (problem !== undefined) return `${type}: ${problem}`;
  return new Set(held.map(identity)).size === held.length ? undefined : `${type}: a set holds each value once`;
}

function membersProblem(held: unknown, depth: number): string | undefined {
  if (!isRecord(held) || !isPlain(held)) return `expected an object of attributes, found ${whatIs(held)}`;
  for (const [name, member] of Object.entries(held)) {
    if (name === '' || Buffer.byteLength(name) > maxNameBytes)
      return 'an attribute has a name of at least one byte and less than 64 KB';
    const problem = valueProblem(member, depth + 1);
    if (problem !== undefined) return `${name}: ${problem}`;
  }
  return undefined;
}

/** No instance of a class: a Map or a Date has no members of its own that would be written. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}
