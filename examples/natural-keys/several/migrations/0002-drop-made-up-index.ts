import { defineMigration, dropIndex } from 'tablewright';
import { tickets } from '../tables.ts';

export default defineMigration({
  id: '0002-drop-made-up-index',
  description: 'Release 3: the index on made-up keys goes; from here the way back is 0004',
  needs: { migrations: ['0001-read-natural-keys'] },
  steps: [dropIndex(tickets, 'TicketsByTeam')],
});
