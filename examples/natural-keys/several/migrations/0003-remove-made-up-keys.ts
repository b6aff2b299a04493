import { defineMigration, removeAttributes } from 'tablewright';
import { stoppedAt } from '../../release.ts';
import { ticket, tickets } from '../tables.ts';

export default defineMigration({
  id: '0003-remove-made-up-keys',
  description: 'Release 3: the made-up keys are taken out, once nobody writes them any more',
  needs: { migrations: ['0002-drop-made-up-index'] },
  steps: removeAttributes({
    table: tickets,
    entities: [ticket],
    attributes: ['GSI1PK', 'GSI1SK'],
    proof: { createdAt: 'createdAt', since: stoppedAt },
  }),
});
