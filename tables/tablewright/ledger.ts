import { defineTable } from '../model/table.ts';
import { seedRow, seedSet, seedVolume } from './seed-records.ts';

/** The toolkit's own records of a stack: what was applied, by whom, how far it got, and who holds the lock. */
export const ledger = defineTable({
  name: 'tablewright-ledger',
  system: 'tablewright',
  namespace: 'tablewright.ledger',
  description: 'Migrations, seeds, locks and cut-over states of this stack',
  hash: 'PK',
  range: 'SK',
  entities: [seedSet, seedRow, seedVolume],
});
