import { BatchWriteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { backfill, defineMigration, insertItems } from '../../engine/core/migrate/define-migration.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { scalarText } from '../../tables/model/attribute-value.ts';
import { text } from '../../tables/model/attributes.ts';
import { defineEntity } from '../../tables/model/entity.ts';
import { keyOf } from '../../tables/model/item.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../tables/model/stack/stack-config.ts';
import { defineTable, type Table } from '../../tables/model/table.ts';
import type { TestEngine } from './test-engine.ts';

export const thing = defineEntity({
  name: 'THING',
  description: 'A thing with a colour',
  attributes: { id: text(), colour: text() },
});

/** A small table with a sparse index, for tests of the engine itself. */
export const things = defineTable({
  name: 'toy-things',
  system: 'toys',
  namespace: 'toys',
  description: 'Things',
  hash: 'id',
  ttl: 'ttl',
  indexes: { by_colour: { hash: 'colour-key' } },
  entities: [thing],
});

export const toyTables: readonly Table[] = [things, ledger];

export const thingOf = (number: number, more: Item = {}): Item => ({
  id: { S: `thing-${String(number).padStart(4, '0')}` },
  colour: { S: ['red', 'green', 'blue'][number % 3] ?? 'red' },
  ...more,
});

export const someThings = (count: number): readonly Item[] => Array.from({ length: count }, (_, at) => thingOf(at));

/** Sets the index key from the colour, and removes an attribute that is no longer wanted. */
export const indexColours = defineMigration({
  id: '0001-index-colours',
  description: 'Things are found by colour',
  steps: [
    backfill({
      name: 'colour keys',
      table: things,
      entities: [thing],
      reads: ['colour'],
      writes: ['colour-key', 'old'],
      change: (item) => ({ set: { 'colour-key': { S: `COLOUR#${scalarText(item.colour)}` } }, remove: ['old'] }),
    }),
  ],
});

/** Gives every red thing a second item. */
export const copyReds = defineMigration({
  id: '0002-copy-reds',
  description: 'Red things have a copy',
  steps: [
    insertItems({
      name: 'copies',
      table: things,
      reads: ['colour'],
      items: (item) => {
        const id = scalarText(item.id) ?? '';
        if (scalarText(item.colour) !== 'red' || id.startsWith('copy-')) return [];
        return [{ id: { S: `copy-${id}` }, colour: { S: 'red' } }];
      },
    }),
  ],
});

/** Both tables as they were before any run: these items and an empty ledger. */
export async function resetToys(engine: TestEngine, items: readonly Item[]): Promise<void> {
  for (const table of toyTables) {
    const TableName = physicalName(table, engine.config);
    for (;;) {
      const { Items = [] } = await engine.client.send(new ScanCommand({ TableName }));
      if (Items.length === 0) break;
      const requests = (Items as Item[]).map((item) => ({ DeleteRequest: { Key: keyOf(table, item) } }));
      for (let at = 0; at < requests.length; at += 25) {
        await engine.client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests.slice(at, at + 25) } }));
      }
    }
  }
  await engine.putRaw(things, items);
}
