import { addIndex, cutOverTo, defineMigration } from 'tablewright';
import { tickets } from '../tables.ts';

export default defineMigration({
  id: '0001-read-natural-keys',
  description: 'Release 2: readers move to the index on natural attributes, parity proven',
  steps: [addIndex(tickets, 'ByTeam'), cutOverTo(tickets, 'ByTeam')],
});
