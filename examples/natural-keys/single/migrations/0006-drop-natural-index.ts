import { defineMigration, dropIndex } from 'tablewright';
import { tickets } from '../tables.ts';

export default defineMigration({
  id: '0006-drop-natural-index',
  description: 'Release 5: the index on natural attributes goes',
  needs: { migrations: ['0005-read-made-up-keys'] },
  steps: [dropIndex(tickets, 'ByTeam')],
});
