import type { Item } from '../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../tables/model/canonical.ts';
import { keyProblems, showKey } from '../../../tables/model/item.ts';
import type { Table } from '../../../tables/model/table.ts';
import { attributesProblem, whatIs } from '../item/attributes-problem.ts';
import { isRecord } from '../item/dynamo-json.ts';
import { frozenItem } from '../item/frozen-item.ts';
import { itemBytes, maxItemBytes } from '../item/item-size.ts';

/** What a function gave cannot be what was meant. The reason goes to the dead letter. */
export class BadResult extends Error {}

export interface CheckedChange {
  readonly set: Item;
  readonly remove: readonly string[];
}

const noChange: CheckedChange = { set: {}, remove: [] };

/** What a step's `change` gave: looked at by its shape, because "nothing to do" is what a mistake would look like. */
export function checkChange(result: unknown): CheckedChange {
  if (result === undefined) return noChange;
  refusePromise('change', result);
  if (!isRecord(result))
    throw new BadResult(`change gave ${whatIs(result)}: expected { set, remove }, or undefined for nothing to do`);
  const strange = Object.keys(result).filter((name) => name !== 'set' && name !== 'remove');
  if (strange.length > 0)
    throw new BadResult(`change gave ${strange.join(', ')}: expected set and remove, and nothing beside them`);
  const { set, remove } = result;
  if (set === undefined && remove === undefined) {
    throw new BadResult('change gave neither set nor remove: expected one of them, or undefined for nothing to do');
  }
  return { set: checkSet(set), remove: checkRemove(remove) };
}

function checkSet(set: unknown): Item {
  const problem = set === undefined ? undefined : attributesProblem(set);
  if (problem !== undefined) throw new BadResult(`set: ${problem}`);
  return (set ?? {}) as Item;
}

function checkRemove(remove: unknown): readonly string[] {
  if (remove === undefined) return [];
  if (Array.isArray(remove) && remove.every((name) => typeof name === 'string' && name !== ''))
    return remove as readonly string[];
  throw new BadResult(`remove: expected a list of attribute names, found ${whatIs(remove)}`);
}

/** What a step's `items` gave, each fit for the table, each key once. */
export function checkItems(result: unknown, table: Table): readonly Item[] {
  refusePromise('items', result);
  if (!Array.isArray(result)) throw new BadResult(`items gave ${whatIs(result)}: expected a list of new items, empty for none`);
  const problems = result.flatMap((made: unknown) => newItemProblems(made, table));
  if (problems.length > 0) throw new BadResult(problems.join('; '));
  const items = result as readonly Item[];
  const keys = new Set(items.map((item) => keyIdentity(table.key, item)));
  if (keys.size < items.length) throw new BadResult('items gave two new items with the same key');
  return items;
}

/**
 * What a step's `taken` says is wrong with the item in the place of a new one; undefined when nothing is. Where it fails, or gives what
 * is no reason, that is wrong: nobody knows whether the item may stay.
 */
export function takenReason(taken: (there: Item, made: Item) => unknown, there: Item, made: Item): string | undefined {
  try {
    const result = taken(frozenItem(there), frozenItem(made));
    if (result === undefined) return undefined;
    refusePromise('taken', result);
    if (typeof result === 'string' && result !== '') return result;
    const found = result === '' ? 'an empty text' : whatIs(result);
    throw new BadResult(`taken gave ${found}: expected what is wrong, or undefined for nothing`);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function newItemProblems(made: unknown, table: Table): readonly string[] {
  const problem = attributesProblem(made);
  if (problem !== undefined) return [`a new item: ${problem}`];
  const item = made as Item;
  const problems = keyProblems(table, item);
  const bytes = itemBytes(item);
  if (problems.length > 0 || bytes <= maxItemBytes) return problems;
  return [`${showKey(table, item)}: the item has ${bytes} bytes, DynamoDB holds at most ${maxItemBytes}`];
}

function refusePromise(name: string, result: unknown): void {
  if (typeof result !== 'object' || result === null || !('then' in result) || typeof result.then !== 'function') return;
  // Nobody waits for it: how it ends is nobody's matter.
  void Promise.resolve(result as PromiseLike<unknown>).catch(() => undefined);
  throw new BadResult(
    `${name} gave a promise: it must be a plain function, not an async one; what it has to know must be in the item or in the step's lookup, or the step must be a custom one`,
  );
}
