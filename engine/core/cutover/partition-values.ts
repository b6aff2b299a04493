import { attributeOf, type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import type { Condition } from '../../../tables/model/condition.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { matchTemplate, placeholdersOf } from '../../../tables/model/template.ts';

/** Parameters that ask for one part of a table, as texts. */
export type PartitionValue = Readonly<Record<string, string>>;

/** The parameters under which the old filter may find the record; undefined when none can. */
export function valueByFilter(pattern: Pattern, item: Item): PartitionValue | undefined {
  const filter = pattern.legacy?.filter;
  return filter === undefined ? undefined : recovered(equalities(filter), item);
}

/** The parameters under which the index gives the record; undefined when its keys are not of the pattern's form. */
export function valueByKey(pattern: Pattern, item: Item): PartitionValue | undefined {
  const conditions = pattern.key.flatMap((part) =>
    part.op === 'equals' ? [{ attribute: part.attribute, template: part.value }] : [],
  );
  return recovered(conditions, item);
}

interface Equality {
  readonly attribute: string;
  readonly template: string;
}

function equalities(condition: Condition): readonly Equality[] {
  if (condition.op === 'all') return condition.conditions.flatMap(equalities);
  if (condition.op !== 'equals' || typeof condition.value !== 'string') return [];
  return [{ attribute: condition.attribute, template: condition.value }];
}

function recovered(conditions: readonly Equality[], item: Item): PartitionValue | undefined {
  let value: PartitionValue = {};
  for (const { attribute, template } of conditions) {
    // A fixed text decides whether the record matches, not which part it is in.
    if (placeholdersOf(template).length === 0) continue;
    const found = matchTemplate(template, scalarText(attributeOf(item, attribute)) ?? '');
    if (found === undefined) return undefined;
    value = { ...value, ...found };
  }
  return value;
}

/** One text for one part. */
export function partitionId(value: PartitionValue): string {
  return JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** `marketId=mkt123`, as one types it. */
export function showPartition(value: PartitionValue): string {
  const words = Object.entries(value).map(([name, text]) => `${name}=${text}`);
  return words.length === 0 ? 'all' : words.join(' ');
}
