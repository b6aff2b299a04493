import { defineMigration, derivedBackfill } from 'tablewright';
import { parcel } from '../tables/parcels.ts';
import project from '../tablewright.config.ts';

export default defineMigration({
  id: '0001-index-parcels',
  description: 'Gives older parcels their index attributes',
  steps: [derivedBackfill({ name: 'index attributes', table: project.tables.parcels, entities: [parcel] })],
});
