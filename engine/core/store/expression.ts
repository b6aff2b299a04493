import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import type { Condition, Operand } from '../../../tables/model/condition.ts';
import type { Expressions } from './store.ts';

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

function operandValue(operand: Operand): AttributeValue {
  return typeof operand === 'string' ? { S: operand } : operand;
}
