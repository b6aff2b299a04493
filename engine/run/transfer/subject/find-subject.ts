import type { Item } from '../../../../tables/model/attribute-value.ts';
import { entityOf, keyOf } from '../../../../tables/model/item.ts';
import type { Table } from '../../../../tables/model/table.ts';
import type { PageStore } from '../../../core/store/store.ts';
import type { FindSubject, SubjectTie } from '../../../core/transfer/mask/subject-records.ts';
import { type ReadContext, scanPages } from '../../store/read-pages.ts';

/** A record that has to do with a person, without its contents. */
export interface SubjectRecord {
  readonly table: Table;
  readonly tableName: string;
  /** Undefined for one that fits no entity. */
  readonly entity: string | undefined;
  readonly key: Item;
  readonly tie: SubjectTie;
  /** What its identities say, to compare with when it is removed. */
  readonly identities: Item;
}

/** Reads tables whole, within the budget, and gives what has to do with the person. */
export async function* findSubject(
  context: ReadContext & { readonly store: PageStore },
  tables: readonly { readonly table: Table; readonly tableName: string }[],
  find: FindSubject,
  onRead: (table: string, records: number) => void,
  signal?: AbortSignal,
): AsyncGenerator<SubjectRecord> {
  for (const { table, tableName } of tables) {
    let read = 0;
    const request = { TableName: tableName, ConsistentRead: true };
    for await (const { items } of scanPages(context, request, signal)) {
      read += items.length;
      onRead(table.name, read);
      for (const item of items) {
        const tie = find(table, item);
        if (tie === undefined) continue;
        const names = tie.kind === 'own' ? tie.by.filter((name) => Object.hasOwn(item, name)) : [];
        const identities = Object.fromEntries(names.map((name) => [name, item[name] as Item[string]]));
        yield { table, tableName, entity: entityOf(table, item)?.name, key: keyOf(table, item), tie, identities };
      }
    }
  }
}
