import type { Item } from '../../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../../tables/model/error.ts';
import { physicalName } from '../../../../tables/model/stack/stack-config.ts';
import { keyNames } from '../../../../tables/model/table.ts';
import { frozenItem } from '../../../core/item/frozen-item.ts';
import { isExpired } from '../../../core/migrate/decide-item.ts';
import type { Lookup, PassStep } from '../../../core/migrate/define-migration.ts';
import { projection } from '../../../core/store/expression.ts';
import { scanPages } from '../../store/read-pages.ts';
import { type MigrateEnvironment, type ReadingEnvironment, readContextOf } from '../environment.ts';

/** It is held in memory by every process that works on the step. */
export const maxLookupItems = 50_000;

type LookupEnvironment = ReadingEnvironment & Pick<MigrateEnvironment, 'config' | 'nowMs'>;

/** The whole of the small table that a step looks things up in; undefined when it has none. */
export async function readLookup(environment: LookupEnvironment, step: PassStep, stop: AbortSignal): Promise<Lookup | undefined> {
  if (step.kind !== 'backfill' || step.lookup === undefined) return undefined;
  const { table, reads } = step.lookup;
  const ttl = table.ttl === undefined ? [] : [table.ttl];
  const attributes = [...new Set([...keyNames(table.key), ...reads, ...ttl])];
  const tableName = physicalName(table, environment.config);
  const found = new Map<string, Item>();
  const nowSeconds = Math.floor(environment.nowMs() / 1_000);
  const request = { TableName: tableName, ...projection(attributes), ConsistentRead: true };
  for await (const page of scanPages(readContextOf(environment), request, stop)) {
    for (const item of page.items) {
      if (!isExpired(table, item, nowSeconds)) found.set(keyIdentity(table.key, item), frozenItem(item));
    }
    if (found.size > maxLookupItems) throw tooLarge(tableName, step.name);
  }
  return found;
}

function tooLarge(tableName: string, step: string): TablewrightError {
  return new TablewrightError(
    'BAD_MIGRATION',
    `${step}: ${tableName} has more than ${maxLookupItems} items, too many to look up in`,
    {
      next: 'Use a custom step that reads what it needs as it goes.',
    },
  );
}
