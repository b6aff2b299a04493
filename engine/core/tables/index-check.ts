import { type AttributeValue, attributeOf, type Item, typeOf } from '../../../tables/model/attribute-value.ts';
import { keyBytes, maxHashBytes, maxRangeBytes, showKey } from '../../../tables/model/item.ts';
import { type Index, type KeyAttribute, keyNames, type Table } from '../../../tables/model/table.ts';

/** Why DynamoDB refuses every write of a record once the index exists. */
export type KeyFault = 'empty' | 'NULL' | 'type' | 'too long';

export interface KeyViolation {
  readonly attributes: readonly string[];
  readonly fault: KeyFault;
  /** What was found, never the value itself. */
  readonly found: string;
  readonly records: number;
  /** Keys of a few of them. */
  readonly examples: readonly string[];
}

export interface IndexCheck {
  readonly records: number;
  /** Records that the index holds. */
  readonly held: number;
  /** Records that it leaves out, by the first key attribute that they lack. */
  readonly lacking: Readonly<Record<string, number>>;
  /** Records whose writes DynamoDB would refuse. */
  readonly refused: number;
  readonly violations: readonly KeyViolation[];
}

/** Keys that are kept of each kind of violation. */
export const examplesKept = 5;

interface Fault {
  readonly attributes: readonly string[];
  readonly fault: KeyFault;
  readonly found: string;
}

/** Counts what an index would do with the records of its table; one item after the other, memory bounded. */
export class IndexChecker {
  readonly #table: Pick<Table, 'key'>;
  readonly #index: Index;
  readonly #lacking = new Map<string, number>();
  readonly #violations = new Map<string, Fault & { records: number; readonly examples: string[] }>();
  #records = 0;
  #held = 0;
  #refused = 0;

  constructor(table: Pick<Table, 'key'>, index: Index) {
    this.#table = table;
    this.#index = index;
  }

  add(item: Item): void {
    this.#records += 1;
    const faults = keyFaults(this.#index, item);
    if (faults.length > 0) {
      this.#refused += 1;
      for (const fault of faults) this.#note(fault, item);
      return;
    }
    const lacks = keyNames(this.#index).find((name) => !Object.hasOwn(item, name));
    if (lacks === undefined) this.#held += 1;
    else this.#lacking.set(lacks, (this.#lacking.get(lacks) ?? 0) + 1);
  }

  get result(): IndexCheck {
    return {
      records: this.#records,
      held: this.#held,
      lacking: Object.fromEntries(this.#lacking),
      refused: this.#refused,
      violations: [...this.#violations.values()].toSorted((a, b) => b.records - a.records),
    };
  }

  #note(fault: Fault, item: Item): void {
    const name = [...fault.attributes, fault.fault, fault.found].join(' ');
    const known = this.#violations.get(name) ?? { ...fault, records: 0, examples: [] };
    this.#violations.set(name, known);
    known.records += 1;
    if (known.examples.length < examplesKept) known.examples.push(showKey(this.#table, item));
  }
}

/** What is wrong with the index's key attributes of an item; one that lacks some can still have a wrong one among the others. */
export function keyFaults({ hash, range }: Pick<Index, 'hash' | 'range'>, item: Item): readonly Fault[] {
  return [
    ...[...hash, ...range].flatMap((attribute) => valueFault(attribute, attributeOf(item, attribute.name))),
    ...lengthFault(hash, maxHashBytes, item),
    ...lengthFault(range, maxRangeBytes, item),
  ];
}

function valueFault({ name, type }: KeyAttribute, value: AttributeValue | undefined): readonly Fault[] {
  if (value === undefined) return [];
  const attributes = [name];
  const found = typeOf(value);
  if (found === 'NULL') return [{ attributes, fault: 'NULL', found: 'NULL' }];
  if (found !== type) return [{ attributes, fault: 'type', found: `type ${found} instead of ${type}` }];
  return found !== 'N' && keyBytes(value) === 0 ? [{ attributes, fault: 'empty', found: 'an empty value' }] : [];
}

/** DynamoDB Developer Guide, "Multi-attribute keys pattern": all attributes of one purpose share the length of its key. */
function lengthFault(parts: readonly KeyAttribute[], most: number, item: Item): readonly Fault[] {
  const bytes = parts.reduce((sum, { name }) => sum + keyBytes(attributeOf(item, name)), 0);
  const found = `more than ${most} bytes`;
  return bytes > most ? [{ attributes: parts.map(({ name }) => name), fault: 'too long', found }] : [];
}
