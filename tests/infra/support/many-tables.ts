import { text } from '../../../tables/model/attributes.ts';
import { equals } from '../../../tables/model/condition.ts';
import { defineEntity } from '../../../tables/model/entity.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { is } from '../../../tables/model/pattern.ts';
import { defineTable, type Table } from '../../../tables/model/table.ts';

const entry = defineEntity({ name: 'ENTRY', description: 'One of many', attributes: { id: text(), owner: text() } });

/** A table with two indexes and a pattern that was a Scan once, as tables of this catalogue are. */
function oneOfMany(at: number, systems: number): Table {
  return defineTable({
    name: `quite-a-long-table-name-${at}`,
    system: `system-${at % systems}`,
    namespace: `many.t${at}`,
    description: 'One of many',
    hash: 'id',
    indexes: { EntriesByOwner: { hash: 'owner' }, EntriesByState: { hash: 'state' } },
    entities: [entry],
    patterns: {
      byOwner: {
        description: 'Entries of an owner',
        params: { owner: text() },
        index: 'EntriesByOwner',
        key: [is('owner', '{owner}')],
        legacy: { filter: equals('owner', '{owner}'), backfill: '0001-index-entries' },
        result: [entry],
        example: { owner: 'nobody' },
      },
    },
  });
}

/** A catalogue that has grown: so many tables, in so many systems, and the ledger. */
export const manyTables = (count: number, systems = 1): readonly Table[] => [
  ...Array.from({ length: count }, (_, at) => oneOfMany(at, systems)),
  ledger,
];
