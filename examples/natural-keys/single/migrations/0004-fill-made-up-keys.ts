import { addIndex, defineMigration, derivedBackfill } from 'tablewright';
import { ticket, tickets } from '../tables.ts';

export default defineMigration({
  id: '0004-fill-made-up-keys',
  description: 'Release 4: the way back: made-up keys are filled in again, and their index is made',
  needs: { migrations: ['0003-remove-made-up-keys'] },
  steps: [
    derivedBackfill({ name: 'made-up keys', table: tickets, entities: [ticket], attributes: ['GSI1PK', 'GSI1SK'] }),
    addIndex(tickets, 'TicketsByTeam'),
  ],
});
