import { cutOverTo, defineMigration } from 'tablewright';
import { tickets } from '../tables.ts';

export default defineMigration({
  id: '0005-read-made-up-keys',
  description: 'Release 4: readers move back to the index on made-up keys, parity proven',
  needs: { migrations: ['0004-fill-made-up-keys'] },
  steps: [cutOverTo(tickets, 'TicketsByTeam')],
});
