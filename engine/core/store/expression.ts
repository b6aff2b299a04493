import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import type { Condition, Operand } from '../../../tables/model/condition.ts';
import type { Expressions, ScanRequest } from './store.ts';

/** A condition on one attribute of a key: compared with a value, beginning with one, or between two, both included. */
export type KeyPart = { readonly attribute: string } & (
  | { readonly op: Exclude<keyof typeof comparators, 'differs'> | 'beginsWith'; readonly value: AttributeValue }
  | { readonly op: 'between'; readonly from: AttributeValue; readonly to: AttributeValue }
);

export interface Seen {
  /** Values of any type; undefined for an attribute that must be absent. */
  readonly seen: Readonly<Record<string, AttributeValue | undefined>>;
  readonly exists?: string | undefined;
}

export interface UpdateClauses {
  readonly set?: Item | undefined;
  /** Amounts by which numbers grow, from nothing where there is none. */
  readonly add?: Readonly<Record<string, string>> | undefined;
  readonly remove?: readonly string[] | undefined;
}

const comparators = { equals: '=', differs: '<>', less: '<', atMost: '<=', greater: '>', atLeast: '>=' } as const;

/**
 * Collects the names and values of DynamoDB expressions. Every name goes through a placeholder, so reserved words and
 * hyphens need no care.
 */
export class ExpressionBuilder {
  readonly #names = new Map<string, string>();
  readonly #values: Item = {};

  name(attribute: string): string {
    let placeholder = this.#names.get(attribute);
    if (placeholder === undefined) {
      placeholder = `#n${this.#names.size}`;
      this.#names.set(attribute, placeholder);
    }
    return placeholder;
  }

  value(value: AttributeValue): string {
    const placeholder = `:v${Object.keys(this.#values).length}`;
    this.#values[placeholder] = value;
    return placeholder;
  }

  condition(condition: Condition): string {
    switch (condition.op) {
      case 'all':
      case 'any': {
        const parts = condition.conditions.map((part) => this.condition(part));
        return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(condition.op === 'all' ? ' AND ' : ' OR ')})`;
      }
      case 'present':
        return `attribute_exists(${this.name(condition.attribute)})`;
      case 'absent':
        return `attribute_not_exists(${this.name(condition.attribute)})`;
      case 'oneOf': {
        const values = condition.values.map((value) => this.value({ S: value }));
        return `${this.name(condition.attribute)} IN (${values.join(', ')})`;
      }
      case 'beginsWith':
        return `begins_with(${this.name(condition.attribute)}, ${this.value({ S: condition.prefix })})`;
      default: {
        const value = this.value(operandValue(condition.value));
        return `${this.name(condition.attribute)} ${comparators[condition.op]} ${value}`;
      }
    }
  }

  /** The item is as it was seen, in the attributes given; `exists` names one that must be there, whatever it is. */
  asSeen({ exists, seen }: Seen): string {
    const parts = exists === undefined ? [] : [`attribute_exists(${this.name(exists)})`];
    for (const [name, value] of Object.entries(seen)) {
      const placeholder = this.name(name);
      parts.push(value === undefined ? `attribute_not_exists(${placeholder})` : `${placeholder} = ${this.value(value)}`);
    }
    return parts.join(' AND ');
  }

  /** Which records of a table or an index: the partition first, then whatever bounds the sort key. */
  keyCondition(parts: readonly KeyPart[]): string {
    return parts.map((part) => this.#keyPart(part)).join(' AND ');
  }

  #keyPart(part: KeyPart): string {
    const name = this.name(part.attribute);
    if (part.op === 'between') return `${name} BETWEEN ${this.value(part.from)} AND ${this.value(part.to)}`;
    const value = this.value(part.value);
    return part.op === 'beginsWith' ? `begins_with(${name}, ${value})` : `${name} ${comparators[part.op]} ${value}`;
  }

  /** Clauses in the order SET, ADD, REMOVE; those that are empty are left out. */
  update({ set = {}, add = {}, remove = [] }: UpdateClauses): string {
    const clauses = [
      ['SET', Object.entries(set).map(([name, value]) => `${this.name(name)} = ${this.value(value)}`)],
      ['ADD', Object.entries(add).map(([name, amount]) => `${this.name(name)} ${this.value({ N: amount })}`)],
      ['REMOVE', remove.map((name) => this.name(name))],
    ] as const;
    return clauses
      .filter(([, parts]) => parts.length > 0)
      .map(([word, parts]) => `${word} ${parts.join(', ')}`)
      .join(' ');
  }

  /** What goes beside the expressions; nothing that no expression uses. */
  attributes(): Expressions {
    return {
      ...(this.#names.size === 0
        ? {}
        : { ExpressionAttributeNames: Object.fromEntries([...this.#names].map(([name, placeholder]) => [placeholder, name])) }),
      ...(Object.keys(this.#values).length === 0 ? {} : { ExpressionAttributeValues: this.#values }),
    };
  }
}

/** What a request for some attributes only has; nothing when it is for all. */
export function projection(
  names: readonly string[] | undefined,
): Pick<ScanRequest, 'ProjectionExpression' | 'ExpressionAttributeNames'> {
  if (names === undefined) return {};
  const expressions = new ExpressionBuilder();
  const ProjectionExpression = names.map((name) => expressions.name(name)).join(', ');
  return { ProjectionExpression, ...expressions.attributes() };
}

function operandValue(operand: Operand): AttributeValue {
  return typeof operand === 'string' ? { S: operand } : operand;
}
