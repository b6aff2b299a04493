import type { AttributeValue, Item } from '../../tables/model/attribute-value.ts';
import { sameValue } from '../../tables/model/canonical.ts';

export interface UpdateRequest {
  readonly Key: Item;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
}

/** The item after an update as the peers write them: SET of values, on conditions joined by AND. Undefined when one does not hold. */
export function updated(request: UpdateRequest, item: Item): Item | undefined {
  const { ConditionExpression = '', UpdateExpression = '', ExpressionAttributeNames: names = {} } = request;
  const nameOf = (word: string): string => names[word] ?? word;
  const valueAt = (word: string): AttributeValue | undefined => request.ExpressionAttributeValues?.[word];
  const conditions = ConditionExpression.replaceAll(/[()]/g, ' ')
    .split(/\band\b/i)
    .map((part) => part.trim().split(/\s+/));
  for (const [first = '', second = '', third = ''] of conditions) {
    if (first === '') continue;
    if (first === 'attribute_exists' ? item[nameOf(second)] === undefined : false) return undefined;
    if (first === 'attribute_not_exists' ? item[nameOf(second)] !== undefined : false) return undefined;
    if (second === '=' && !sameValue(item[nameOf(first)], valueAt(third))) return undefined;
  }
  const after: Item = { ...item };
  for (const part of UpdateExpression.replace(/^\s*set\s+/i, '').split(',')) {
    const [name = '', value = ''] = part.trim().split(/\s*=\s*/);
    const given = valueAt(value);
    if (given === undefined) throw new Error(`cannot read ${UpdateExpression}`);
    after[nameOf(name)] = given;
  }
  return after;
}
