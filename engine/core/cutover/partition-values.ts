import { attributeOf, type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import type { Condition } from '../../../tables/model/condition.ts';
import { isLegacyQuery, isOptionalParam, type Pattern } from '../../../tables/model/pattern.ts';
import { matchTemplate, placeholdersOf, separator } from '../../../tables/model/template.ts';

/** Parameters that ask for one part of a table, as texts. */
export type PartitionValue = Readonly<Record<string, string>>;

/** The parameters under which the old form may find the record; none when it cannot. */
export function valuesByLegacy(pattern: Pattern, item: Item): readonly PartitionValue[] {
  const { legacy } = pattern;
  if (legacy === undefined) return [];
  if (isLegacyQuery(legacy)) return withWhole(pattern, recovered(keyEqualities(legacy), item));
  const value = recovered(equalities(legacy.filter), item);
  return value === undefined ? [] : [value];
}

/** The parameters under which the index gives the record; none when its keys are not of the pattern's form. */
export function valuesByKey(pattern: Pattern, item: Item): readonly PartitionValue[] {
  const value = recovered(keyEqualities(pattern), item);
  if (isLegacyQuery(pattern.legacy)) return withWhole(pattern, value);
  return value === undefined ? [] : [value];
}

/** A parameter that may be left out asks for less than all: both questions are compared. */
function withWhole(pattern: Pattern, value: PartitionValue | undefined): readonly PartitionValue[] {
  if (value === undefined) return [];
  const whole = Object.fromEntries(Object.entries(value).filter(([name]) => !isOptionalParam(pattern, name)));
  return Object.keys(whole).length === Object.keys(value).length ? [value] : [whole, value];
}

/** Stands for what follows a beginning; no parameter has this name. */
const rest = 'tablewright_rest';

/** What a key must begin with tells its parameters too, where a fixed text ends them. */
function keyEqualities({ key }: Pick<Pattern, 'key'>): readonly Equality[] {
  return key.flatMap((part) => {
    if (part.op === 'equals') return [{ attribute: part.attribute, template: part.value }];
    const isEnded = part.op === 'beginsWith' && part.value.endsWith(separator);
    return isEnded ? [{ attribute: part.attribute, template: `${part.value}{${rest}|rest}` }] : [];
  });
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
  const { [rest]: _, ...params } = value;
  return params;
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
