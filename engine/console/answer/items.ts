import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { entityOf, showKey } from '../../../tables/model/item.ts';
import type { Table } from '../../../tables/model/table.ts';
import { findTable } from '../../cli/transfer/find-table.ts';
import { fromJsonItem, toJsonItem } from '../../core/item/dynamo-json.ts';
import { getOne } from '../../run/store/read-keys.ts';
import { scanPage } from '../../run/store/read-pages.ts';
import type { ConsoleEnvironment } from '../console-environment.ts';
import { explainItem } from '../view/explain-item.ts';
import type { ItemAnswer, ItemsAnswer, ShownItem } from '../wire-types.ts';
import { isLocal } from './stack.ts';

/** The most that one page of a Scan may read. */
export const maxScanItems = 1_000;

export function shownItem(table: Table, item: Item): ShownItem {
  return { key: showKey(table, item), entity: entityOf(table, item)?.name ?? null, item: toJsonItem(item) };
}

/** One bounded page of a Scan: of the local stack, or of another one when somebody has asked for it. */
export async function itemsAnswer(
  environment: ConsoleEnvironment,
  name: string,
  { size, from, asked }: { readonly size: number; readonly from: string | undefined; readonly asked: boolean },
): Promise<ItemsAnswer> {
  const { stack, context } = environment;
  const { table, tableName } = findTable(stack, name);
  if (!isLocal(environment) && !asked) throw unasked(tableName);
  const Limit = Math.min(maxScanItems, Math.max(1, size));
  const start = from === undefined ? {} : { ExclusiveStartKey: itemOf(from, 'from') };
  const page = await scanPage(stack.read, { TableName: tableName, Limit, ...start }, context.signal);
  return {
    items: page.items.map((item) => shownItem(table, item)),
    next: page.next === undefined ? null : JSON.stringify(toJsonItem(page.next)),
    units: page.units,
  };
}

/** One record by its key, with what each attribute is for. */
export async function itemAnswer({ stack, context }: ConsoleEnvironment, name: string, key: string): Promise<ItemAnswer> {
  const { table, tableName } = findTable(stack, name);
  const Key = itemOf(key, 'key');
  const { item, units } = await getOne(stack.read, { TableName: tableName, Key }, context.signal);
  if (item === undefined) {
    throw new TablewrightError('UNKNOWN_NAME', `${tableName}: there is no item ${showKey(table, Key)} any more`, {
      next: 'Load the list again.',
    });
  }
  return { ...shownItem(table, item), units, ...explainItem(table, item) };
}

function itemOf(text: string, what: string): Item {
  try {
    const item = fromJsonItem(JSON.parse(text));
    if (item !== undefined) return item;
  } catch {
    // Told below.
  }
  throw new TablewrightError('BAD_ARGUMENT', `${what}: expected an item in DynamoDB JSON`, { next: 'Load the list again.' });
}

function unasked(tableName: string): TablewrightError {
  return new TablewrightError('NOT_CONFIRMED', `${tableName} is not on this machine: a Scan of it is paid for`, {
    next: 'Ask for it on the page, or read the items through a pattern.',
  });
}
